"""Two public surveys in codes, on which no constant of the default was tuned.

`insured` is the RAND Health Insurance Experiment (public domain): visits to a doctor, the terms of the
insurance, and health. `married` is a survey of married women (Fair 1978, "A theory of extramarital affairs").
Both are read from the files of statsmodels. Ranges and codes are those of its documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_CUTS: dict[str, dict[str, tuple[float, ...]]] = {
    "insured": {
        "mdvis": tuple(range(1, 32)),
        "lncoins": (2.0, 3.6, 4.2, 4.59),
        "idp": (0.5,),
        "lpi": tuple(np.arange(0.5, 8, 0.5).tolist()),
        "fmde": tuple(np.arange(0.5, 9, 0.5).tolist()),
        "physlm": (0.5,),
        "disea": tuple(range(2, 60, 2)),
        "hlthg": (0.5,),
        "hlthf": (0.5,),
        "hlthp": (0.5,),
    },
    "married": {
        "rate_marriage": (2, 3, 4, 5),
        "age": (20, 25, 30, 35, 40),
        "yrs_married": (1, 4, 8, 11, 15, 20),
        "children": (1, 2, 3, 4, 5),
        "religious": (2, 3, 4),
        "educ": (12, 14, 16, 17, 20),
        "occupation": (2, 3, 4, 5, 6),
        "occupation_husb": (2, 3, 4, 5, 6),
        "affairs": (1e-9, 0.25, 0.5, 1, 2, 4, 8, 16, 32),
    },
}
"""The smallest value of each code after the first."""

SIZES = {name: {column: len(cuts) + 1 for column, cuts in table.items()} for name, table in _CUTS.items()}


def blocks(name: str, published: Path) -> Iterator[NDArray[np.int64]]:
    """Return the published rows in codes, as one block. Shapes: int64[rows, columns]."""
    frame = pd.read_csv(published)
    codes = [np.searchsorted(cuts, frame[column], side="right") for column, cuts in _CUTS[name].items()]
    yield np.stack(codes, axis=1).astype(np.int64)
