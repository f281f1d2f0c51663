"""Denoise noisy pairs: estimate the likely table of each pair, given a base estimate.

A table is its base plus a residual. The residual is a Gaussian process over the cells, R = D l + c. The
factor D, with D^2 = kappa^2 sigma base, determines the size of the error of a cell. The process l varies
smoothly along ordered columns (Laplace kernels of a short and a long range, with equal weights) and is
independent between the codes of other columns. The term c is the sampling error: the records are a sample,
and the variance of each cell's count is about its expected count. The estimate includes this part. The
parameter kappa is estimated from the energy of the residual that exceeds the energy of noise and sampling
error. The posterior mean of the residual, a Wiener filter, is computed by conjugate gradients. Then negative
and forbidden cells are set to zero, and the margins are restored by proportional fitting. Pairs of equal
shape are processed together.
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
from synth.models.estimates.proportional import with_margins
from synth.models.targets import Pair, Targets

REACHES = (2 / 32, 16 / 32)
"""Ranges of the kernels, as fractions of the number of codes of a column."""

LEAST_KAPPA = 1e-3
"""Minimum kappa^2, because a table without energy beyond its noise may still have a small error."""

FLOOR = 1e-3
"""Minimum expected count of a cell, in units of sigma."""

ITERATIONS = 30
"""Maximum number of steps of conjugate gradients."""

TOLERANCE = 1e-3
"""Fraction of the squared residual at which conjugate gradients stop."""

ROUNDS, LEAST_SUM = 3, 1e-12
"""Number of rounds of proportional fitting, and minimum sum of a row or column."""

SEEN = 3.0
"""Minimum energy of a dependent pair, in standard deviations of the noise's energy."""

EXPLAINED = 0.8
"""Minimum fraction of a pair's energy that a model's table must explain to replace independence."""

UNDECIDED = 0.6
"""Weight of a model's table that explains a smaller fraction."""

MISFIT = 6.0
"""Number of standard deviations of the noise's energy by which the misfit of a model's table exceeds the
misfit of independence when the weight of the table is halved.
"""

CHUNK = 1 << 16
"""Number of cells that are processed at once, so that they fit into a core's cache."""

Table = NDArray[np.float64]
_Operator = Callable[[Table], Table]


@dataclass(frozen=True)
class _Scale:
    """The parameters of a column's kernel: the number of codes, and the number of leading codes that are
    ordered.
    """

    size: int
    ordered: int

    def kernels(self) -> Table:
        """Return the covariances of l between codes. Shapes: float64[len(REACHES), size, size]."""
        steps = np.arange(self.size)
        apart = np.abs(steps[:, None] - steps)
        together = (steps[:, None] < self.ordered) & (steps < self.ordered)
        near = [np.where(together, np.exp(-apart / (reach * self.size)), apart == 0) for reach in REACHES]
        return np.array(near, dtype=np.float64)


def denoised(targets: Targets, base: Mapping[Pair, Table], *, strength: float = 1.0) -> dict[Pair, Table]:
    """Return likely counts of every measured pair, given a base estimate of it.

    Shapes: `base[pair]` and the result float64[sizes of the pair], in counts that sum to `targets.total`.
    Cells are empty if a structural zero inside the pair forbids them. `strength`: a factor for the estimated
    energy of the residual. Deterministic.
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
    """Return likely counts of every measured pair, given a model's tables, which may be wrong.

    The result is the mean of `denoised` around the model's table and around independence, weighted by the
    credibility of each. A copula represents only monotone relations, and the residual cannot be large in
    cells where the copula expects no records. In such cases, the denoised table differs from the measurement
    by more than noise, and it gets no weight. If the copula's table explains most of a pair's departure from
    independence, independence gets no weight.
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
    """Return the energy of the departure from a table that exceeds the energy of the noise, in standard
    deviations of the noise's energy.
    """
    noisy, (a, b) = targets.pairs[pair], pair
    residual = centred(
        noisy.counts - table, targets.columns[a] / targets.total, targets.columns[b] / targets.total
    )
    energy = float(np.square(residual).sum()) / noisy.sigma**2
    return (energy - table.size) / math.sqrt(2 * table.size)


def _alike(targets: Targets) -> Iterator[tuple[tuple[_Scale, _Scale], list[Pair]]]:
    """Yield groups of measured pairs that have the same shape and the same kernels."""
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
    """Return the denoised tables. Shapes: `rows` and `columns` float64[kernels, n, n]. The result is
    float64[pairs, n of a, n of b].
    """
    noisy = np.stack([targets.pairs[pair].counts for pair in pairs])
    guess = np.stack([base[pair] for pair in pairs])
    noise = np.array([targets.pairs[pair].sigma for pair in pairs])[:, None, None]
    p = np.stack([targets.columns[a] for a, _ in pairs])
    q = np.stack([targets.columns[b] for _, b in pairs])
    residual = centred(noisy - guess, p / targets.total, q / targets.total)
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
    likely = np.where(allowed, np.maximum(likely, 0.0), 0.0)
    return with_margins(likely, p, q, rounds=ROUNDS, least=LEAST_SUM)


def _solved(signal: _Operator, wanted: Table, noise: Table, diagonal: Table) -> Table:
    """Return x with signal(x) + noise x = wanted for each table, using the diagonal as a preconditioner."""
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
    """Return the inner products of tables. Shapes: float64[tables, 1, 1]."""
    return np.asarray(np.einsum("nij,nij->n", one, other)[:, None, None])


def allowed_in(targets: Targets, pair: Pair) -> NDArray[np.bool_]:
    """Return whether each cell of a pair can contain records."""
    clique: Clique = tuple(targets.domain.names[i] for i in pair)
    return allowed_cells(targets.domain, clique, targets.zeros)
