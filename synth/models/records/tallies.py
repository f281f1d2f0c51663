"""Noisy measurements that count each record in one cell: tables and votes.

`weighed` finds the weights w of given records that minimise

    sum over measurements of |A w - y|^2 / (2 sigma^2)  +  CALM * KL(w, base),

where A sums the records of every cell. The weights of records in the same cell are multiplied by the same
factor, so the minimum is found cell by cell, for one measurement after another. Without noise, this is
iterative proportional fitting. With noise, the weight of a cell moves only part of the way to its noisy
count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.nearest import nearest, points_of
from synth.core.measurements.noisy import Measurement, NoisyNumbers

CALM = 0.1
"""Weight of the penalty that keeps weights near the initial weights. The values 0.03, 0.1 and 0.3 had almost
the same error on Artificial Characters at epsilon 1.
"""

NEWTON, LARGEST_STEP, LARGEST = 6, 3.0, 50.0
"""Number of Newton steps to the only root of an increasing function, the maximum step, and the maximum
logarithm of a factor.
"""

VOTES = "votes"
NOWHERE = -1

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tally:
    """Noisy counts of records by cell. `cell_of` maps int64[records, columns] to int64[records], with NOWHERE
    for records that are not counted. `variance`: of all cells, or float64[cells].
    """

    cell_of: Callable[[Codes], NDArray[np.int64]]
    counts: Floats
    variance: float | Floats


def tallies_of(evidence: Evidence) -> list[Tally]:
    """Return all tables to which models are fitted, followed by all votes, in the order of the queries."""
    domain = evidence.domain
    tables = [table_tally(m, domain) for m in evidence.measurements]
    return tables + [_of_votes(a, domain) for a in votes_of(evidence)]


def votes_of(evidence: Evidence) -> list[NoisyNumbers]:
    return [answer for answer in evidence.numbers if answer.requested.get("ask") == VOTES]


def candidates_of(answer: NoisyNumbers) -> Codes:
    """Return the records that were the candidates of a vote. Shapes: int64[candidates, columns of its
    clique].
    """
    return np.array(answer.requested["candidates"], dtype=np.int64)


def table_tally(m: Measurement, domain: Domain) -> Tally:
    axes = domain.axes(m.clique)
    groups = [
        np.array(m.groups[n]) if n in m.groups else np.arange(domain.sizes[domain.axis(n)]) for n in m.clique
    ]

    def cell_of(codes: Codes) -> NDArray[np.int64]:
        cells = np.zeros(len(codes), dtype=np.int64)
        for i, group_of, size in zip(axes, groups, m.counts.shape, strict=True):
            cells = cells * size + group_of[codes[:, i]]
        return cells

    return Tally(cell_of, m.counts.ravel().astype(np.float64), float(m.variance))


def counts_tally(clique: Clique, counts: Floats, variance: Floats, domain: Domain) -> Tally:
    """Return the tally for the counts of a clique in the domain's codes. Shapes: `counts` and `variance`
    float64[shape(clique)].
    """
    axes = domain.axes(clique)

    def cell_of(codes: Codes) -> NDArray[np.int64]:
        return np.asarray(np.ravel_multi_index(tuple(codes[:, axes].T), counts.shape), dtype=np.int64)

    return Tally(cell_of, counts.ravel(), variance.ravel())


def _of_votes(answer: NoisyNumbers, domain: Domain) -> Tally:
    requested, candidates = answer.requested, candidates_of(answer)
    clique, label, group_codes = requested["clique"], requested["label"], requested.get("groups", {})
    axes = domain.axes(clique)
    sizes = [max(group_codes[n]) + 1 if n in group_codes else domain.sizes[domain.axis(n)] for n in clique]
    points = [points_of(tuple(p), size) for p, size in zip(requested["places"], sizes, strict=True)]
    compared = [i for i, name in enumerate(clique) if name != label]
    groups = {i: np.array(group_codes[name]) for i, name in enumerate(clique) if name in group_codes}
    mine = candidates[:, clique.index(label)] if label else np.zeros(len(candidates), dtype=np.int64)

    def cell_of(codes: Codes) -> NDArray[np.int64]:
        coarse = codes[:, axes]
        for i, group_of in groups.items():
            coarse[:, i] = group_of[coarse[:, i]]
        theirs = coarse[:, clique.index(label)] if label else np.zeros(len(codes), dtype=np.int64)
        cells = np.full(len(codes), NOWHERE, dtype=np.int64)
        for part in np.unique(mine):
            some, among = np.flatnonzero(theirs == part), np.flatnonzero(mine == part)
            found = nearest(
                coarse[some][:, compared].T, candidates[among][:, compared].T, [points[i] for i in compared]
            )
            cells[some] = among[found]
        return cells

    return Tally(cell_of, answer.numbers.ravel(), answer.sigma**2)


def weighed(
    tallies: Sequence[Tally],
    codes: Codes,
    base: Floats,
    *,
    steps: int,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> Floats:
    """Return weights of the records after fitting them to all tallies. `base`: the initial weights. Shapes:
    `codes` int64[records, columns]; float64[records].
    """
    cells = [tally.cell_of(codes) for tally in tallies]
    sizes = [tally.counts.size for tally in tallies]
    firsts = np.concatenate([[0], np.cumsum(sizes)])
    factors, logs = np.zeros(firsts[-1]), np.log(np.maximum(base, 1e-300))
    for step in range(steps):
        missed, count = 0.0, 0
        for tally, cell, first, size in zip(tallies, cells, firsts, sizes, strict=False):
            counted = cell != NOWHERE
            sums = np.bincount(cell[counted], weights=np.exp(logs[counted]), minlength=size)
            held = np.asarray(sums, dtype=np.float64)
            some = held > 0
            old = factors[first : first + size]
            new = np.where(some, _factor(old, held, tally.counts, tally.variance), old)
            logs += _at(new - old, cell)
            factors[first : first + size] = new
            missed += float((np.square(held - tally.counts) / tally.variance)[some].sum())
            count += int(some.sum())
        on_step(step + 1, missed / max(count, 1))
    return np.exp(logs)


def _at(values: Floats, cell: NDArray[np.int64]) -> Floats:
    """Return the value of the cell of every record, or 0 for a record without a cell."""
    return np.where(cell == NOWHERE, 0.0, values[cell]) if len(values) else np.zeros(len(cell))


def _factor(old: Floats, held: Floats, noisy: Floats, variance: float | Floats) -> Floats:
    """Return the x that solves CALM x + (held exp(x - old) - noisy) / variance = 0, cell by cell."""
    x = old.copy()
    for _ in range(NEWTON):
        now = held * np.exp(x - old)
        step = (CALM * x + (now - noisy) / variance) / (CALM + now / variance)
        x -= np.clip(step, -LARGEST_STEP, LARGEST_STEP)
        np.clip(x, -LARGEST, LARGEST, out=x)
    return x
