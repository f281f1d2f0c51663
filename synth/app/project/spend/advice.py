"""Recommend a method from public facts.

The recommended method is the one with the lowest error on the most similar benchmark table (`spend.measured`)
among those that can finish in time. Measured errors override the warning on a method's card. Without
measurements, methods without a warning come first. If errors are equal up to their spread, the first of these
methods in the registry is recommended. The default method is the first of all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from synth.app.project.declared import Declared
from synth.app.project.spend import measured
from synth.app.project.spend.allocation import trouble
from synth.app.project.spend.measured import Comparison, Finding, Shape
from synth.app.project.spend.outlook import forced_cells
from synth.app.project.store import Budget, Method
from synth.core.axis import domain_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import Mechanism, Occasion

PATIENCE = {"now": 30.0, "coffee": 600.0, "night": 36_000.0}
"""How long the steward is willing to wait, in seconds."""

EQUAL = 0.05
"""Largest difference between two errors that count as equal, as a fraction of the lower one. They also count
as equal if they differ by at most the larger spread.
"""
UNKNOWN_SPREAD = 0.1
"""Spread that is assumed if it is unknown, as a fraction of the lower error."""
EQUAL_SHARE = 0.002
"""Largest difference between two errors, as a share of records, at which they also count as equal."""

BASELINE = "independent"
"""Name of the method with independent columns. Methods with a higher error are not recommended."""

SLOWER = 10.0
"""Largest likely ratio of the time of a run to its time on the benchmark table. Columns and machines
differ.
"""
WIDER = 3.0
"""Largest likely ratio of the time with triples to the time with pairs."""

FAR = 2.0
"""Multiple of the acceptable wait above which a run is not recommended if a quicker method exists.
"""


class Matter(StrEnum):
    """The intended use of the synthetic table."""

    COLUMNS = "columns"
    PAIRS = "pairs"
    TRIPLES = "triples"

    @property
    def wanted(self) -> int:
        """Return the number of columns that are used together."""
        return list(Matter).index(self) + 1

    @property
    def workload(self) -> int:
        """Return the size of the marginals to preserve, which is at least 2."""
        return max(self.wanted, 2)

    def error(self, finding: Finding) -> float:
        """Return the error for this use."""
        return float(getattr(finding, self.value))

    def spread(self, finding: Finding) -> float | None:
        """Return how much this error varies from run to run, or None if that is unknown."""
        return getattr(finding, f"{self.value}_spread")  # type: ignore[no-any-return]


class Standing(StrEnum):
    """The assessment of a method."""

    ADVISED = "advised"
    SUITED = "suited"
    SLOW = "slow"
    WARNED = "warned"
    UNTIMED = "untimed"
    WORSE = "worse"
    BLIND = "blind"
    UNABLE = "unable"


ABLE = (Standing.SUITED, Standing.SLOW, Standing.WARNED)
"""The assessments of methods that can run and preserve what matters."""


@dataclass(frozen=True, kw_only=True)
class Advice:
    """A recommended method with the size `k` of its marginals, the assessment of every method, and the
    benchmark table on which the recommendation is based, or None if there is no similar table.

    `shape` describes the declared table, `promise` is the requested epsilon, and `epsilon` is the epsilon per
    row of a unit, which determines the noise. `findings` ranks the methods on the benchmark table by the
    results of one source, lowest error first. It is empty without a ranking. `in_time` states whether the
    method is expected to finish in time. `is_avoided` states that the method's card warns against this use,
    but that the method was best anyway, or that all others are worse or have unknown times.
    """

    method: str
    matter: Matter
    patience: str
    in_time: bool
    is_avoided: bool = False
    standings: Mapping[str, Standing]
    shape: Shape
    promise: float
    epsilon: float
    comparison: Comparison | None = None
    findings: Mapping[str, Finding] = field(default_factory=dict)

    @property
    def k(self) -> int:
        return self.matter.workload

    @property
    def is_compared(self) -> bool:
        """Return whether the recommendation is based on measured errors."""
        return self.method in self.findings

    @property
    def better(self) -> tuple[str, ...]:
        """Return the methods whose error on that table is lower and does not count as equal."""
        if not self.is_compared:
            return ()
        mine = self.findings[self.method]
        return tuple(n for n, found in self.findings.items() if not _alike(mine, found, self.matter))


def advise(
    table: Declared,
    *,
    matter: Matter,
    patience: str,
    budget: Budget,
    among: tuple[Comparison, ...] | None = None,
) -> Advice:
    """Recommend the method with the lowest error on the most similar table in `among` (default: all benchmark
    tables), of all methods that can finish in time.

    Of equal methods, the first in the registry is recommended. A method that is worse than independent
    columns on that table is never recommended. If all methods are worse, independent columns are recommended.
    If the first method that can run was not measured on that table, or if no table is similar, the first
    method without a warning on its card is recommended. If no method finishes in time, the same rule is
    applied to methods that do not take much longer than the acceptable wait or than the quickest method, then
    to methods with a warning, and then to methods with unknown times.
    """
    everything = measured.comparisons() if among is None else among
    shape = measured.shape_of(table.schema, budget.rows_about)
    epsilon = budget.epsilon / table.schema.unit.max_rows
    comparison, wait = measured.nearest(shape, epsilon, everything), PATIENCE[patience]
    likely = _likely_seconds(table, matter, comparison)
    occasion = Occasion(
        columns=len(table.schema.modelled), k=matter.wanted, seconds=wait, epsilon=budget.epsilon
    )
    plain = _standings(table, matter, occasion, budget, likely)
    # If only single columns matter, methods that preserve nothing else come first.
    names = sorted(MECHANISMS, key=lambda n: matter is Matter.COLUMNS and MECHANISMS[n].keeps_relations)
    ranking = _ranking(comparison, matter, [name for name in names if plain[name] in ABLE])
    standings = plain | {
        name: _seen(ranking, name, matter, in_time=likely[name] <= wait)
        for name in ranking
        if plain[name] in ABLE
    }
    standing = {s: [n for n in names if standings[n] is s] for s in Standing}
    slow, warned = standing[Standing.SLOW], standing[Standing.WARNED]
    soon = FAR * max(wait, min((likely[n] for n in slow + warned), default=0.0))
    slow, warned = ([name for name in those if likely[name] <= soon] for those in (slow, warned))
    beaten = standing[Standing.WORSE] and plain[BASELINE] is not Standing.UNABLE
    tiers = (
        [name for name in standing[Standing.SUITED] if name in ranking],
        [name for name in slow if name in ranking] if beaten else [],
        [BASELINE] if beaten else [],
        standing[Standing.SUITED],
        slow,
        warned,
        standing[Standing.UNTIMED],
        [name for name in names if standings[name] is not Standing.WORSE],
    )
    name = _best(next(tier for tier in tiers if tier), ranking, matter)
    return Advice(
        method=name,
        matter=matter,
        patience=patience,
        in_time=likely.get(name, math.inf) <= wait,
        is_avoided=plain[name] not in (Standing.SUITED, Standing.SLOW),
        standings={**standings, name: Standing.ADVISED},
        shape=shape,
        promise=budget.epsilon,
        epsilon=epsilon,
        comparison=comparison,
        findings=dict(sorted(ranking.items(), key=lambda entry: matter.error(entry[1]))),
    )


def _likely_seconds(table: Declared, matter: Matter, comparison: Comparison | None) -> dict[str, float]:
    """Return the longest likely time of each method in seconds: the forecast, or a multiple of the time on a
    similar table if that is shorter. Methods with unknown times are left out.
    """
    domain = domain_of(table.axes)
    seconds = {}
    for name, kind in MECHANISMS.items():
        if (foreseen := kind().outlook(domain, k=matter.workload)) is None:
            continue
        found = None if comparison is None else comparison.of(name, workload=matter.workload)
        seconds[name] = foreseen.slowest
        if found is not None:
            times = SLOWER if found.workload >= matter.workload else SLOWER * WIDER
            seconds[name] = min(foreseen.slowest, times * found.seconds)
    return seconds


def _ranking(comparison: Comparison | None, matter: Matter, able: list[str]) -> dict[str, Finding]:
    """Return the findings of one source that measured the first possible method and at least one other."""
    if comparison is None or not able:
        return {}
    return comparison.ranking(able[0], workload=matter.workload)


def _seen(ranking: Mapping[str, Finding], name: str, matter: Matter, *, in_time: bool) -> Standing:
    """Return the assessment of a method that was measured on the benchmark table."""
    alone = ranking.get(BASELINE)
    if alone is not None and matter.error(ranking[name]) > matter.error(alone):
        return Standing.WORSE
    return Standing.SUITED if in_time else Standing.SLOW


def _standings(
    table: Declared, matter: Matter, occasion: Occasion, budget: Budget, likely: Mapping[str, float]
) -> dict[str, Standing]:
    """Return the assessment of every method from declarations and cards alone."""
    forced = forced_cells(table)

    def of(mechanism: Mechanism) -> Standing:
        name, limit = mechanism.name, mechanism.most_cells
        method = Method(name=name, workload=matter.workload)
        if not mechanism.keeps_relations and matter is not Matter.COLUMNS:
            return Standing.BLIND
        if mechanism.joins and limit is not None and forced > limit:
            return Standing.UNABLE
        if trouble(table.schema, budget, method) is not None:
            return Standing.UNABLE
        if name not in likely:
            return Standing.UNTIMED
        if mechanism.is_avoided(occasion):
            return Standing.WARNED
        return Standing.SUITED if likely[name] <= occasion.seconds else Standing.SLOW

    return {name: of(kind()) for name, kind in MECHANISMS.items()}


def _best(suited: list[str], ranking: Mapping[str, Finding], matter: Matter) -> str:
    """Return the first of these methods whose error equals the lowest one. If none was measured, return the
    first.
    """
    found = {name: ranking[name] for name in suited if name in ranking}
    if not found:
        return suited[0]
    least = min(found.values(), key=matter.error)
    return next(name for name, finding in found.items() if _alike(finding, least, matter))


def _alike(finding: Finding, least: Finding, matter: Matter) -> bool:
    """Return whether an error exceeds another one by no more than chance."""
    above, lower = matter.error(finding) - matter.error(least), matter.error(least)
    spreads = (matter.spread(finding), matter.spread(least))
    noise = max(UNKNOWN_SPREAD * lower if spread is None else spread for spread in spreads)
    return above <= max(noise, EQUAL * lower, EQUAL_SHARE)
