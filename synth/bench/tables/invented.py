"""Tables of any size, for time and memory as functions of rows and columns.

`Grown`: as many rows as asked, drawn with replacement from a public coded table; every cell is drawn again
from its own column with probability 1 in 20, so that rows do not repeat and relations stay. `Chain`: as many
columns as asked, each leaning on the one before it, with sizes from 2 to 40 as real tables have them. Both
are written in blocks from a public seed, regardless of their size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

_SEED = 2026
_BLOCK = 1 << 17
"""Rows made at a time."""

_JITTER = 0.05
_LEANING = 0.7
SIZES = (2, 5, 16, 3, 40, 8, 2, 12, 25, 4)
"""Of a chain's columns, over and over."""


@dataclass(frozen=True, kw_only=True)
class Grown:
    """Rows like those of a coded table."""

    rows: int

    def blocks(self, codes: NDArray[np.integer]) -> Iterator[NDArray[np.int64]]:
        """Shapes: `codes` and every block int[rows, columns], the same columns."""
        rng = np.random.default_rng([_SEED, self.rows])
        for size in _block_sizes(self.rows):
            block = codes[rng.integers(0, len(codes), size)].astype(np.int64)
            for column in range(codes.shape[1]):
                moved = np.flatnonzero(rng.random(size) < _JITTER)
                block[moved, column] = codes[rng.integers(0, len(codes), len(moved)), column]
            yield block


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Columns in a row, each a function of its neighbour to the left seven times in ten."""

    columns: int
    rows: int = 50_000

    @property
    def sizes(self) -> dict[str, int]:
        """Codes of every column by its name."""
        return {f"c{i:03d}": SIZES[i % len(SIZES)] for i in range(self.columns)}

    def blocks(self) -> Iterator[NDArray[np.int64]]:
        """Shapes: int64[rows, columns]."""
        rng = np.random.default_rng([_SEED, self.columns])
        sizes = list(self.sizes.values())
        for rows in _block_sizes(self.rows):
            block = np.empty((rows, self.columns), dtype=np.int64)
            before, width = np.zeros(rows, dtype=np.int64), 1
            for i, size in enumerate(sizes):
                own = np.minimum(rng.geometric(2 / (size + 1), rows) - 1, size - 1)
                leaning = rng.random(rows) < (_LEANING if i else 0.0)
                block[:, i] = np.where(leaning, (before * size // width + 1) % size, own)
                before, width = block[:, i], size
            yield block


def write(blocks: Iterator[NDArray[np.int64]], names: list[str], to: Path) -> None:
    """A CSV file with a header."""
    schema = pa.schema([(name, pa.int64()) for name in names])
    options = pyarrow.csv.WriteOptions(quoting_style="none", quoting_header="none")
    with pyarrow.csv.CSVWriter(str(to), schema, write_options=options) as out:
        for block in blocks:
            columns = [pa.array(np.ascontiguousarray(column)) for column in block.T]
            out.write_batch(pa.record_batch(columns, schema=schema))


def _block_sizes(rows: int) -> Iterator[int]:
    for start in range(0, rows, _BLOCK):
        yield min(_BLOCK, rows - start)
