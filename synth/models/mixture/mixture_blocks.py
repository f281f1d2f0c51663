"""Blocks of columns in a mixture. Columns of a common structural zero form one joint block that contains only
the allowed cells, and every other column is a separate block.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from synth.core.domain import Domain
from synth.core.zeros import Zero, allowed_cells

BLOCK_CELLS = 1_000
"""Maximum number of allowed cells of a joint block. Every component has a weight for each of them. Larger
blocks take more time without being more accurate.
"""

LISTED_CELLS = 1 << 22
"""Maximum number of cells of a block, including forbidden cells, for which the allowed cells are
enumerated.
"""

Shares = NDArray[np.float32]
"""Array with one row per cell or code and one column per component."""

CACHED = 1 << 16
"""Number of values that are processed at a time, so that the arrays of a step fit into the CPU cache."""


@dataclass(frozen=True, eq=False)
class Block:
    """The positions of some columns, and their allowed cells. Shapes: `cells` intp[cells, columns], codes."""

    columns: tuple[int, ...]
    cells: NDArray[np.intp]

    def place(self, column: int) -> NDArray[np.intp]:
        """Return the codes of `column` in all cells."""
        return self.cells[:, self.columns.index(column)]


@dataclass(frozen=True, eq=False)
class Batch:
    """Consecutive blocks that are processed together: several small blocks in one chunk of cells, or one
    block in one or more chunks.

    Shapes: `starts` intp[blocks], `block_of` intp[cells]. Both are counted from the first block or cell of
    the batch.
    """

    chunks: tuple[slice, ...]
    starts: NDArray[np.intp]
    block_of: NDArray[np.intp]

    @property
    def span(self) -> slice:
        """The range of the cells of all blocks of the batch."""
        return slice(self.chunks[0].start, self.chunks[-1].stop)

    def nothing(self, shares: Shares) -> Shares:
        """Return zeros as the initial sums of all blocks. Shapes: float32[blocks, K]."""
        return np.zeros((len(self.starts), shares.shape[1]), dtype=shares.dtype)

    def gathered(self, ufunc: np.ufunc, part: Shares) -> Shares:
        """Reduce values of the cells of the batch, or of one chunk, to one value per block. Shapes:
        float32[blocks, K].
        """
        if len(self.starts) == 1:
            return np.asarray(ufunc.reduce(part, axis=0, keepdims=True))
        return np.asarray(ufunc.reduceat(part, self.starts, axis=0))

    def spread(self, whole: Shares) -> Shares:
        """Return, for every cell in a chunk, the value of its block. Shapes: float32[cells, K], or [1, K] for
        one block.
        """
        return whole if len(self.starts) == 1 else whole[self.block_of]


@dataclass(frozen=True, eq=False)
class Blocks:
    """All columns of a domain, divided into blocks. The cells of all blocks are numbered consecutively, and
    so are the codes of all columns. `left`: the zeros that are too large for a block; the caller must repair
    drawn records.

    Raises: ValueError in `of` if the zeros leave a block without cells.
    """

    domain: Domain
    blocks: tuple[Block, ...]
    left: tuple[Zero, ...]

    @classmethod
    def of(cls, domain: Domain, zeros: Sequence[Zero]) -> Blocks:
        """Build the blocks. Zeros with common columns are joined, smaller zeros first, while the number of
        cells of the block is within its limits.
        """
        joined: list[set[str]] = [{name} for name in domain.names]
        left: list[Zero] = []
        tied = [z for z in zeros if len(z.clique) > 1 and z.forbidden.any()]
        for zero in sorted(tied, key=lambda z: z.forbidden.size):
            touched = [names for names in joined if not names.isdisjoint(zero.clique)]
            union = set().union(*touched)
            inside = [z for z in zeros if set(z.clique) <= union]
            if _fits(domain, domain.clique(union), inside):
                joined = [names for names in joined if names not in touched] + [union]
            else:
                left.append(zero)
        cliques = sorted((domain.clique(names) for names in joined), key=lambda r: domain.axis(r[0]))
        blocks = tuple(
            Block(domain.axes(r), np.argwhere(allowed_cells(domain, r, zeros)).astype(np.intp))
            for r in cliques
        )
        if any(len(block.cells) == 0 for block in blocks):
            raise ValueError("the structural zeros leave a column no possible value")
        return cls(domain, blocks, tuple(left))

    @cached_property
    def firsts(self) -> NDArray[np.intp]:
        """The position of the first cell of each block, and finally the number of all cells."""
        return np.concatenate([[0], np.cumsum([len(b.cells) for b in self.blocks])]).astype(np.intp)

    @property
    def size(self) -> int:
        """The number of cells of all blocks."""
        return int(self.firsts[-1])

    @cached_property
    def block_of(self) -> NDArray[np.intp]:
        """The block number of every cell."""
        return np.repeat(np.arange(len(self.blocks)), np.diff(self.firsts))

    def batches(self, components: int) -> list[Batch]:
        """Return all blocks in batches whose chunks fit into the CPU cache."""
        most = max(1, CACHED // components)
        batches, begin, firsts = list[Batch](), 0, self.firsts.tolist()
        for end in range(1, len(self.blocks) + 1):
            first, last = firsts[begin], firsts[end]
            if end < len(self.blocks) and firsts[end + 1] - first <= most:
                continue
            chunks = tuple(slice(at, min(at + most, last)) for at in range(first, last, most))
            batches.append(Batch(chunks, self.firsts[begin:end] - first, self.block_of[first:last] - begin))
            begin = end
        return batches

    @cached_property
    def home(self) -> dict[int, int]:
        """The block number of every column."""
        return {column: number for number, block in enumerate(self.blocks) for column in block.columns}

    def span(self, number: int) -> slice:
        """Return the range of the cells of a block."""
        return slice(int(self.firsts[number]), int(self.firsts[number + 1]))

    def codes(self, shares: NDArray[np.floating]) -> NDArray[np.floating]:
        """Convert values of cells to values of codes: sum them over the other columns of each block."""
        return shares if self._joins is None else np.asarray(self._joins @ shares)

    def cells(self, gradient: NDArray[np.floating]) -> NDArray[np.floating]:
        """Apply the transpose of `codes`: sum the values of the codes of every cell."""
        return gradient if self._joins is None else np.asarray(self._joins.T @ gradient)

    def inner(self, a: int, b: int) -> tuple[slice, NDArray[np.intp]] | None:
        """Return the cells of a block, and the position of each cell in the pair, if both columns are in this
        block. Otherwise, return None.
        """
        if self.home[a] != self.home[b]:
            return None
        block = self.blocks[self.home[a]]
        return self.span(self.home[a]), block.place(a) * self.domain.sizes[b] + block.place(b)

    @cached_property
    def _joins(self) -> csr_array | None:
        """Matrix of zeros and ones with one row per code and one column per cell. It is None if every code is
        a single cell with the same number.
        """
        firsts = np.concatenate([[0], np.cumsum(self.domain.sizes)])
        rows = [firsts[list(block.columns)] + block.cells for block in self.blocks]
        if self.size == firsts[-1] and all(len(block.columns) == 1 for block in self.blocks):
            return None
        columns = np.repeat(np.arange(self.size), [r.shape[1] for r in rows for _ in range(len(r))])
        ones = np.ones(columns.size, dtype=np.float32)
        flat = np.concatenate([r.reshape(-1) for r in rows])
        return csr_array((ones, (flat, columns)), shape=(int(firsts[-1]), self.size))


def _fits(domain: Domain, clique: tuple[str, ...], zeros: Sequence[Zero]) -> bool:
    if math.prod(domain.shape(clique)) > LISTED_CELLS:
        return False
    return int(allowed_cells(domain, clique, zeros).sum()) <= BLOCK_CELLS
