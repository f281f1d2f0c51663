"""Bank Marketing as a table of eleven ordered columns: numbers in at most 32 steps of public ranges, months
and education as ranks, yes and no as 1 and 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_STEPS = 32
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SCHOOLS = ("unknown", "primary", "secondary", "tertiary")
_RANGES = {"age": (18, 98), "balance": (-2000, 14000), "duration": (0, 1600), "pdays": (-1, 415)}
"""Ranges that are divided into equal steps. Larger values belong to the last step."""

SIZES = {
    "age": _STEPS,
    "balance": _STEPS,
    "day": 31,
    "duration": _STEPS,
    "campaign": _STEPS,
    "pdays": _STEPS,
    "previous": _STEPS,
    "month": len(_MONTHS),
    "education": len(_SCHOOLS),
    "housing": 2,
    "y": 2,
}


def blocks(published: Path) -> Iterator[NDArray[np.int64]]:
    """Return the published rows in the codes of this table, as one block. Shapes: int64[45,211, 11]."""
    frame = pd.read_csv(published, sep=None, engine="python")
    codes = {
        name: np.floor((frame[name].to_numpy() - low) / (high - low) * _STEPS)
        for name, (low, high) in _RANGES.items()
    }
    codes |= {"day": frame["day"].to_numpy() - 1, "campaign": frame["campaign"].to_numpy() - 1}
    codes |= {"previous": frame["previous"].to_numpy()}
    for name, values in (("month", _MONTHS), ("education", _SCHOOLS)):
        codes[name] = frame[name].map({value: i for i, value in enumerate(values)}).to_numpy()
    codes |= {name: (frame[name] == "yes").to_numpy() for name in ("housing", "y")}
    table = np.stack([codes[name].astype(np.int64) for name in SIZES], axis=1)
    yield np.clip(table, 0, np.array(list(SIZES.values())) - 1)
