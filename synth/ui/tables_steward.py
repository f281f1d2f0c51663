"""The numbers of the steward's view as tables to read or to hear. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from synth.evaluate.findings import ColumnFinding, Findings, PairFinding, Score
from synth.ui.best import marked, smallest
from synth.ui.text import plain
from synth.ui.text import steward as text


def side_by_side(found: Mapping[str, Findings]) -> pd.DataFrame:
    """Runs as rows, questions as columns, the best of each named (Markdown). `found` is by run label."""
    words = text.SIDE_COLUMNS
    told = list(found.values())
    table = {words["run"]: [f"**{plain(label)}**" for label in found]}
    for key, size in (("one", 1), ("two", 2), ("three", 3)):
        values = [f.mean[size] for f in told]
        table[words[key]] = marked([text.percent(v) for v in values], smallest(values))
    errors = [f.queries.get("conjunction") for f in told]
    table[words["queries"]] = marked(
        [text.NOT_ASKED if e is None else text.percent(e) for e in errors], smallest(errors)
    )
    samples = [f.subsample.get(2) for f in told]
    table[words["sample"]] = marked(
        [text.NOT_ASKED if s is None else text.sample(s) for s in samples],
        smallest([None if s is None else -s for s in samples]),
    )
    return pd.DataFrame(table)


def columns(found: Sequence[ColumnFinding], titles: Mapping[str, str]) -> pd.DataFrame:
    """Column and distance, worst first."""
    return pd.DataFrame(
        {"Column": [titles[c.name] for c in found], "Distance": [text.percent(c.tvd) for c in found]}
    )


def column(found: ColumnFinding, labels: Sequence[str], title: str) -> pd.DataFrame:
    """Value, real share, synthetic share."""
    return pd.DataFrame(
        {
            title: list(labels),
            "Real": [f"{share * 100:.1f} %" for share in found.real],
            "Synthetic": [f"{share * 100:.1f} %" for share in found.synthetic],
        }
    )


def pairs(found: Sequence[PairFinding], titles: Mapping[str, str], *, most: int = 20) -> pd.DataFrame:
    """Pair and distance, the worst of them first."""
    shown = found[:most]
    return pd.DataFrame(
        {
            "Pair": [f"{titles[p.left]} and {titles[p.right]}" for p in shown],
            "Distance": [text.percent(p.tvd) for p in shown],
        }
    )


def scores(found: Sequence[Score], titles: Mapping[str, str]) -> pd.DataFrame:
    """Per predicted column the three scores and what was kept."""
    return pd.DataFrame(
        {
            "Predicted column": [titles[s.target] for s in found],
            "Score": [text.MEASURES[s.measure] for s in found],
            "Guessing": [f"{s.guess * 100:.1f} %" for s in found],
            "Learned on synthetic": [f"{s.synthetic * 100:.1f} %" for s in found],
            "Learned on real": [f"{s.real * 100:.1f} %" for s in found],
            "Kept": [text.kept(s.kept) for s in found],
        }
    )
