"""From noisy tables to the graphical model that explains them: a ridge towards independence.

Private-PGM (McKenna, Sheldon, Miklau 2019) asks for the model whose marginals are nearest to the noisy
tables, sum_k ||M_k(p) - y_k||^2 / sigma_k^2. Differs in: we minimise

    N KL(p || base) + sum_k ||M_k(p) - y_k||^2 / (2 c sigma_k),

base being what the one-way tables alone say of independent columns. At the optimum M_k(p) = y_k - c sigma_k
l_k, l_k the table's log-factor: cells are pulled towards the base by about as much as their noise deserves,
where the paper's problem follows the noise. The dual is smooth and strictly convex and is solved by
preconditioned L-BFGS; a fit stops when its gradient is a given small part of the noise, since more
precision would model noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.core.progress import UNSAVED, Checkpoint, Reporter, silent
from synth.core.zeros import Zero
from synth.models.blas import one_thread
from synth.models.estimates.simplex import project_onto_simplex
from synth.models.pgm.curvature import FEW, sampled_inverse
from synth.models.pgm.lbfgs import Evaluation, Minimum, Search, Vector, minimise
from synth.models.pgm.merging import Estimate, MergedTable, in_layout, merge, zero_factors
from synth.models.pgm.model import PGM, FitReport
from synth.models.pgm.objective import RidgeDual, Slope, smoothness
from synth.models.pgm.propagation import Propagation
from synth.models.pgm.schedule import Schedule
from synth.models.pulse import Pulse

FEWEST_PAIRS, MOST_PAIRS, MEMORY = 12, 150, 1 << 20
"""Steps that a search remembers: the more the better, in at most so many numbers of each kind."""

STATE = "log_factors"
"""The name of what a fit saves."""

APPROACH, STAGE = 8, 25
"""Sweeps before the curvature is first estimated, and between two estimates."""


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How a model is fitted. The ridges were chosen on Adult at epsilon 0.1, 1 and 10, where the error is
    flat around them.

    `tolerance`: stop when the root mean square of gradient / sigma falls below it; 0.3 does between rounds.
    `ridge`, `ridge_one_way`: the penalty of a table's log-factor in units of its sigma.
    `base`: pull towards independence of the noisy one-way tables rather than towards the uniform table.
    `slope`: the penalty of a step of a log-factor between neighbouring codes of an ordered column, in units
    of the table's own ridge; relations along such columns are mostly smooth.
    `sweeps`: most propagations a fit may use.
    """

    tolerance: float = 0.05
    ridge: float = 0.4
    ridge_one_way: float = 1.5
    base: bool = True
    slope: float = 0.0
    sweeps: int = 400

    def __post_init__(self) -> None:
        positive = (self.ridge, self.ridge_one_way, self.tolerance, self.sweeps)
        if not (self.slope >= 0 and all(value > 0 for value in positive)):
            raise ValueError("the options of a fit must all be positive")


def fit(
    domain: Domain,
    measurements: Iterable[Measurement | Estimate],
    *,
    zeros: Iterable[Zero] = (),
    total: float,
    start: PGM | None = None,
    ordered: Mapping[str, int] | None = None,
    options: FitOptions | None = None,
    report: Reporter = silent,
    checkpoint: Checkpoint = UNSAVED,
) -> PGM:
    """Fit a graphical model to measurements of any cliques; every column of the domain is in the model.

    `total`: number of records, at least 1. `zeros`: forbidden cells, exactly impossible in the model; what a
    measurement says about impossible cells is left out. `start`: an earlier model whose log-factors are where
    the search begins; the optimum does not depend on it. `ordered`: how many first codes of a column are in
    order, for `FitOptions.slope`. `report` and `checkpoint` get a word every few seconds. Deterministic, bit
    for bit, where nothing was saved.
    ValueError if nothing is possible under the zeros, or shapes do not fit the domain.
    """
    options = options or FitOptions()
    if not (math.isfinite(total) and total > 0):
        raise ValueError("the total of a model must be positive")
    with one_thread():
        tables = merge(domain, measurements)
        forbidding = zero_factors(domain, zeros)
        masks = [_mask(domain, clique) for clique in [*(e.clique for e in tables), *forbidding]]
        schedule = Schedule.of(domain, masks, len(tables))
        propagation = Propagation(schedule)
        fixed = _flat(list(forbidding.values()))
        cells = sum(e.counts.size for e in tables)
        free = np.ones(cells, dtype=np.bool_)
        if forbidding:
            free = propagation.learn_support(np.concatenate([np.zeros(cells), fixed]))
        base = _base(tables, free, total=total) if options.base else np.zeros(cells)
        objective = RidgeDual(
            propagation=propagation,
            counts=_flat([e.counts for e in tables]),
            sigma=_spread(tables, [e.sigma for e in tables]),
            penalty=_spread(tables, [e.sigma * _ridge(e, options) for e in tables]),
            base=base,
            fixed=fixed,
            free=free.astype(np.float64),
            total=total,
            smoothness=_smoothness(domain, tables, ordered or {}, options) if options.slope else None,
        )
        begin = (_start(domain, tables, start, base=base) - base) * free
        pulse, calls = Pulse(STATE, "fitting the model", options.sweeps, report, checkpoint), count(1)

        def reported(point: Vector) -> Evaluation:
            pulse.told(next(calls), None, lambda: point)
            return objective(point)

        saved = pulse.saved()
        begin = begin if saved is None or saved.shape != begin.shape else saved
        minimum = _search(objective, begin, options, reported)
        log_factors = base + minimum.point
        if not minimum.is_latest:
            propagation.sweep(np.concatenate([log_factors, fixed]))
    return PGM(
        domain=domain,
        total=total,
        tree=schedule.tree,
        beliefs=tuple(propagation.beliefs),
        log_partition=propagation.log_partition,
        potentials=_potentials(domain, tables, log_factors),
        report=FitReport(converged=minimum.converged, sweeps=minimum.evaluations, residual=minimum.residual),
    )


def _search(
    objective: RidgeDual, start: Vector, options: FitOptions, pulse: Callable[[Vector], Evaluation]
) -> Minimum:
    """The optimum; with few cells in stages, each with the curvature where it begins."""
    search = Search(
        tolerance=options.tolerance,
        evaluations=options.sweeps,
        memory=min(MOST_PAIRS, max(FEWEST_PAIRS, MEMORY // max(start.size, 1))),
    )
    if start.size > FEW:
        return minimise(pulse, start, residual=objective.residual, search=search)
    inverse, used = None, 0
    while True:
        stage = replace(search, evaluations=min(STAGE if inverse else APPROACH, search.evaluations - used))
        minimum = minimise(pulse, start, residual=objective.residual, search=stage, inverse=inverse)
        used += minimum.evaluations
        is_stuck = minimum.evaluations < stage.evaluations
        if minimum.converged or is_stuck or used == search.evaluations:
            return replace(minimum, evaluations=used)
        if not minimum.is_latest:
            objective(minimum.point)
        inverse, start = sampled_inverse(objective), minimum.point


def _mask(domain: Domain, clique: Clique) -> int:
    return sum(1 << i for i in domain.axes(clique))


def _flat(tables: Sequence[NDArray[np.float64]]) -> Vector:
    return np.concatenate([table.reshape(-1) for table in tables]) if tables else np.empty(0)


def _spans(tables: Sequence[MergedTable]) -> Iterator[tuple[MergedTable, slice]]:
    """Every table with its cells in the vector of all."""
    first = 0
    for e in tables:
        yield e, slice(first, first := first + e.counts.size)


def _spread(tables: Sequence[MergedTable], values: Sequence[float]) -> Vector:
    """One value per table, repeated for each of its cells."""
    return np.repeat(np.array(values, dtype=np.float64), [e.counts.size for e in tables])


def _ridge(table: MergedTable, options: FitOptions) -> float:
    return table.ridge * (options.ridge_one_way if len(table.clique) == 1 else options.ridge)


def _smoothness(
    domain: Domain, tables: Sequence[MergedTable], ordered: Mapping[str, int], options: FitOptions
) -> sparse.csr_array | None:
    """The penalty on steps along ordered columns of every table but the one-ways."""
    slopes: list[Slope] = []
    for e, cells in _spans(tables):
        columns = [e.clique[i] for i in in_layout(domain, e.clique)]
        slopes += [
            Slope(
                first=cells.start,
                shape=e.counts.shape,
                axis=axis,
                steps=ordered[name] - 1,
                weight=options.slope * e.sigma * _ridge(e, options),
            )
            for axis, name in enumerate(columns)
            if len(columns) > 1 and ordered.get(name, 0) > 2
        ]
    return smoothness(slopes, sum(e.counts.size for e in tables)) if slopes else None


def _base(tables: Sequence[MergedTable], free: NDArray[np.bool_], *, total: float) -> Vector:
    """Log-probabilities of the one-way tables, nearest non-negative ones to the noisy counts; 0 elsewhere.

    A cell is never given less than a small part of its noise: it may well exist.
    """
    base = np.zeros(free.size)
    for e, cells in _spans(tables):
        allowed = free[cells]
        if len(e.clique) == 1:
            counts = project_onto_simplex(e.counts[allowed], total)
            counts += min(FLOOR * e.sigma, total / counts.size)
            base[cells][allowed] = np.log(counts / counts.sum())
    return base


FLOOR = 0.1
"""Part of a one-way table's sigma that the base grants to every possible cell."""


def _start(domain: Domain, tables: Sequence[MergedTable], start: PGM | None, *, base: Vector) -> Vector:
    """The earlier model's log-factors for the cliques it shares with this one; the base for the others."""
    if start is None:
        return base
    if start.domain != domain:
        raise ValueError("a fit can only start from a model of the same domain")
    point = base.copy()
    for e, cells in _spans(tables):
        if e.clique in start.potentials:
            known = np.transpose(start.potentials[e.clique], in_layout(domain, e.clique))
            point[cells] = known.reshape(-1)
    return point


def _potentials(
    domain: Domain, tables: Sequence[MergedTable], log_factors: Vector
) -> dict[Clique, NDArray[np.float64]]:
    """The log-factors by clique, axes back in domain order."""
    return {
        e.clique: np.transpose(
            log_factors[cells].reshape(e.counts.shape), np.argsort(in_layout(domain, e.clique))
        )
        for e, cells in _spans(tables)
    }
