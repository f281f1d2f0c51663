"""The same numbers as the charts, as tables to read or to hear."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from synth.ui import text
from synth.ui.released import ColumnView, PairBound, ResidualView


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
