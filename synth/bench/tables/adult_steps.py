"""Adult as the MargNet paper has it: fifteen columns, numbers in at most 32 steps, so many rows.

The paper's 32,384 rows are some of the 48,842 that UCI publishes in two files; which ones is not stated, so a
public seed draws as many. Its steps are not stated either: here they are equal and cover what UCI documents.
Age and hours are its two columns in order, all others are names to it, schooling twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.core.schema import Schema

ROWS = 32_384
STEPS = 32
ORDERED = ("age", "hours-per-week")

_RANGES = {
    "age": (17, 91),
    "fnlwgt": (0, 1_500_000),
    "capital-gain": (0, 100_000),
    "capital-loss": (0, 5_000),
    "hours-per-week": (1, 100),
}
"""From the least to below the most."""

_SEED = 2024


def sizes_of(declared: Schema) -> dict[str, int]:
    """Codes of every column of raw Adult as declared; a blank is a code of its own."""
    return {
        c.name: STEPS if c.name in _RANGES else len(_values(declared, c.name)) + c.blank
        for c in declared.columns
    }


def blocks(published: Sequence[Path], declared: Schema, *, rows: int = ROWS) -> Iterator[NDArray[np.int64]]:
    """So many of the published rows in these codes, as one block. Shapes: int64[rows, 15]."""
    frame = pd.concat([_read(path, declared) for path in published], ignore_index=True)
    chosen = np.random.default_rng(_SEED).permutation(len(frame))[:rows]
    columns = [_codes(frame[c.name].iloc[chosen], declared, c.name) for c in declared.columns]
    yield np.stack(columns, axis=1)


def _values(declared: Schema, name: str) -> tuple[str, ...]:
    column = next(c for c in declared.columns if c.name == name)
    if column.kind.has_range:
        assert column.min is not None and column.max is not None
        return tuple(str(v) for v in range(int(column.min), int(column.max) + 1))
    return tuple(str(v) for v in column.values)


def _codes(texts: pd.Series, declared: Schema, name: str) -> NDArray[np.int64]:
    if name in _RANGES:
        low, high = _RANGES[name]
        steps = np.floor((texts.astype(np.float64).to_numpy() - low) / (high - low) * STEPS)
        return np.clip(steps, 0, STEPS - 1).astype(np.int64)
    values = _values(declared, name)
    codes = {value: i for i, value in enumerate(values)}
    return np.asarray([codes.get(text, len(values)) for text in texts], dtype=np.int64)


def _read(path: Path, declared: Schema) -> pd.DataFrame:
    """A file of UCI's as texts; the second one begins with a comment and ends its labels with a full stop."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.rstrip(".").split(", ") for line in lines if line.count(",") == len(declared.columns) - 1]
    return pd.DataFrame(rows, columns=pd.Index([c.name for c in declared.columns]))
