"""Predict the time and memory of a method from the schema, without running a mechanism."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from operator import itemgetter

from synth.app.project.declared import Declared
from synth.app.project.store import Method
from synth.core.axis import domain_of
from synth.core.domain import Domain
from synth.core.graphs.junction import JunctionGraph
from synth.core.options import options_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import Mechanism, Outlook
from synth.models.registry import GENERATORS

_NEAR = 0.5
"""Share of a method's limit above which a size causes a warning."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """The size of a model before anything is measured, in cells of its tables.

    `forced` is the minimum for columns and rules. `widest` is the largest pair of columns, by title.
    `too_wide` contains the pairs beyond the method's limit, largest first. `limit` is None if there is no
    limit.
    """

    forced: int
    widest: tuple[str, str, int] | None
    too_wide: tuple[tuple[str, str, int], ...]
    limit: int | None

    @property
    def is_near(self) -> bool:
        """Return whether the rules alone use much of the limit."""
        return self.limit is not None and self.forced > _NEAR * self.limit


def size_of(table: Declared, mechanism: Mechanism) -> Size:
    """Return the size of a mechanism's model for a declared table."""
    domain, limit = domain_of(table.axes), mechanism.most_cells
    called = {axis.name: axis.column.heading for axis in table.axes}
    sizes = ((called[a], called[b], domain.size((a, b))) for a, b in combinations(domain.names, 2))
    pairs = sorted(sizes, key=itemgetter(2))
    wide = [pair for pair in reversed(pairs) if limit is not None and pair[2] > limit]
    return Size(
        forced=forced_cells(table),
        widest=pairs[-1] if pairs else None,
        too_wide=tuple(wide) if mechanism.keeps_relations else (),
        limit=limit,
    )


def forced_cells(table: Declared) -> int:
    """Return the minimum number of cells for columns and rules, or 0 while a domain is still to be
    estimated.
    """
    if not table.axes:
        return 0
    domain, zeros = domain_of(table.axes), [zero.clique for zero in table.rules.zeros(table.axes)]
    return int(JunctionGraph.of(domain, [*((name,) for name in domain.names), *zeros]).cells)


def domain_known(table: Declared) -> Domain | None:
    """Return the domain of all modelled columns, or None while the domain of a column is still to be
    estimated.
    """
    return domain_of(table.axes) if len(table.axes) == len(table.schema.modelled) else None


def of_run(mechanism: Mechanism, method: Method, domain: Domain | None) -> Outlook | None:
    """Return the time and memory of a run with this configured mechanism, or None if unknown."""
    if domain is None:
        return None
    kind = GENERATORS[method.generator or mechanism.generator]
    names = {f.name for f in options_of(kind)}
    given = {name: value for name, value in method.generator_options.items() if name in names}
    return mechanism.outlook_by(kind(**given), domain, k=method.workload)


def as_published(method: Method) -> Method | None:
    """Return the method with its generator as published, or None if there is no such option."""
    kind = GENERATORS[method.generator or MECHANISMS[method.name].generator]
    literal = {f.name: True for f in options_of(kind) if f.metadata["literal"]}
    return replace(method, generator_options=method.generator_options | literal) if literal else None
