"""What a method will take, from the schema alone: no mechanism is run."""

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
from synth.mechanisms.base import Mechanism, Outlook
from synth.models.registry import GENERATORS

_NEAR = 0.5
"""Above this part of a method's limit a size is worth a warning."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How large a model must be, before anything is measured. Cells are entries of its tables.

    `forced` is what columns and rules need at the least; `widest` the largest pair of columns, by their
    titles; `too_wide` are the pairs that a method's limit keeps out, the largest first; `limit` is None where
    it states none.
    """

    forced: int
    widest: tuple[str, str, int] | None
    too_wide: tuple[tuple[str, str, int], ...]
    limit: int | None

    @property
    def is_near(self) -> bool:
        """Whether rules alone use much of the limit."""
        return self.limit is not None and self.forced > _NEAR * self.limit


def size_of(table: Declared, mechanism: Mechanism) -> Size:
    """The size of the model for a declared table."""
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
    """What columns and rules need of a model at the least; none while some column is still to be bought."""
    if not table.axes:
        return 0
    domain, zeros = domain_of(table.axes), [zero.clique for zero in table.rules.zeros(table.axes)]
    return int(JunctionGraph.of(domain, [*((name,) for name in domain.names), *zeros]).cells)


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
