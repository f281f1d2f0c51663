"""Noisy pairs without most of their noise: what is likely of a table given a first guess of it.

A table is its base plus a residual. The residual is a Gaussian process over the cells, R = D l, where
D^2 = kappa^2 sigma base says how much a cell may be off and l varies smoothly along columns in order
(Laplace kernels of a short and a long reach, equal weights) and not at all along the others. kappa comes from
the residual's own energy beyond that of the noise. Its posterior mean, a Wiener filter, is found by conjugate
gradients; then cells below zero and forbidden ones are emptied and the margins restored by proportional
fitting. Pairs of equal shape are worked on together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.domain import Clique
from synth.generate.blas import one_thread
from synth.generate.correlations import centred
from synth.generate.targets import Pair, Targets
from synth.zeros import allowed_cells

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

CLEARLY = 3.0
"""Sigmas from which on a model's table is held to be too far from independence."""

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


def denoised(targets: Targets, base: Mapping[Pair, Table]) -> dict[Pair, Table]:
    """Likely counts of every measured pair, given a first guess of it.

    Shapes: `base[pair]` and the result float64[sizes of the pair], in counts that sum to `targets.total`.
    Cells that a zero inside the pair forbids are empty. Deterministic.
    """
    found: dict[Pair, Table] = {}
    with one_thread():
        for scales, pairs in _alike(targets):
            kernels = scales[0].kernels(), scales[1].kernels()
            step = max(1, CHUNK // (scales[0].size * scales[1].size))
            for start in range(0, len(pairs), step):
                some = pairs[start : start + step]
                tables = _denoised(targets, base, some, *kernels)
                found.update(zip(some, tables, strict=True))
    return {pair: found[pair] for pair in targets.pairs}


def blended_base(targets: Targets, tables: Mapping[Pair, Table]) -> dict[Pair, Table]:
    """For every measured pair a model's table, or, where that is clearly too far from independence, the
    mixture of both that is nearest to what was measured, in squares: a copula misses what is not monotone,
    and then leads astray."""
    bases: dict[Pair, Table] = {}
    for (a, b), told in targets.pairs.items():
        alone = np.outer(targets.columns[a], targets.columns[b]) / targets.total
        way = tables[a, b] - alone
        length = float((way * way).sum())
        part = float((way * (told.counts - alone)).sum()) / length if length > 0 else 1.0
        noise = told.sigma / length**0.5 if length > 0 else 0.0
        bases[a, b] = tables[a, b] if part > 1 - CLEARLY * noise else alone + max(part, 0.0) * way
    return bases


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
) -> Table:
    """Shapes: `rows` and `columns` float64[kernels, n, n]; returns float64[pairs, n of a, n of b]."""
    told = np.stack([targets.pairs[pair].counts for pair in pairs])
    guess = np.stack([base[pair] for pair in pairs])
    noise = np.array([targets.pairs[pair].sigma for pair in pairs])[:, None, None]
    p = np.stack([targets.columns[a] for a, _ in pairs])
    q = np.stack([targets.columns[b] for _, b in pairs])
    residual = centred(told - guess, p / targets.total, q / targets.total)
    width = np.maximum(guess, FLOOR * noise) * noise
    energy = ((residual**2 - noise**2) * width).sum(axis=(1, 2)) / (width**2).sum(axis=(1, 2))
    width = np.sqrt(width * np.maximum(energy, LEAST_KAPPA)[:, None, None])

    def signal(v: Table) -> Table:
        v = width * v
        near = sum(rows[k] @ v @ columns[k] for k in range(len(REACHES)))
        return np.asarray(width * near / len(REACHES))

    likely = guess + signal(_solved(signal, residual, noise**2, width**2 + noise**2))
    allowed = np.stack([_allowed(targets, pair) for pair in pairs])
    return _with_margins(np.where(allowed, np.maximum(likely, 0.0), 0.0), p, q)


def _solved(signal: _Operator, wanted: Table, noise: Table, diagonal: Table) -> Table:
    """x with signal(x) + noise x = wanted, for each table by itself; preconditioned by the diagonal."""
    x, left = np.zeros_like(wanted), wanted.copy()
    z = left / diagonal
    way, product = z, _dot(left, z)
    enough = TOLERANCE * _dot(wanted, wanted)
    for _ in range(ITERATIONS):
        turned = signal(way) + noise * way
        length = product / np.maximum(_dot(way, turned), 1e-300)
        x += length * way
        left -= length * turned
        if (_dot(left, left) <= enough).all():
            break
        z = left / diagonal
        before, product = product, _dot(left, z)
        way = z + product / np.maximum(before, 1e-300) * way
    return x


def _dot(one: Table, other: Table) -> Table:
    """Inner products of tables. Shapes: float64[tables, 1, 1]."""
    return np.asarray(np.einsum("nij,nij->n", one, other)[:, None, None])


def _allowed(targets: Targets, pair: Pair) -> NDArray[np.bool_]:
    clique: Clique = tuple(targets.domain.names[i] for i in pair)
    return allowed_cells(targets.domain, clique, targets.zeros)


def _with_margins(tables: Table, p: Table, q: Table) -> Table:
    """Proportional fitting. Shapes: `p` float64[tables, n of a], `q` float64[tables, n of b]."""
    for _ in range(ROUNDS):
        tables = tables * (p / np.maximum(tables.sum(axis=2), 1e-12))[:, :, None]
        tables = tables * (q / np.maximum(tables.sum(axis=1), 1e-12))[:, None, :]
    return tables
