"""Tables of any size, to measure time and memory as functions of rows and columns.

`Grown`: any number of rows, drawn with replacement from a public coded table. Every cell is replaced,
with probability 1/20, by a random cell of its column, so that rows do not repeat and relations remain.
`Chain`: any number of columns, each of which depends on the previous one, with 2 to 40 codes as in real
tables. Both are written in blocks of constant size, from a public seed.
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
"""Number of rows per block."""

_JITTER = 0.05
_LEANING = 0.7
SIZES = (2, 5, 16, 3, 40, 8, 2, 12, 25, 4)
"""Numbers of codes of the first ten columns of a chain. Further columns repeat them."""


@dataclass(frozen=True, kw_only=True)
class Grown:
    """Any number of rows that resemble the rows of a coded table."""

    rows: int

    def blocks(self, codes: NDArray[np.integer]) -> Iterator[NDArray[np.int64]]:
        """Yield the rows in blocks. Shapes: `codes` and every block int[rows, columns], with the same
        columns.
        """
        rng = np.random.default_rng([_SEED, self.rows])
        for size in _block_sizes(self.rows):
            block = codes[rng.integers(0, len(codes), size)].astype(np.int64)
            for column in range(codes.shape[1]):
                moved = np.flatnonzero(rng.random(size) < _JITTER)
                block[moved, column] = codes[rng.integers(0, len(codes), len(moved)), column]
            yield block


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Columns in a chain. Each is equal to a function of its left neighbour with probability 0.7."""

    columns: int
    rows: int = 50_000

    @property
    def sizes(self) -> dict[str, int]:
        """Return the number of codes of every column by name."""
        return {f"c{i:03d}": SIZES[i % len(SIZES)] for i in range(self.columns)}

    def blocks(self) -> Iterator[NDArray[np.int64]]:
        """Yield the rows in blocks. Shapes: int64[rows, columns]."""
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
    """Write a CSV file with a header."""
    schema = pa.schema([(name, pa.int64()) for name in names])
    options = pyarrow.csv.WriteOptions(quoting_style="none", quoting_header="none")
    with pyarrow.csv.CSVWriter(str(to), schema, write_options=options) as out:
        for block in blocks:
            columns = [pa.array(np.ascontiguousarray(column)) for column in block.T]
            out.write_batch(pa.record_batch(columns, schema=schema))


def _block_sizes(rows: int) -> Iterator[int]:
    for start in range(0, rows, _BLOCK):
        yield min(_BLOCK, rows - start)
