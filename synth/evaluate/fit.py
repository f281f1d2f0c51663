"""Check how well a private file fits its declaration. NOT PRIVATE: the counts are exact, and only for the
steward.

For each column, it counts the cells that do not match the declaration, grouped by how they are treated and
why they do not match. No value is shown. If the declaration is changed because of the result, this is a
choice made after a private view, which no ledger records. Therefore, a program that shows the result must log
that it was viewed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from synth.core.axis import Axis
from synth.core.columns.unfit import REASONS, Reason
from synth.core.discretisation import resolve_axes
from synth.core.numbers import number_of
from synth.core.schema import Column, Kind, Outside, Schema, Unit
from synth.core.system.address import Address
from synth.dictionaries.check import cells_of
from synth.private.encoding.outcomes import Fate, Outcome, outcomes
from synth.private.table import open_table
from synth.rules import parse_rules

MARK = "NOT PRIVATE: read from the private table. Only for the steward; do not publish."
OUTSIDE = "outside"
"""Label of the code of cells outside the domain. Released tables do not have this code."""


_ORDER = "declare the column's order of dates"
ADVICE = {
    "has another decimal sign": "declare the column's signs of decimals and thousands",
    "has a thousands separator": "declare the column's sign between thousands",
    "looks like a day number of Excel": "declare the column's order of dates as excel-serial",
    "its decimal sign may separate thousands": "declare the sign between thousands, or a decimal column",
    "has another unit or currency": "declare the unit of the cells, or convert them",
    "looks like a date with the year last": _ORDER,
    "looks like a day-first date": _ORDER,
    "looks like a month-first date": _ORDER,
    "several declared values in one cell": "declare a multiple-choice column (`several of`)",
}
"""Advice on declarations that make cells readable, by the form of the cells."""


class Band(StrEnum):
    """The proportion of a column's cells that do not match the declaration, as a band."""

    FEW = "fits (at most 1% of the cells do not match the declaration)"
    SOME = "mostly fits (up to 10% of the cells do not match the declaration)"
    MANY = "does not fit (more than 10% of the cells do not match the declaration)"
    EMPTY = "does not fit (the file has no rows)"

    @property
    def is_good(self) -> bool:
        return self in (Band.FEW, Band.SOME)


@dataclass(frozen=True, kw_only=True)
class ColumnFit:
    """NOT PRIVATE. How well a column fits its declaration."""

    column: str
    outcome: Outcome

    @property
    def band(self) -> Band:
        if not self.outcome.rows:
            return Band.EMPTY
        share = sum(self.outcome.strange.values()) / self.outcome.rows
        return Band.FEW if share <= 0.01 else Band.SOME if share <= 0.1 else Band.MANY

    @property
    def found(self) -> str:
        """Return a text about the cells that do not match the declaration, "" if there are none.

        The largest groups of cells come first. The advice on what to declare comes last.
        """
        by_fate: dict[Fate, list[tuple[int, str]]] = {}
        for (fate, look), count in self.outcome.strange.items():
            by_fate.setdefault(fate, []).append((count, look))
        said = []
        for fate, groups in sorted(by_fate.items(), key=lambda item: -sum(n for n, _ in item[1])):
            total = sum(count for count, _ in groups)
            looks = ", ".join(f"{look}: {count:,}" for count, look in sorted(groups, reverse=True) if look)
            what = "row" if fate is Fate.ROW else "cell"
            share = f"{number_of(total, what)} ({total / self.outcome.rows:.1%})"
            said.append(f"{share}: {fate.value}" + (f" ({looks})" if looks else ""))
        seen = sorted(self.outcome.strange, key=lambda key: -self.outcome.strange[key])
        advice = dict.fromkeys(ADVICE[look] for _, look in seen if look in ADVICE)
        return "; ".join(said) + (f". To read them, {' and '.join(advice)}." if advice else "")


def fit(schema: Schema, data: Address | Path) -> Iterator[ColumnFit]:
    """Return the fit of each column, in the order of the schema, except the columns in `to_be_estimated`.

    A cell does not match if it is outside the list or the range (even if the release will clamp it), if it is
    a text in a column of numbers or dates, if it is blank in a column declared as never blank, or if it is
    not whole in a column of whole numbers. Rows are not capped. The ID column follows. Only its blank cells
    are counted, because their rows are removed. Multiple-choice columns with undeclared options come last,
    together with damaged rows, if the file has any. Raises: the errors of `private.table.open_table`.
    """
    schema = _declared_part(schema)
    axes = resolve_axes(schema, parse_rules([], schema))
    if isinstance(data, Address) and data.connection:
        found = _in_database(schema, data, axes)
    else:
        found = outcomes(data, _without_unit(schema), axes)
    names = [axis.name for axis in axes] + [name for name in [schema.unit.id_column] if name is not None]
    names += [name for name, one in found.items() if one.strange and name not in names]
    yield from (ColumnFit(column=name, outcome=found[name]) for name in names)


def to_be_estimated(schema: Schema) -> tuple[str, ...]:
    """Return the columns whose list or range is to be estimated. They cannot be checked."""
    return tuple(column.name for column in schema.modelled if cells_of(column) is None)


def _in_database(schema: Schema, data: Address, axes: tuple[Axis, ...]) -> dict[str, Outcome]:
    """Return the outcomes for a table in a database. No text of the table is read."""
    unit_id, every = schema.unit.id_column, [*axes]
    if unit_id is not None:
        every.append(Axis(column=Column(name=unit_id, kind=Kind.CATEGORY, blank=False), other=OUTSIDE))
    codes, found = open_table(data, _without_unit(schema), axes=every).codes(every), dict[str, Outcome]()
    rows = int(codes.counts(()))
    for place, axis in enumerate(every):
        strange = Counter[tuple[Fate, str]]()
        for reason, count in zip(REASONS, codes.unfit(place).sum(axis=0).tolist(), strict=True):
            fate = _BY_REASON.get(reason) or _fate(axis)
            strange[Fate.LEFT_OUT if axis.name == unit_id else fate, _LOOKS.get(reason, "")] += count
        if axis.other_code is not None and axis.name != unit_id:
            strange[Fate.OTHER, ""] += int(codes.counts((place,))[axis.other_code])
        found[axis.name] = Outcome(rows=rows, strange=dict(+strange))
    return found


_BY_REASON = {Reason.BLANK: Fate.BLANK, Reason.CHANGED: Fate.CHANGED}
_LOOKS = {
    Reason.BELOW: "below the range",
    Reason.ABOVE: "above the range",
    Reason.UNREADABLE: "not a number",
    Reason.CHANGED: "not a whole number",
}


def _fate(axis: Axis) -> Fate:
    rule = axis.column.outside_rule
    return {Outside.CLAMP: Fate.CLAMPED, Outside.OTHER: Fate.OTHER, Outside.MISSING: Fate.MISSING}[rule]


def _declared_part(schema: Schema) -> Schema:
    unknown = to_be_estimated(schema)
    columns = [replace(c, kind=Kind.DROP, buy=False) if c.name in unknown else c for c in schema.columns]
    return replace(schema, columns=tuple(columns))


def _without_unit(schema: Schema) -> Schema:
    """Return a schema that keeps all rows: the ID column is treated like any other column."""
    columns = tuple(
        replace(c, kind=Kind.CATEGORY, id_format="") if c.name == schema.unit.id_column else c
        for c in schema.columns
    )
    return replace(schema, columns=columns, unit=Unit(max_rows=1))
