"""Define the codebook, which contains the meaning of the codes of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from synth.core.axis import Axis, Grouping, domain_of, listed_codes, ordered_codes
from synth.core.domain import Domain
from synth.core.schema import Column, Kind, Schema, Unit
from synth.core.zeros import Zero


@dataclass(frozen=True, eq=False, kw_only=True)
class Codebook:
    """The axes, groups and structural zeros of all columns of a table. All of it is public.

    There is one axis per modelled column, in the order of the schema. `groupings` merge the codes of some
    axes into groups. `zeros` contains structural zeros in the codes of `domain`.
    """

    schema: Schema
    axes: tuple[Axis, ...]
    groupings: tuple[Grouping, ...] = ()
    zeros: tuple[Zero, ...] = ()

    @staticmethod
    def plain(
        domain: Domain, *, zeros: Iterable[Zero] = (), ordered: Mapping[str, int] | None = None
    ) -> Codebook:
        """Return a codebook whose codes are plain numbers.

        `ordered` states how many of the first codes of a column are in order. The last two codes must not be
        among them.
        """
        axes = tuple(
            _plain(name, size, cells=(ordered or {}).get(name))
            for name, size in zip(domain.names, domain.sizes, strict=True)
        )
        columns = tuple(axis.column for axis in axes)
        schema = Schema(name="codes", population="nobody", unit=Unit(max_rows=1), columns=columns)
        return Codebook(schema=schema, axes=axes, zeros=tuple(zeros))

    @cached_property
    def domain(self) -> Domain:
        """Return the names of the columns and their numbers of codes. A grouped column has one code per
        group.
        """
        return domain_of(self.axes, self.groupings)

    @cached_property
    def ordered(self) -> dict[str, int]:
        """Return the number of codes in order for each ordered column, without *other* and *missing*."""
        return ordered_codes(self.axes, self.groupings)

    @cached_property
    def listed(self) -> dict[str, int]:
        """Return the number of codes of declared values for each column (see `listed_codes`)."""
        return listed_codes(self.axes, self.groupings)

    @cached_property
    def titles(self) -> dict[str, str]:
        """Return the display name of each column, for charts."""
        return {axis.name: axis.column.heading for axis in self.axes}

    @cached_property
    def column_weights(self) -> dict[str, float]:
        """Return the weight of each column, from the schema."""
        return {column.name: column.weight for column in self.schema.modelled}

    def coarsened(self, groupings: Iterable[Grouping]) -> Codebook:
        """Return the same columns with the codes of `domain` merged further.

        Raises: ValueError if a group contains codes that a structural zero separates.
        """
        own, further = ({g.column: g for g in some} for some in (self.groupings, groupings))
        both = {name: own[name].then(further[name]) for name in own.keys() & further.keys()}
        groups = {name: grouping.group_of for name, grouping in further.items()}
        return replace(
            self,
            groupings=tuple((own | further | both).values()),
            zeros=tuple(zero.grouped(groups) for zero in self.zeros),
        )


def _plain(name: str, size: int, *, cells: int | None) -> Axis:
    kind, cells = (Kind.CATEGORY, size) if cells is None else (Kind.ORDERED, cells)
    if not 0 <= size - cells <= 2:
        raise ValueError("an ordered column has at most all but two of its codes in order")
    values = tuple(range(cells))
    column = Column(name=name, kind=kind, values=values, blank=size > cells)
    return Axis(column=column, labels=values, other="other" if size > cells + 1 else None)
