"""The same numbers as the charts, as tables to read or to hear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from synth.project.released import ColumnView, Held, PairBound, ResidualView
from synth.project.runs import StartedRun
from synth.ui import text
from synth.ui.text import results as results_words
from synth.ui.text import run as run_words


def marginal(view: ColumnView) -> pd.DataFrame:
    """Label, synthetic count, noisy count, half-width."""
    columns: dict[str, list[object]] = {
        view.title: list(view.labels),
        "Synthetic": [round(v) for v in view.synthetic],
    }
    if view.noisy is not None:
        columns["Noisy count"] = [round(v) for v in view.noisy]
        columns["Noise, plus or minus"] = [round(view.whisker, 1)] * len(view.labels)
    return pd.DataFrame(columns)


def bounds(pairs: Sequence[PairBound]) -> pd.DataFrame:
    """Pair, bound, kind; the loosest first, those without a bound at the top."""
    ordered = sorted(pairs, key=lambda p: -1.0 if p.share is None else 1.0 - p.share)
    return pd.DataFrame(
        {
            "Pair": [p.name for p in ordered],
            "At most": ["no bound" if p.share is None else text.share(p.share) for p in ordered],
            "How it is known": [p.kind for p in ordered],
        }
    )


def residuals(views: Sequence[ResidualView]) -> pd.DataFrame:
    """Per measured table: cells, largest residual, how many beyond three sigmas."""
    return pd.DataFrame(
        {
            "Measured table": [v.name for v in views],
            "Cells": [len(v.sigmas) for v in views],
            "Largest, in sigma": [round(max(map(abs, v.sigmas), default=0.0), 2) for v in views],
            "Beyond three": [sum(abs(z) > 3 for z in v.sigmas) for v in views],
        }
    )


def budget_lines(lines: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """Parts of a lifetime budget, one column per bar."""
    parts = list(dict.fromkeys(part for line in lines.values() for part in line))
    told = {name: [text.share(line.get(part, 0.0)) for part in parts] for name, line in lines.items()}
    return pd.DataFrame({"Part": parts, **told})


def runs(ordered: Sequence[StartedRun]) -> pd.DataFrame:
    """Run, method, promise, state, price, the time of its last news."""
    return pd.DataFrame(
        {
            "Run": [o.run for o in ordered],
            "Method": [o.method for o in ordered],
            "Epsilon": [f"{o.epsilon:g}" for o in ordered],
            "State": [run_words.STATES[o.state] for o in ordered],
            "Spent": ["" if o.spent is None else text.rho(o.spent) for o in ordered],
            "Last news (UTC)": [o.at.replace("T", " ")[:16] for o in ordered],
        }
    )


def rules(held: Sequence[Held], *, rows: int) -> pd.DataFrame:
    """Rule, where it comes from, and how many of the synthetic rows break it (Markdown)."""
    return pd.DataFrame(
        {
            "Rule": [text.plain(rule.sentence) for rule in held],
            "From": [results_words.STATED if rule.stated else results_words.FOLLOWS for rule in held],
            "Rows that break it": [results_words.broken(rule.rows, rows) for rule in held],
        }
    )
