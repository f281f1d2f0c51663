"""What a method that weighs all pairs asks first: columns, then how far every pair is from independence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.answers import Measurement, NoisyScores
from synth.domain import Clique, Domain
from synth.generate.coarse import Coarsening
from synth.generate.columns import one_ways
from synth.generate.total import estimate_total
from synth.measure.questions import Marginal, Scores
from synth.measure.score import L1Gap
from synth.measure.source import Source
from synth.mechanisms.answers import evidence_of
from synth.mechanisms.base import Problem
from synth.progress import Progress
from synth.select.coarsening import coarsen, kinds_of
from synth.select.split import one_way_share

ROUGH = 0.005
"""Part of rho for a first idea of the number of records; the answer counts in the fit as well."""

LOOKING = 0.05
"""Part of rho for the errors of all pairs: a number per pair is far easier to learn than a table."""

LEAST_SIGMAS = 5.0
"""Groups hold at least this many sigmas of a typical pair's cell: a lighter one could show its relations to
other columns only if it fell into a single cell of theirs."""

CLEAR = 2.5
"""While looking, groups hold at least this many roots of the number of records: then a pair has so few cells
that chance alone makes it differ from independence by a third of the records at most."""

MEASURED = 0.4
"""The part of all pairs that typically gets measured, for what a typical pair's noise will be."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FirstLook:
    """The answers about columns, and about the distance of every pair from what they expect of it.

    `weights`: the pairs of the workload; without one there are no `scores`. `columns`: the likely counts of
    each column's codes. `expected`: float64[groups of the pair], counts under independence. `typical`: sigma
    of a pair at an even price, in counts. `share`: the part of the price that the columns took.
    """

    measured: tuple[Measurement, ...]
    weights: Mapping[Clique, float]
    columns: Mapping[str, NDArray[np.float64]]
    expected: Mapping[Clique, NDArray[np.float64]]
    scores: tuple[NoisyScores, ...]
    total: float
    typical: float
    share: float


def first_look(
    source: Source, problem: Problem, *, columns_share: float = 0.0, looking_share: float = LOOKING
) -> FirstLook:
    """Ask for a rough number of records, for every column, and for how far every pair is from independence.

    `columns_share`: the part of the price for columns, 0 for what `select.split.one_way_share` says. Privacy:
    measurements, and one batch of scores of sensitivity 1 each.
    """
    domain, budget = source.domain, source.left.rho
    weights = {r: w for r, w in problem.workload.candidates().items() if len(r) == 2}
    smallest = min(domain.names, key=lambda name: domain.sizes[domain.axis(name)])
    measured = source.ask([(Marginal((smallest,)), ROUGH * budget)])
    if not weights:
        share = 1.0
    elif columns_share:
        share = max(columns_share - ROUGH, ROUGH)
    else:
        rough = source.terms.total or estimate_total(measured)
        share = one_way_share(domain.sizes, total=rough, sigma=source.terms.sigma(budget))
    measured += measured_columns(source, problem, min(share * budget, source.left.rho))
    total = source.terms.total or estimate_total(measured)
    columns = likely_columns(measured, source, problem)
    expected: dict[Clique, NDArray[np.float64]] = {}
    scores: tuple[NoisyScores, ...] = ()
    typical = math.inf
    if weights:
        looking = looking_share * budget
        typical = source.terms.sigma((source.left.rho - looking) / (MEASURED * len(weights)))
        least = max(LEAST_SIGMAS * typical, CLEAR * math.sqrt(total))
        seen = coarsened(domain, columns, problem, runs=least, heaps=least)
        expected = independent(seen, columns, tuple(weights), total)
        problem.report(Progress(stage="score", done=share, fact=f"looking at {len(weights)} pairs"))
        scores = source.ask([(Scores(_gaps(expected), groups=seen.groups), looking)])
    return FirstLook(
        measured=measured,
        weights=weights,
        columns=columns,
        expected=expected,
        scores=scores,
        total=total,
        typical=typical,
        share=share,
    )


def likely_columns(
    measured: Sequence[Measurement], source: Source, problem: Problem
) -> dict[str, NDArray[np.float64]]:
    """The likely counts of every column by what was measured of it."""
    return {name: e.counts for name, e in one_ways(evidence_of(measured, source, problem)).items()}


def measured_columns(source: Source, problem: Problem, rho: float) -> tuple[Measurement, ...]:
    """Every column once, at prices that sum to rho."""
    parts = np.array(source.domain.sizes, dtype=float) ** (2 / 3)
    prices = (parts / parts.sum() * rho).tolist()
    problem.report(Progress(stage="columns", done=0.0, fact=f"measuring {len(prices)} columns"))
    one_ways = [Marginal((name,)) for name in source.domain.names]
    return source.ask(list(zip(one_ways, prices, strict=True)))


def coarsened(
    domain: Domain, columns: Mapping[str, NDArray[np.float64]], problem: Problem, *, runs: float, heaps: float
) -> Coarsening:
    """Groups of at least so many records: runs of columns in order, heaps of the others' rare codes."""
    groupings = (
        coarsen(
            name,
            columns[name],
            least=runs if name in problem.ordered else heaps,
            ordered=problem.ordered.get(name, 0),
            kinds=kinds_of(domain, name, problem.zeros),
        )
        for name in domain.names
    )
    return Coarsening(domain, tuple(g for g in groupings if g is not None))


def independent(
    coarsening: Coarsening, columns: Mapping[str, NDArray[np.float64]], pairs: Sequence[Clique], total: float
) -> dict[Clique, NDArray[np.float64]]:
    """Expected counts of pairs under independence of the noisy columns."""
    shares = {name: coarsening.sum(counts, (name,)) / total for name, counts in columns.items()}
    return {(a, b): total * np.outer(shares[a], shares[b]) for a, b in pairs}


def _gaps(expected: Mapping[Clique, NDArray[np.float64]]) -> L1Gap:
    """How far each pair is from independence, in counts."""
    return L1Gap(
        cliques=tuple(expected),
        estimates=tuple(expected.values()),
        weights=(1,) * len(expected),
        penalties=(0.0,) * len(expected),
    )
