"""Fit a mixture of products to noisy one-way tables and pair tables.

The model has K components with equal probability. Component k draws every column, or every block of columns
with a common structural zero, independently from P_k. With P[codes, K], all pair tables are one product, G =
P P^T / K. The fit minimises

    sum over pairs ||N G_ab - y_ab||^2 / (2 sigma_ab^2)
        + sum over columns ||N mean_k P_a - y_a||^2 / (2 sigma_a^2)
        + kappa mean_k KL(P_k || p),              kappa = `pull` N / median sigma of the pairs,

where p is the model of independent columns. The last term is the dual of the ridge of `pgm.fit`: a cell whose
departure from independence is only noise remains near independence. Gradient: R = (N G - Y) / sigma^2 on
measured pairs, dP = R P. The fit uses Adam (`descent`) on the logits of P, along the natural gradient: the
factor P of the softmax gradient is omitted, so that a cell with a value near zero can grow again.

Related work: the network of MargNet (arXiv, see `margnet`) has such a mixture as its output. Here the logits
are the parameters, and the KL term replaces the implicit smoothing of the network.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from synth.core.progress import Reporter, silent
from synth.models.blas import one_thread
from synth.models.mixture.descent import AGAIN, MixtureOptions, descended
from synth.models.mixture.mixture_blocks import Batch, Blocks, Shares
from synth.models.targets import Targets

SPREAD = 0.3
"""Initial standard deviation of the logits around the logits of the columns. Only components that differ at
the start can separate.
"""

LEAST_COUNT = 0.3
"""Minimum count of a code in the independent model, as a multiple of min(1, sigma)."""

CHUNK_CODES = 256
"""Number of codes that are processed together with all later columns, so that their tables fit into a
cache.
"""


MOST_PULL = 8.0
"""Maximum weight of the independent model."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """Components over blocks of columns. Shapes: `logits` float32[cells of all blocks, K]. `pull`: the weight
    of the independent model in its fit.
    """

    blocks: Blocks
    logits: Shares
    pull: float = MixtureOptions.pull

    @property
    def components(self) -> int:
        """The number of components K."""
        return int(self.logits.shape[1])

    @cached_property
    def cells(self) -> Shares:
        """The distribution of every block in every component. Shapes: float32[cells of all blocks, K]."""
        return softmax(self.blocks.batches(self.components), self.logits)[0]

    @cached_property
    def codes(self) -> Shares:
        """The distribution of every column. Shapes: float32[codes of all columns, K]."""
        return np.asarray(self.blocks.codes(self.cells), dtype=np.float32)

    def pair_shares(self) -> NDArray[np.float32]:
        """Return all pair tables at once, in the numbering of `Targets`. Shapes: float32[codes, codes].

        The table of a column with itself is the diagonal matrix of its distribution. For n codes in total,
        the result takes 4 n^2 bytes.
        """
        with one_thread():
            tables = self.codes @ self.codes.T
        tables /= np.float32(self.components)
        domain, firsts = self.blocks.domain, np.concatenate([[0], np.cumsum(self.blocks.domain.sizes)])
        mean = self.cells.mean(axis=1)
        for block in self.blocks.blocks:
            for a in block.columns:
                for b in block.columns:
                    found = self.blocks.inner(a, b)
                    assert found is not None
                    shape = domain.sizes[a], domain.sizes[b]
                    inner = np.bincount(found[1], weights=mean[found[0]], minlength=math.prod(shape))
                    tables[firsts[a] : firsts[a + 1], firsts[b] : firsts[b + 1]] = inner.reshape(shape)
        return np.asarray(tables)

    def table(self, axes: Sequence[int]) -> NDArray[np.float64]:
        """Return the joint distribution of the columns at the given positions, in this order. Shapes:
        float64[their sizes].
        """
        sizes, order = self.blocks.domain.sizes, list[int]()
        whole = np.ones((1, self.components))
        for number in dict.fromkeys(self.blocks.home[a] for a in axes):
            mine = [a for a in axes if self.blocks.home[a] == number]
            block, cells = self.blocks.blocks[number], self.cells[self.blocks.span(number)].astype(np.float64)
            key = np.ravel_multi_index([block.place(a) for a in mine], [sizes[a] for a in mine])
            shape = math.prod(sizes[a] for a in mine), len(key)
            part = csr_array((np.ones(len(key)), (key, np.arange(len(key)))), shape=shape) @ cells
            order += mine
            if len(order) == len(axes):
                whole = whole @ part.T / self.components
                table = whole.reshape([sizes[a] for a in order])
                return np.asarray(table.transpose([order.index(a) for a in axes]))
            whole = (whole[:, None] * part[None]).reshape(-1, self.components)
        return np.asarray(whole.mean(axis=1).reshape(()))

    def draw(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the same number of records from each component, in random order. Shapes: int64[rows, columns].

        Within a component, the counts of every block differ from their expectation by less than one
        (systematic sampling, as in `rounding`), and the blocks are combined at random.
        """
        number = self.components
        each = -(-rows // number)
        kept = np.ones((number, each), dtype=bool)
        kept[rng.permutation(number)[: number * each - rows], 0] = False
        records = np.empty((rows, len(self.blocks.domain)), dtype=np.int64)
        order = rng.permutation(rows)
        for at, block in enumerate(self.blocks.blocks):
            shares = self.cells[self.blocks.span(at)].T.astype(np.float64)
            below = np.cumsum(shares, axis=1)
            below *= each / below[:, -1:]
            below += rng.random((number, 1))
            np.floor(below, out=below)
            np.minimum(below, each, out=below)
            below[:, -1] = each
            counts = below.astype(np.int64)
            counts[:, 1:] -= counts[:, :-1].copy()
            drawn = np.repeat(np.tile(np.arange(len(block.cells)), number), counts.reshape(-1))
            drawn = rng.permuted(drawn.reshape(number, each), axis=1)
            records[:, list(block.columns)] = block.cells[drawn[kept][order]]
        return records


def softmax(batches: Sequence[Batch], logits: Shares) -> tuple[Shares, Shares]:
    """Return the distribution of every block in every component, and its logarithm."""
    shares, logs = np.empty_like(logits), np.empty_like(logits)
    for batch in batches:
        top, whole = batch.gathered(np.maximum, logits[batch.span]), batch.nothing(logits)
        for rows in batch.chunks:
            np.subtract(logits[rows], batch.spread(top), out=logs[rows])
            np.exp(logs[rows], out=shares[rows])
            whole += batch.gathered(np.add, shares[rows])
        for rows in batch.chunks:
            shares[rows] /= batch.spread(whole)
            logs[rows] -= batch.spread(np.log(whole))
    return shares, logs


def fit_mixture(
    targets: Targets,
    *,
    options: MixtureOptions | None = None,
    rng: np.random.Generator,
    start: Mixture | None = None,
    unseen: Targets | None = None,
    report: Reporter = silent,
) -> Mixture:
    """Fit a mixture to the targets. `rng` draws the initial values. If `start` is an earlier mixture with the
    same number of components over the same cells, the fit continues from it instead. The number of steps
    and the pull are those of the options, or they are chosen by independent measurements of the same pairs
    (`unseen`).

    `report` is called every few seconds, with the loss (`_Problem.loss`).

    Raises: ValueError if zeros leave a column no value.
    """
    decided = (options or MixtureOptions()).decided(targets)
    blocks = Blocks.of(targets.domain, targets.zeros)
    shape = blocks.size, decided.components
    with one_thread():
        problem = _Problem(targets, blocks, decided)
        logits = problem.independent[:, None] + np.float32(SPREAD) * rng.standard_normal(
            shape, dtype=np.float32
        )
        if start is not None and start.logits.shape == shape and start.blocks.domain == blocks.domain:
            logits = start.logits
        if unseen is None:
            return Mixture(blocks, descended(problem, decided, logits, report), decided.pull)
        apart = _Problem(unseen, blocks, decided)
        fitted = Mixture(blocks, descended(problem, decided, logits, report, unseen=apart), decided.pull)
        return _shrunk(fitted, problem, apart, report)


def _shrunk(mixture: Mixture, problem: _Problem, unseen: _Problem, report: Reporter) -> Mixture:
    """Double the pull and continue the fit, as long as the distance to unseen measurements decreases. The
    noise of wide tables needs a stronger pull.
    """
    least = unseen.loss(mixture.logits)
    while (pull := 2 * mixture.pull) <= MOST_PULL:
        options = replace(AGAIN, components=mixture.components, pull=pull)
        further = descended(problem.with_pull(pull), options, mixture.logits, report, unseen=unseen)
        if (distance := unseen.loss(further)) >= least:
            break
        least, mixture = distance, replace(mixture, logits=further, pull=pull)
    return mixture


@dataclass(frozen=True, eq=False)
class _Chunk:
    """Consecutive columns, paired with themselves and all later columns.

    Shapes: `shares` float32[codes of the chunk, codes from `first` on], noisy pair tables divided by the
    total. `weights` float32[columns of the chunk, codes from `first` on], total / sigma^2, or 0 for
    unmeasured pairs. `rows`: the codes of the chunk that belong to each of its columns.
    """

    first: int
    last: int
    rows: tuple[slice, ...]
    shares: NDArray[np.float32]
    weights: NDArray[np.float32]


class _Problem:
    """The objective divided by the total, and its natural gradient in the logits."""

    def __init__(self, targets: Targets, blocks: Blocks, options: MixtureOptions) -> None:
        total = targets.total
        self._blocks, self._total = blocks, total
        self._batches = blocks.batches(options.components)
        self._shares = targets.shares.astype(np.float32)
        weights = [total / s**2 if math.isfinite(s) else 0.0 for s in targets.sigmas]
        self._weights = np.repeat(weights, targets.domain.sizes).astype(np.float32)
        finite = [s for s in targets.sigmas if math.isfinite(s)]
        noise = targets.typical_sigma if targets.pairs else float(np.median(finite or [1.0]))
        self._noise, self.kappa = noise, np.float32(options.pull / noise)
        least = np.repeat([min(LEAST_COUNT, LEAST_COUNT * s) for s in targets.sigmas], targets.domain.sizes)
        logs = np.log(np.maximum(targets.shares, least / total)).astype(np.float32)
        self.independent = np.asarray(blocks.cells(logs), dtype=np.float32)
        self.independent -= np.log(np.add.reduceat(np.exp(self.independent), blocks.firsts[:-1]))[
            blocks.block_of
        ]
        self._inner = []
        for (a, b), table in targets.pairs.items():
            if found := blocks.inner(a, b):
                wanted = (table.counts.reshape(-1) / total).astype(np.float32)
                self._inner.append((*found, wanted, np.float32(total / table.sigma**2)))
        self._chunks = [_chunk(targets, blocks, columns) for columns in _groups(targets)]

    def with_pull(self, pull: float) -> _Problem:
        """Return the same problem with another weight of the independent model."""
        other = copy(self)
        other.kappa = np.float32(pull / self._noise)
        return other

    def gradient(self, logits: Shares) -> Shares:
        """Return the natural gradient. Shapes: float32[cells of all blocks, K], the shape of the logits."""
        blocks = self._blocks
        cells, logs = softmax(self._batches, logits)
        codes = np.asarray(blocks.codes(cells), dtype=np.float32)
        slope = np.empty_like(codes)
        slope[:] = (self._weights * (codes.mean(axis=1) - self._shares))[:, None]
        for chunk in self._chunks:
            self._pairs(chunk, codes, slope)
        slope = np.asarray(blocks.cells(slope), dtype=np.float32)
        if self._inner:
            mean = cells.mean(axis=1)
            for span, place, wanted, weight in self._inner:
                off = np.bincount(place, weights=mean[span], minlength=wanted.size).astype(np.float32)
                slope[span] += (weight * (off - wanted))[place][:, None]
        for batch in self._batches:
            along = batch.nothing(logits)
            for rows in batch.chunks:
                pulled = logs[rows]
                pulled -= self.independent[rows, None]
                pulled *= self.kappa
                slope[rows] += pulled
                along += batch.gathered(np.add, cells[rows] * slope[rows])
            for rows in batch.chunks:
                slope[rows] -= batch.spread(along)
        return slope

    def loss(self, logits: Shares) -> float:
        """Return the mean squared distance between measured cells and their measurements, in units of their
        noise variance. It is about 1 if the model equals the true table.
        """
        cells, _ = softmax(self._batches, logits)
        codes, mean = np.asarray(self._blocks.codes(cells), dtype=np.float32), cells.mean(axis=1)
        squares = float(self._weights @ np.square(codes.mean(axis=1) - self._shares))
        measured = float(np.count_nonzero(self._weights))
        for chunk in self._chunks:
            once = np.ones(codes.shape[0] - chunk.first)
            once[: chunk.last - chunk.first] = 0.5  # pairs inside a chunk occur in both orders
            for part, weights in _apart(
                chunk, codes[chunk.first : chunk.last] @ codes[chunk.first :].T, codes.shape[1]
            ):
                squares += float(np.square(part).sum(axis=0) @ (weights * once))
                measured += len(part) * float((weights > 0) @ once)
        for span, place, wanted, weight in self._inner:
            off = np.bincount(place, weights=mean[span], minlength=wanted.size) - wanted
            squares += float(weight * np.square(off).sum())
            measured += wanted.size
        return self._total * squares / max(measured, 1.0)

    @staticmethod
    def _pairs(chunk: _Chunk, codes: Shares, slope: Shares) -> None:
        here, later = codes[chunk.first : chunk.last], codes[chunk.first :]
        off = here @ later.T
        for part, weights in _apart(chunk, off, codes.shape[1]):
            part *= weights
        slope[chunk.first : chunk.last] += off @ later
        width = chunk.last - chunk.first
        if len(later) > width:
            slope[chunk.last :] += off[:, width:].T @ here


def _apart(
    chunk: _Chunk, sums: NDArray[np.float32], components: int
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Yield, for every column, the difference between the model's shares and the noisy shares of its pairs,
    and the weights of this difference. `sums` is modified. It contains the products of the chunk's codes with
    all codes from the chunk's first code on, summed over components.
    """
    scale = np.float32(1 / components)
    for rows, weights in zip(chunk.rows, chunk.weights, strict=True):
        part = sums[rows]
        part *= scale
        part -= chunk.shares[rows]
        yield part, weights


def _groups(targets: Targets) -> list[range]:
    """Return groups of consecutive columns with about `CHUNK_CODES` codes in total, without unmeasured
    columns at either end.
    """
    groups, begin = [], 0
    for column in range(len(targets.domain)):
        if targets.firsts[column + 1] - targets.firsts[begin] >= CHUNK_CODES:
            groups.append(range(begin, column + 1))
            begin = column + 1
    if begin < len(targets.domain):
        groups.append(range(begin, len(targets.domain)))
    return groups


def _chunk(targets: Targets, blocks: Blocks, columns: range) -> _Chunk:
    first, last = int(targets.firsts[columns.start]), int(targets.firsts[columns.stop])
    shares = np.zeros((last - first, int(targets.firsts[-1]) - first), dtype=np.float32)
    weights = np.zeros((len(columns), shares.shape[1]), dtype=np.float32)
    rows = []
    for at, i in enumerate(columns):
        own = targets.span(i)
        rows.append(slice(own.start - first, own.stop - first))
        for j in range(columns.start, len(targets.domain)):
            table = targets.pairs.get((min(i, j), max(i, j)))
            if table is None or i == j or blocks.home[i] == blocks.home[j]:
                continue
            other = slice(targets.span(j).start - first, targets.span(j).stop - first)
            shares[rows[-1], other] = (table.counts if i < j else table.counts.T) / targets.total
            weights[at, other] = targets.total / table.sigma**2
    return _Chunk(first, last, tuple(rows), shares, weights)
