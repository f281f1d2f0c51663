"""Noisy pairs without most of their noise: what is likely of a table given a first guess of it.

A table is its base plus a residual. The residual is a Gaussian process over the cells, R = D l + c, where
D^2 = kappa^2 sigma base says how much a cell may be off and l varies smoothly along columns in order
(Laplace kernels of a short and a long reach, equal weights) and not at all along the others. c is chance: the
records are a sample, each cell's count has about its expected count for a variance, and is of use as it is.
kappa comes from the residual's own energy beyond that of noise and chance. The residual's posterior mean, a
Wiener filter, is found by conjugate gradients; then cells below zero and forbidden ones are emptied and the
margins restored by proportional fitting. Pairs of equal shape are worked on together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.zeros import allowed_cells
from synth.models.blas import one_thread
from synth.models.copula.correlations import centred
from synth.models.targets import Pair, Targets

REACHES = (2 / 32, 16 / 32)
"""Of the kernels, in parts of a column's codes."""

LEAST_KAPPA = 1e-3
"""Smallest kappa^2: a table with no energy beyond its noise may still be off a little."""

FLOOR = 1e-3
"""A cell counts as if at least so many sigmas of records were expected in it."""

ITERATIONS = 30
"""Most steps of conjugate gradients."""

TOLERANCE = 1e-3
"""Part of the squared residual at which they stop."""

ROUNDS = 3
"""Of proportional fitting."""

SEEN = 3.0
"""Standard deviations of the noise's energy from which on a pair is seen to be dependent."""

EXPLAINED = 0.8
"""Part of a pair's energy from which on a model's table explains it."""

UNDECIDED = 0.6
"""What a model's table is believed that explains less."""

MISFIT = 6.0
"""Standard deviations of the noise's energy by which a model's table may fit worse than independence and be
believed half as much."""

CHUNK = 1 << 16
"""Cells worked on at once: few enough for a core's cache."""

Table = NDArray[np.float64]
_Operator = Callable[[Table], Table]


@dataclass(frozen=True)
class _Scale:
    """What decides a column's kernel: how many codes it has, and how many of the first are in order."""

    size: int
    ordered: int

    def kernels(self) -> Table:
        """Covariances of l between codes. Shapes: float64[len(REACHES), size, size]."""
        steps = np.arange(self.size)
        apart = np.abs(steps[:, None] - steps)
        together = (steps[:, None] < self.ordered) & (steps < self.ordered)
        near = [np.where(together, np.exp(-apart / (reach * self.size)), apart == 0) for reach in REACHES]
        return np.array(near, dtype=np.float64)


def denoised(targets: Targets, base: Mapping[Pair, Table], *, strength: float = 1.0) -> dict[Pair, Table]:
    """Likely counts of every measured pair, given a first guess of it.

    Shapes: `base[pair]` and the result float64[sizes of the pair], in counts that sum to `targets.total`.
    Cells that a zero inside the pair forbids are empty. `strength`: times how much of the residual's energy
    its departures are taken to have. Deterministic.
    """
    found: dict[Pair, Table] = {}
    with one_thread():
        for scales, pairs in _alike(targets):
            kernels = scales[0].kernels(), scales[1].kernels()
            step = max(1, CHUNK // (scales[0].size * scales[1].size))
            for start in range(0, len(pairs), step):
                some = pairs[start : start + step]
                tables = _denoised(targets, base, some, *kernels, strength)
                found.update(zip(some, tables, strict=True))
    return {pair: found[pair] for pair in targets.pairs}


def likely_pairs(
    targets: Targets, tables: Mapping[Pair, Table], *, strength: float = 1.0
) -> dict[Pair, Table]:
    """Likely counts of every measured pair, given a model's tables that may be wrong: `denoised` around the
    model's table and around independence, averaged by how much either is to be believed.

    A copula misses what is not monotone, and where it expects no record a residual cannot be large; what is
    denoised around it then stays off the answer by more than noise, and gets no weight. Where it explains
    most of a pair's departure from independence, independence gets none.
    """
    alone = {
        (a, b): np.outer(targets.columns[a], targets.columns[b]) / targets.total for a, b in targets.pairs
    }
    by_model = denoised(targets, tables, strength=strength)
    by_columns = denoised(targets, alone, strength=strength)
    likely: dict[Pair, Table] = {}
    for pair in targets.pairs:
        excess, left = _misfit(targets, pair, alone[pair]), _misfit(targets, pair, tables[pair])
        explains = excess <= SEEN or max(left, 0.0) <= (1 - EXPLAINED) * excess
        worse = _misfit(targets, pair, by_model[pair])
        worse -= max(_misfit(targets, pair, by_columns[pair]), 0.0)
        part = (1.0 if explains else UNDECIDED) / (1 + math.exp(min(worse - MISFIT, 500.0)))
        likely[pair] = part * by_model[pair] + (1 - part) * by_columns[pair]
    return likely


def _misfit(targets: Targets, pair: Pair, table: Table) -> float:
    """Energy of the departure from a table beyond the noise's, in its standard deviations."""
    told, (a, b) = targets.pairs[pair], pair
    residual = centred(
        told.counts - table, targets.columns[a] / targets.total, targets.columns[b] / targets.total
    )
    energy = float(np.square(residual).sum()) / told.sigma**2
    return (energy - table.size) / math.sqrt(2 * table.size)


def _alike(targets: Targets) -> Iterator[tuple[tuple[_Scale, _Scale], list[Pair]]]:
    """Measured pairs that share their shape and kernels."""
    names = targets.domain.names
    scales = [
        _Scale(size, targets.ordered.get(name, 0))
        for name, size in zip(names, targets.domain.sizes, strict=True)
    ]
    alike: dict[tuple[_Scale, _Scale], list[Pair]] = {}
    for a, b in targets.pairs:
        alike.setdefault((scales[a], scales[b]), []).append((a, b))
    yield from alike.items()


def _denoised(
    targets: Targets,
    base: Mapping[Pair, Table],
    pairs: Sequence[Pair],
    rows: Table,
    columns: Table,
    strength: float,
) -> Table:
    """Shapes: `rows` and `columns` float64[kernels, n, n]; returns float64[pairs, n of a, n of b]."""
    told = np.stack([targets.pairs[pair].counts for pair in pairs])
    guess = np.stack([base[pair] for pair in pairs])
    noise = np.array([targets.pairs[pair].sigma for pair in pairs])[:, None, None]
    p = np.stack([targets.columns[a] for a, _ in pairs])
    q = np.stack([targets.columns[b] for _, b in pairs])
    residual = centred(told - guess, p / targets.total, q / targets.total)
    width = np.maximum(guess, FLOOR * noise) * noise
    chance = np.maximum(guess, 0.0)
    energy = ((residual**2 - noise**2 - chance) * width).sum(axis=(1, 2)) / (width**2).sum(axis=(1, 2))
    width = np.sqrt(width * np.maximum(strength * energy, LEAST_KAPPA)[:, None, None])

    def signal(v: Table) -> Table:
        wide = width * v
        near = sum(rows[k] @ wide @ columns[k] for k in range(len(REACHES)))
        return np.asarray(width * near / len(REACHES) + chance * v)

    likely = guess + signal(_solved(signal, residual, noise**2, width**2 + chance + noise**2))
    allowed = np.stack([allowed_in(targets, pair) for pair in pairs])
    return with_margins(np.where(allowed, np.maximum(likely, 0.0), 0.0), p, q)


def _solved(signal: _Operator, wanted: Table, noise: Table, diagonal: Table) -> Table:
    """x with signal(x) + noise x = wanted, for each table by itself; preconditioned by the diagonal."""
    x, left = np.zeros_like(wanted), wanted.copy()
    z = left / diagonal
    way, product = z, _dot(left, z)
    enough = TOLERANCE * _dot(wanted, wanted)
    for _ in range(ITERATIONS):
        far = _dot(left, left) > enough
        if not far.any():
            break
        turned = signal(way) + noise * way
        length = np.where(far, product / np.maximum(_dot(way, turned), 1e-300), 0.0)
        x += length * way
        left -= length * turned
        z = left / diagonal
        before, product = product, _dot(left, z)
        way = z + product / np.maximum(before, 1e-300) * way
    return x


def _dot(one: Table, other: Table) -> Table:
    """Inner products of tables. Shapes: float64[tables, 1, 1]."""
    return np.asarray(np.einsum("nij,nij->n", one, other)[:, None, None])


def allowed_in(targets: Targets, pair: Pair) -> NDArray[np.bool_]:
    """Which cells of a pair some record may fall into."""
    clique: Clique = tuple(targets.domain.names[i] for i in pair)
    return allowed_cells(targets.domain, clique, targets.zeros)


def with_margins(tables: Table, p: Table, q: Table) -> Table:
    """Proportional fitting. Shapes: `tables` float64[..., a, b], `p` float64[..., a], `q` float64[..., b]."""
    for _ in range(ROUNDS):
        tables = tables * (p / np.maximum(tables.sum(axis=-1), 1e-12))[..., :, None]
        tables = tables * (q / np.maximum(tables.sum(axis=-2), 1e-12))[..., None, :]
    return tables
