"""The data dictionary for people: one line per column, with where its domain comes from and how it was cut.

It can be loaded again as a data dictionary (`schema_io.from_csv_dictionary`).
"""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterator, Sequence

from synth.axis import Axis
from synth.release.csv_text import EPOCH, guard
from synth.schema import Kind

HEADINGS = (
    "name", "title", "description", "kind", "values", "min", "max", "bins", "step", "starts", "blank",
    "outside", "known from",
)  # fmt: skip
PARTS = "|"


def write(axes: Sequence[Axis]) -> str:
    """The dictionary as CSV text, guarded against spreadsheet formulas like the table itself.

    `starts` are the first values of the steps a range was cut into; `outside` says what became of cells that
    were not in the declared domain.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(HEADINGS)
    writer.writerows([guard(cell) for cell in _line(axis)] for axis in axes)
    return out.getvalue()


def _line(axis: Axis) -> Iterator[str]:
    column = axis.column
    outside = column.outside_rule.value
    yield from (column.name, _flat(column.title), _flat(column.description), column.kind.value)
    yield PARTS.join(str(value) for value in axis.labels)
    for given in (column.min, column.max, column.bins, column.step):
        yield "" if given is None else str(given)
    yield PARTS.join(_start(edge, column.kind) for edge in axis.edges[:-1])
    yield "yes" if column.blank else "no"
    yield f"{outside}: {axis.other}" if axis.other is not None else outside
    yield column.provenance.value


def _flat(text: str) -> str:
    return " ".join(text.split())


def _start(edge: float, kind: Kind) -> str:
    if kind is Kind.DATE:
        return (EPOCH + dt.timedelta(days=int(edge))).isoformat()
    return f"{edge:.12g}"
