"""What a method will take and what suits a table, from the schema alone: no mechanism is run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from operator import itemgetter

from synth.axis import domain_of
from synth.domain import Domain
from synth.generate.registry import GENERATORS
from synth.junction import JunctionGraph
from synth.mechanisms import MECHANISMS
from synth.mechanisms.base import Mechanism, Occasion, Outlook
from synth.options import options_of
from synth.project.declared import Declared
from synth.project.store import Method

_NEAR = 0.5
"""Above this part of a method's limit a size is worth a warning."""

PATIENCE = {"now": 30.0, "coffee": 600.0, "night": 36_000.0}
"""Seconds somebody is ready to wait."""


class Matter(StrEnum):
    """What the synthetic table has to be good at."""

    COLUMNS = "columns"
    PAIRS = "pairs"
    TRIPLES = "triples"


@dataclass(frozen=True, kw_only=True)
class Size:
    """How large a model must be, before anything is measured. Cells are entries of its tables.

    `forced` is what columns and rules need at the least; `widest` the largest pair of columns; `too_wide` are
    the pairs that a method's limit keeps out, the largest first; `limit` is None where it states none.
    """

    forced: int
    widest: tuple[str, str, int] | None
    too_wide: tuple[tuple[str, str, int], ...]
    limit: int | None

    @property
    def is_near(self) -> bool:
        """Whether rules alone use much of the limit."""
        return self.limit is not None and self.forced > _NEAR * self.limit


@dataclass(frozen=True, kw_only=True)
class Advice:
    """A method with the columns at once to keep faithful (`k`); whether it is expected to keep within the
    wait, and whether its card warns of just this, because every other one does or cannot be timed."""

    method: str
    k: int
    in_time: bool
    is_avoided: bool = False


def size_of(table: Declared, mechanism: Mechanism) -> Size:
    """The size of the model for a declared table."""
    domain, limit = domain_of(table.axes), mechanism.most_cells
    zeros = [zero.clique for zero in table.rules.zeros(table.axes)] if table.axes else []
    graph = JunctionGraph.of(domain, [*((name,) for name in domain.names), *zeros])
    pairs = sorted(((a, b, domain.size((a, b))) for a, b in combinations(domain.names, 2)), key=itemgetter(2))
    wide = [pair for pair in reversed(pairs) if limit is not None and pair[2] > limit]
    return Size(
        forced=int(graph.cells) if len(domain) else 0,
        widest=pairs[-1] if pairs else None,
        too_wide=tuple(wide) if mechanism.keeps_relations else (),
        limit=limit,
    )


def domain_known(table: Declared) -> Domain | None:
    """What all modelled columns can hold; None while that of some is still to be bought, so that neither time
    nor memory of a run is known."""
    return domain_of(table.axes) if len(table.axes) == len(table.schema.modelled) else None


def of_run(mechanism: Mechanism, method: Method, domain: Domain | None) -> Outlook | None:
    """Time and memory of a run by a method whose configured mechanism this is, None if they are not known.
    Options that its generator does not have are left out."""
    if domain is None:
        return None
    kind = GENERATORS[method.generator or mechanism.generator]
    names = {f.name for f in options_of(kind)}
    given = {name: value for name, value in method.generator_options.items() if name in names}
    return mechanism.outlook_by(kind(**given), domain, k=method.workload)


def as_published(method: Method) -> Method | None:
    """The method with what makes its generator fit as its paper has it; None where no option says so."""
    kind = GENERATORS[method.generator or MECHANISMS[method.name].generator]
    literal = {f.name: True for f in options_of(kind) if f.metadata["literal"]}
    return replace(method, generator_options=method.generator_options | literal) if literal else None


def advise(table: Declared, *, matter: Matter, patience: str, epsilon: float) -> Advice:
    """The first method of the registry that keeps what matters within the wait and whose card does not warn
    of this very occasion; else the quickest of those; else whatever keeps what matters.

    A method nobody has timed is advised only where no other is left.
    """
    domain, wanted = domain_of(table.axes), {Matter.COLUMNS: 1, Matter.PAIRS: 2, Matter.TRIPLES: 3}[matter]
    occasion = Occasion(
        columns=len(table.schema.modelled), k=wanted, seconds=PATIENCE[patience], epsilon=epsilon
    )
    k = max(wanted, 2)
    fitting = [m() for m in MECHANISMS.values() if m.keeps_relations or matter is Matter.COLUMNS]
    if matter is Matter.COLUMNS:
        fitting.sort(key=lambda m: m.keeps_relations)
    slowest: Mapping[str, float] = {
        m.name: outlook.slowest for m in fitting if (outlook := m.outlook(domain, k=k)) is not None
    }
    unwarned = [m.name for m in fitting if m.name in slowest and not m.is_avoided(occasion)]
    for name in unwarned:
        if slowest[name] <= PATIENCE[patience]:
            return Advice(method=name, k=k, in_time=True)
    if unwarned:
        return Advice(method=min(unwarned, key=slowest.__getitem__), k=k, in_time=False)
    name = min(slowest, key=slowest.__getitem__) if slowest else fitting[0].name
    in_time = slowest.get(name, math.inf) <= PATIENCE[patience]
    return Advice(method=name, k=k, in_time=in_time, is_avoided=True)
