"""Synthetic tables and what is shown of them, without a run."""

from pathlib import Path
from typing import Any

import pandas as pd

from synth.app.project.results.released import ColumnView, ReleaseView, Residuals
from synth.app.project.runs import SyntheticTable

WARD = ColumnView(
    name="ward",
    title="Ward",
    labels=("a", "b", "(blank)"),
    synthetic=(30.0, 12.0, 0.0),
    noisy=(28.0, 15.0, -4.0),
    whisker=(6.5, 6.5, 6.5),
    people=True,
)
PRICE: dict[str, float] = {"epsilon": 1.0, "delta": 1e-9}


def table_of(number: int, **facts: Any) -> SyntheticTable:
    """The table of run `number`, at half as much epsilon."""
    names = {"run": f"r{number}", "source": f"r{number}", "method": "a*b", "day": "2026-11-22"}
    usual = {"number": number, "columns": 2, "folder": Path("/"), "epsilon": number / 2, "delta": 1e-7}
    return SyntheticTable(**names | usual | facts)


def release_of(**facts: Any) -> ReleaseView:
    """A release of nothing but these facts."""
    empty = {"columns": (), "pairs": (), "residuals": Residuals(), "flags": (), "held": (), "rows": 10}
    usual = {"sample": pd.DataFrame(), "measured": 1, "confidence": 0.95, "noise_saved": 0.4}
    return ReleaseView(**empty | usual | PRICE | facts)
