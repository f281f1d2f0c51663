"""Write the data dictionary for people: one line per column, with its bins and the source of its domain.

It can be loaded again as a data dictionary (`dictionaries.read_draft`).
"""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterator, Sequence

from synth.core.axis import Axis, Grouping
from synth.core.columns.combinations import EMPTY
from synth.core.discretisation import decimals_of
from synth.core.schema import Group, Kind
from synth.release.csv_text import EPOCH, guard
from synth.release.documents.templating import flat

HEADINGS = (
    "name", "title", "description", "kind", "values", "labels", "reads", "min", "max", "unit", "decimals",
    "bins", "step", "multiple", "heaps", "cuts", "starts", "blank", "missing", "outside", "known from",
    "labels in csv", "formula", "id format",
    "separator", "exclusive", "combinations", "limit", "totals", "survey weight", "decimal sign", "thousands",
    "date order", "group",
)  # fmt: skip
_PARTS = "|"


def write(axes: Sequence[Axis], groupings: Sequence[Grouping] = (), groups: Sequence[Group] = ()) -> str:
    """Return the dictionary as CSV text, protected against spreadsheet formulas in the same way as the table.

    `starts` are the first values of the bins of a range; bins that were merged into a group count as one bin
    (`groupings`). `outside` states how cells outside the declared domain were treated. `group` is the group
    that a column belongs to.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(HEADINGS)
    group_of = {grouping.column: grouping.group_of for grouping in groupings}
    joined = {name: group_text(group) for group in groups for name in group.columns}
    writer.writerows(
        [guard(cell) for cell in (*_line(axis, group_of.get(axis.name)), joined.get(axis.name, ""))]
        for axis in axes
    )
    return out.getvalue()


def group_text(group: Group) -> str:
    """Return the name of a group and the number of its columns that are chosen in a row."""
    if group.several:
        alone = "" if group.exclusive is None else f", or only {flat(group.exclusive)}"
        return f"{flat(group.name)}: any number are {group.chosen}{alone}"
    return f"{flat(group.name)}: {'at most' if group.at_most else 'exactly'} one is {group.chosen}"


def _line(axis: Axis, group_of: Sequence[int] | None) -> Iterator[str]:
    column = axis.column
    outside = column.outside_rule.value
    yield from (column.name, flat(column.title), flat(column.description), column.kind.value)
    yield _PARTS.join(str(value) for value in column.values or axis.labels)
    yield _PARTS.join(flat(label) for label in column.labels)
    yield _PARTS.join(";".join(texts) for texts in column.reads)
    decimals = (column.kind is Kind.DECIMAL and decimals_of(axis)) or None
    cut = (column.bins, column.step, column.multiple, column.heaps)
    for given in (column.min, column.max, column.measured_in, decimals, *cut):
        yield "" if given is None else flat(str(given))
    yield _PARTS.join(str(cut) for cut in column.cuts)
    firsts = (i for i in range(axis.cells) if i == 0 or group_of is None or group_of[i] != group_of[i - 1])
    yield _PARTS.join(_start(axis, i) for i in firsts if axis.edges and not column.formula)
    yield "yes" if column.blank else "no"
    yield _PARTS.join(flat(token) for token in column.missing)
    yield f"{outside}: {axis.other}" if axis.other is not None else outside
    yield column.provenance.value
    yield "yes" if column.write_labels else ""
    yield column.formula
    yield column.id_format
    yield column.separator
    yield "" if column.exclusive is None else flat(str(column.exclusive))
    sets = (column.separator.join(map(str, own)) or EMPTY for own in column.combinations)
    yield _PARTS.join(map(flat, sets))
    yield column.limit
    yield _PARTS.join(map(str, column.totals))
    yield "yes" if column.is_weight else ""
    yield column.decimal_sign or ""
    yield "none" if column.thousands == "" else column.thousands or ""
    yield "" if column.date_order is None else column.date_order.value


def _start(axis: Axis, code: int) -> str:
    edge = axis.edges[code]
    if axis.column.kind is Kind.DATE:
        return (EPOCH + dt.timedelta(days=int(edge))).isoformat()
    if code and axis.is_point(code - 1):
        edge = axis.edges[code - 1] + 10.0 ** -decimals_of(axis)
    return f"{edge:.12g}"
