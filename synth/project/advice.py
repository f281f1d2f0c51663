"""Which method to take: one decision from public facts, which the recommendation and every card tell.

What can run within the wait and is not warned of by its own card comes first; among those the one that did
best where methods were compared on a table like this (`project.measured`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from synth.axis import domain_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.base import Mechanism, Occasion
from synth.project import measured
from synth.project.allocation import trouble
from synth.project.declared import Declared
from synth.project.measured import Comparison, Finding, Shape
from synth.project.outlook import forced_cells
from synth.project.store import Budget, Method

PATIENCE = {"now": 30.0, "coffee": 600.0, "night": 36_000.0}
"""Seconds somebody is ready to wait."""

EQUAL = 0.05
"""Errors that differ by this part of the lower one are alike."""
EQUAL_SHARE = 0.002
"""As are errors that differ by two records in a thousand."""

SLOWER = 10.0
"""A run may take so many times as long as on a measured table alike: twice the columns are four times the
pairs, and machines differ."""

FAR = 2.0
"""Times the wait: whoever has minutes does not wait for hours."""


class Matter(StrEnum):
    """What the synthetic table has to be good at."""

    COLUMNS = "columns"
    PAIRS = "pairs"
    TRIPLES = "triples"

    @property
    def wanted(self) -> int:
        """How many columns at once."""
        return list(Matter).index(self) + 1

    @property
    def workload(self) -> int:
        """The marginals a method is asked to keep: of pairs at the least."""
        return max(self.wanted, 2)

    def error(self, finding: Finding) -> float:
        """How far off what matters was."""
        errors = {
            Matter.COLUMNS: finding.columns,
            Matter.PAIRS: finding.pairs,
            Matter.TRIPLES: finding.triples,
        }
        return errors[self]


class Standing(StrEnum):
    """How a method stands to what was asked."""

    ADVISED = "advised"
    SUITED = "suited"
    SLOW = "slow"
    WARNED = "warned"
    UNTIMED = "untimed"
    BLIND = "blind"
    UNABLE = "unable"


@dataclass(frozen=True, kw_only=True)
class Advice:
    """A method with the marginals to keep (`k` columns at once), how every method of the registry stands, and
    the comparison it rests on, None where none is of a table like this.

    `shape` is that of the declared table, `promise` the epsilon asked for, and `epsilon` what it comes to for
    one row of a unit, which is what the noise follows.

    `in_time` says whether it is expected to keep within the wait, `is_avoided` whether its card warns of just
    this, because every other one does or cannot be timed.
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

    @property
    def k(self) -> int:
        return self.matter.workload

    @property
    def findings(self) -> dict[str, Finding]:
        """What the methods did on the table that is compared with, the best at what matters first."""
        if self.comparison is None:
            return {}
        found = self.comparison.by_method(workload=self.k)
        return dict(sorted(found.items(), key=lambda entry: self.matter.error(entry[1])))

    @property
    def is_compared(self) -> bool:
        """Whether the figures decided, for the method was measured there."""
        return self.method in self.findings

    @property
    def better(self) -> tuple[str, ...]:
        """Methods that were closer on that table by more than is alike, and are not advised all the same."""
        if not self.is_compared:
            return ()
        errors = {name: self.matter.error(finding) for name, finding in self.findings.items()}
        mine = errors[self.method]
        return tuple(n for n, error in errors.items() if error < mine and not _alike(mine, error))


def advise(
    table: Declared,
    *,
    matter: Matter,
    patience: str,
    budget: Budget,
    among: tuple[Comparison, ...] | None = None,
) -> Advice:
    """The first method of the registry that did best on the nearest table of `among` (all that was measured),
    of those that can run, keep what matters within the wait, and whose cards do not warn of this very
    occasion. Where the first of them was not measured there, or nothing is alike, it is the first.

    Where none keeps within the wait it is, by the same rule, one that does not take far longer than that or
    than the quickest; and one whose card warns only where every such one does. A method nobody has timed is
    advised only where no other is left.
    """
    everything = measured.comparisons() if among is None else among
    shape = measured.shape_of(table.schema, budget.rows_about)
    epsilon = budget.epsilon / table.schema.unit.max_rows
    comparison, wait = measured.nearest(shape, epsilon, everything), PATIENCE[patience]
    likely = _likely_seconds(table, matter, comparison)
    standings = _standings(table, matter, wait, budget, likely)
    # Where single columns are all that matters, a method that keeps nothing else goes before the others.
    names = sorted(MECHANISMS, key=lambda n: matter is Matter.COLUMNS and MECHANISMS[n].keeps_relations)
    standing = {s: [n for n in names if standings[n] is s] for s in Standing}
    slow, warned = standing[Standing.SLOW], standing[Standing.WARNED]
    soon = FAR * max(wait, min((likely[n] for n in slow + warned), default=0.0))
    tiers = (
        standing[Standing.SUITED],
        [name for name in slow if likely[name] <= soon],
        [name for name in warned if likely[name] <= soon],
        standing[Standing.UNTIMED],
        names,
    )
    name = _best(next(tier for tier in tiers if tier), comparison, matter)
    return Advice(
        method=name,
        matter=matter,
        patience=patience,
        in_time=likely.get(name, math.inf) <= wait,
        is_avoided=standings[name] not in (Standing.SUITED, Standing.SLOW),
        standings={**standings, name: Standing.ADVISED},
        shape=shape,
        promise=budget.epsilon,
        epsilon=epsilon,
        comparison=comparison,
    )


def _likely_seconds(table: Declared, matter: Matter, comparison: Comparison | None) -> dict[str, float]:
    """What a run by each method takes at the most: as foreseen, or as often as long as where it was measured
    on a table alike, if that is less. Methods nobody has timed are left out."""
    domain = domain_of(table.axes)
    seconds = {}
    for name, kind in MECHANISMS.items():
        if (foreseen := kind().outlook(domain, k=matter.workload)) is None:
            continue
        found = None if comparison is None else comparison.of(name, workload=matter.workload)
        seen = found is not None and found.workload == matter.workload
        seconds[name] = min(foreseen.slowest, SLOWER * found.seconds if found and seen else math.inf)
    return seconds


def _standings(
    table: Declared, matter: Matter, wait: float, budget: Budget, likely: Mapping[str, float]
) -> dict[str, Standing]:
    columns, forced = len(table.schema.modelled), forced_cells(table)
    occasion = Occasion(columns=columns, k=matter.wanted, seconds=wait, epsilon=budget.epsilon)

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
        return Standing.SUITED if likely[name] <= wait else Standing.SLOW

    return {name: of(kind()) for name, kind in MECHANISMS.items()}


def _best(suited: list[str], comparison: Comparison | None, matter: Matter) -> str:
    """The first of these that did as well as any of them where the first was measured."""
    findings = {} if comparison is None else comparison.by_method(workload=matter.workload)
    errors = {name: matter.error(findings[name]) for name in suited if name in findings}
    if suited[0] not in errors:
        return suited[0]
    least = min(errors.values())
    return next(name for name, error in errors.items() if _alike(error, least))


def _alike(error: float, least: float) -> bool:
    return error <= max(least * (1 + EQUAL), least + EQUAL_SHARE)
