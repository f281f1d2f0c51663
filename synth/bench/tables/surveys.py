"""Public tables of values in codes: two surveys, on which no constant of the default was tuned, and diamonds.

`insured` is the RAND Health Insurance Experiment (public domain): visits to a doctor, the terms of the
insurance, and health. `married` is a survey of married women (Fair 1978, "A theory of extramarital affairs").
Both are read from the files of statsmodels. Ranges and codes are those of its documentation.

`diamonds` has prices and measurements of 53,940 diamonds, from ggplot2, whose documentation has the ranges
and the order of the grades. Price and carat have 30 and 24 codes: equal steps of the logarithm of the range.
The other steps are 0.25 mm and 2 percentage points.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_MILLIMETRES = tuple(np.arange(0.25, 11, 0.25).tolist())

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
    "diamonds": {
        "carat": tuple(np.geomspace(0.2, 5.01, 25)[1:-1].tolist()),
        "cut": (1, 2, 3, 4),
        "color": (1, 2, 3, 4, 5, 6),
        "clarity": (1, 2, 3, 4, 5, 6, 7),
        "depth": tuple(range(45, 79, 2)),
        "table": tuple(range(45, 95, 2)),
        "price": tuple(np.geomspace(326, 18_823, 31)[1:-1].tolist()),
        "x": _MILLIMETRES,
        "y": _MILLIMETRES,
        "z": _MILLIMETRES,
    },
}
"""The smallest value of each code after the first. Grades are numbered from 0."""

_GRADES = {
    "cut": ("Fair", "Good", "Very Good", "Premium", "Ideal"),
    "color": ("J", "I", "H", "G", "F", "E", "D"),
    "clarity": ("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"),
}
"""The grades of diamonds, from the lowest to the highest."""

SIZES = {name: {column: len(cuts) + 1 for column, cuts in table.items()} for name, table in _CUTS.items()}


def blocks(name: str, published: Path) -> Iterator[NDArray[np.int64]]:
    """Return the published rows in codes, as one block. Shapes: int64[rows, columns]."""
    frame = pd.read_csv(published)
    for column in _GRADES.keys() & {*frame}:
        frame[column] = frame[column].map(_GRADES[column].index)
    codes = [np.searchsorted(cuts, frame[column], side="right") for column, cuts in _CUTS[name].items()]
    yield np.stack(codes, axis=1).astype(np.int64)
