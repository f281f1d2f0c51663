"""Fit a graphical model to noisy tables, with a ridge penalty towards independence.

Private-PGM (McKenna, Sheldon, Miklau 2019) finds the model whose marginals are closest to the noisy tables:
it minimises sum_k ||M_k(p) - y_k||^2 / sigma_k^2. Difference: this module minimises

    N KL(p || base) + sum_k ||M_k(p) - y_k||^2 / (2 c sigma_k),

where the base is the model of independent columns with the measured one-way tables. At the optimum, M_k(p) =
y_k - c sigma_k l_k, where l_k is the log-factor of the table. Cells are thus shrunk towards the base in
proportion to their noise, whereas the paper's objective fits the noise. The dual is smooth and strictly
convex, and is solved by preconditioned L-BFGS. A fit stops when its gradient is a given small fraction of the
noise, because a more precise fit would only reproduce noise.
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
from synth.core.progress import Reporter, silent
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
"""Minimum and maximum number of steps that a search stores, and the maximum number of stored values. More
steps are better.
"""

APPROACH, STAGE = 8, 25
"""Number of sweeps before the first estimate of the curvature, and between two estimates."""


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """Options of a fit. The ridges were tuned on Adult at epsilon 0.1, 1 and 10. The error changes little
    around these values.

    `tolerance`: the root mean square of gradient / sigma below which the fit stops; 0.3 suffices between
    rounds. `ridge`, `ridge_one_way`: the penalty of a table's log-factor, in units of its sigma. `base`:
    whether the model is shrunk towards independence of the noisy one-way tables instead of the uniform table.
    `slope`: the penalty of a difference between the log-factors of neighbouring codes of an ordered column,
    in units of the table's own ridge, because dependence along ordered columns is mostly smooth. `sweeps`:
    the maximum number of propagations of a fit.
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
) -> PGM:
    """Fit a graphical model to measurements of any cliques. The model contains every column of the domain.

    `total`: the number of records, at least 1. `zeros`: forbidden cells, which get probability 0 in the
    model; measured counts of these cells are ignored. `start`: an earlier model whose log-factors are the
    starting point of the search; the optimum does not depend on it. `ordered`: the number of leading codes of
    a column that are ordered, for `FitOptions.slope`. `report` is called every few seconds. The result is
    deterministic, bit for bit.

    Raises: ValueError if the zeros forbid all records, or if shapes do not fit the domain.
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
        pulse, calls = Pulse("fitting the model", options.sweeps, report), count(1)

        def reported(point: Vector) -> Evaluation:
            pulse.on_step(next(calls), None)
            return objective(point)

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
    """Return the optimum. If there are few cells, the search has several stages, each of which starts by
    estimating the curvature.
    """
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
    """Yield every table with the range of its cells in the vector of all cells."""
    first = 0
    for e in tables:
        yield e, slice(first, first := first + e.counts.size)


def _spread(tables: Sequence[MergedTable], values: Sequence[float]) -> Vector:
    """Repeat the value of each table for each of its cells."""
    return np.repeat(np.array(values, dtype=np.float64), [e.counts.size for e in tables])


def _ridge(table: MergedTable, options: FitOptions) -> float:
    return table.ridge * (options.ridge_one_way if len(table.clique) == 1 else options.ridge)


def _smoothness(
    domain: Domain, tables: Sequence[MergedTable], ordered: Mapping[str, int], options: FitOptions
) -> sparse.csr_array | None:
    """Return the penalty on differences between neighbouring codes of ordered columns, for every table of two
    or more columns.
    """
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
    """Return the log-probabilities of the one-way tables, and 0 for all other cells. The one-way tables are
    the non-negative tables closest to the noisy counts.

    A cell gets at least a small fraction of its noise, because it may contain records.
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
"""Minimum value of a possible cell in the base, as a fraction of the one-way table's sigma."""


def _start(domain: Domain, tables: Sequence[MergedTable], start: PGM | None, *, base: Vector) -> Vector:
    """Return the log-factors of the earlier model for the cliques that both models contain, and the base for
    all other cliques.
    """
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
    """Return the log-factors of each clique, with axes in domain order."""
    return {
        e.clique: np.transpose(
            log_factors[cells].reshape(e.counts.shape), np.argsort(in_layout(domain, e.clique))
        )
        for e, cells in _spans(tables)
    }
