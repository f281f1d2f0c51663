"""Artificial Characters (UCI, 1992) as a table of codes: seven numbers of a stroke, and which of ten letters
it belongs to. Numbers are cut into 32 equal steps of ranges that were declared by looking at the public
file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

STEPS = 32
TARGET = "Class"
_LETTERS, _STROKES, _LONGEST = 10, 8, 80.0
_WIDTH = {**dict.fromkeys(("V2", "V3", "V4", "V5", "V6"), 64 / STEPS), "V7": _LONGEST / STEPS}
"""Of a step, from zero on; what lies beyond counts in the first or the last one."""

SIZES = {"V1": _STROKES, **dict.fromkeys(_WIDTH, STEPS), TARGET: _LETTERS}


def blocks(published: Iterable[Path]) -> Iterator[NDArray[np.int64]]:
    """The published rows in these codes, a block per file. Shapes: int64[rows, 8]."""
    for file in published:
        frame = pd.read_csv(file)
        codes = {"V1": frame["V1"].to_numpy(), TARGET: frame[TARGET].to_numpy() - 1}
        codes |= {name: np.floor(frame[name].to_numpy() / width) for name, width in _WIDTH.items()}
        table = np.stack([codes[name].astype(np.int64) for name in SIZES], axis=1)
        yield np.clip(table, 0, np.array(list(SIZES.values())) - 1)
