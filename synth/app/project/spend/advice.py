"""Which method to take: one decision from public facts, which the recommendation and every card tell.

What can run within the wait comes first; among those the one that did best where methods were compared on a
table like this (`spend.measured`). Figures go before the warning of a card, which is then told beside them;
where there are none, what is not warned of by its own card comes first. Of what is alike within the noise the
first of the registry is taken, which is the default.
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
from synth.mechanisms.base import Mechanism, Occasion

PATIENCE = {"now": 30.0, "coffee": 600.0, "night": 36_000.0}
"""Seconds somebody is ready to wait."""

EQUAL = 0.05
"""Errors that differ by this part of the lower one are alike, and those that differ by no more than the
larger of their spreads from run to run: who makes one table gets one run."""
UNKNOWN_SPREAD = 0.1
"""The part of the lower error that stands for the spread where it was not kept."""
EQUAL_SHARE = 0.002
"""Errors that differ by two records in a thousand are alike too."""

BASELINE = "independent"
"""What does worse than single columns there is not worth its wait."""

SLOWER = 10.0
"""A run may take so many times as long as on a measured table alike: twice the columns are four times the
pairs, and machines differ."""
WIDER = 3.0
"""And triples up to so many times as long as pairs, where both were measured."""

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

    def spread(self, finding: Finding) -> float | None:
        """How much that differs from run to run, as far as is known."""
        spreads = {
            Matter.COLUMNS: finding.columns_spread,
            Matter.PAIRS: finding.pairs_spread,
            Matter.TRIPLES: finding.triples_spread,
        }
        return spreads[self]


class Standing(StrEnum):
    """How a method stands to what was asked."""

    ADVISED = "advised"
    SUITED = "suited"
    SLOW = "slow"
    WARNED = "warned"
    UNTIMED = "untimed"
    WORSE = "worse"
    BLIND = "blind"
    UNABLE = "unable"


ABLE = (Standing.SUITED, Standing.SLOW, Standing.WARNED)
"""What can run here and keeps what matters."""


@dataclass(frozen=True, kw_only=True)
class Advice:
    """A method with the marginals to keep (`k` columns at once), how every method of the registry stands, and
    the comparison it rests on, None where none is of a table like this.

    `shape` is that of the declared table, `promise` the epsilon asked for, and `epsilon` what it comes to for
    one row of a unit, which is what the noise follows. `findings` are what methods did on the table that is
    compared with, by one source, the best at what matters first: the ranking that was decided by, and empty
    where there is none.

    `in_time` says whether it is expected to keep within the wait, `is_avoided` whether its card warns of just
    this: because it did best all the same, or because every other one does or cannot be timed.
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
        """Whether the figures decided, for the method was measured there."""
        return self.method in self.findings

    @property
    def better(self) -> tuple[str, ...]:
        """Methods that were closer on that table by more than is alike, and are not advised all the same."""
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
    """The first method of the registry that did best on the nearest table of `among` (all that was measured),
    of those that can run and keep what matters within the wait, whatever their cards warn of; but none that
    did worse there than single columns, which are advised themselves where all did. Where the first that can
    run was not measured there, or nothing is alike, it is the first whose card does not warn of this very
    occasion.

    Where none keeps within the wait it is, by the same rule, one that does not take far longer than that or
    than the quickest; and an unmeasured one whose card warns only where every such one does. A method nobody
    has timed is advised only where no other is left.
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
    # Where single columns are all that matters, a method that keeps nothing else goes before the others.
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
    """What a run by each method takes at the most: as foreseen, or as often as long as where it was measured
    on a table alike, if that is less. Methods nobody has timed are left out."""
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
    """What methods did beside the first that can run here, where that was measured."""
    if comparison is None or not able:
        return {}
    return comparison.ranking(able[0], workload=matter.workload)


def _seen(ranking: Mapping[str, Finding], name: str, matter: Matter, *, in_time: bool) -> Standing:
    """How a method stands that was measured: by what it did, whatever its card warns of."""
    alone = ranking.get(BASELINE)
    if alone is not None and matter.error(ranking[name]) > matter.error(alone):
        return Standing.WORSE
    return Standing.SUITED if in_time else Standing.SLOW


def _standings(
    table: Declared, matter: Matter, occasion: Occasion, budget: Budget, likely: Mapping[str, float]
) -> dict[str, Standing]:
    """How every method stands by what is declared and what its card says, with nothing compared."""
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
    """The first of these that did as well as any of them; the first where none was measured."""
    found = {name: ranking[name] for name in suited if name in ranking}
    if not found:
        return suited[0]
    least = min(found.values(), key=matter.error)
    return next(name for name, finding in found.items() if _alike(finding, least, matter))


def _alike(finding: Finding, least: Finding, matter: Matter) -> bool:
    """Whether an error is above another by no more than such figures differ by chance."""
    above, lower = matter.error(finding) - matter.error(least), matter.error(least)
    spreads = (matter.spread(finding), matter.spread(least))
    noise = max(UNKNOWN_SPREAD * lower if spread is None else spread for spread in spreads)
    return above <= max(noise, EQUAL * lower, EQUAL_SHARE)
