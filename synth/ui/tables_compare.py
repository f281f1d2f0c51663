"""Runs as rows, questions as columns; the best of each question named, and no score over all of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from synth.check.unseen import Missed
from synth.project.compare import Standing
from synth.project.released import ColumnView
from synth.ui.best import TIGHT, level, marked, smallest
from synth.ui.text import compare as text
from synth.ui.text import plain, share


def standings(found: Sequence[Standing], counted: str) -> pd.DataFrame:
    """The comparison, in Markdown. `counted` says what a count counts."""
    bounds = [None if s.bound is None else round(s.bound, 3) for s in found]
    table = {
        text.RUN: [f"**{plain(s.run.name).replace(' ', TIGHT)}** {plain(s.run.method)}" for s in found],
        text.PAID: [f"{s.run.epsilon:g}" for s in found],
        text.COLUMNS.format(counted=counted): _missed([s.columns for s in found]),
        text.PAIRS.format(counted=counted): _missed([s.pairs for s in found]),
        text.BOUND: marked([_bound(s) for s in found], smallest(bounds)),
        text.BROKEN: _counts([s.release.broken for s in found]),
        text.FLAGS: _counts([len(s.release.flags) for s in found]),
    }
    return pd.DataFrame(table)


def _bound(standing: Standing) -> str:
    if standing.bound is None:
        return text.NOTHING
    return share(standing.bound) + text.without(standing.unbound)


def column(views: Sequence[tuple[str, ColumnView]]) -> pd.DataFrame:
    """One column's synthetic counts, a column of the table per run."""
    first = views[0][1]
    counts = {name: [f"{v:,.0f}" for v in view.synthetic] for name, view in views}
    return pd.DataFrame({first.title: list(first.labels), **counts})


def _counts(values: Sequence[int]) -> list[str]:
    return marked([f"{v:,}" for v in values], smallest([float(v) for v in values]))


def _missed(values: Sequence[Missed | None]) -> list[str]:
    best = level(values, key=lambda m: m.square, ties=lambda one, other: one.ties(other))
    return marked([text.NOTHING if m is None else text.off(m.counts, lost=m.is_lost) for m in values], best)
