"""Write the R script of a release package: the data with their types, a table, a regression, and intervals.

The script needs base R only. Its names, values and dates are declared in the schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.columns.published import published_axes
from synth.core.schema import Kind
from synth.release.layout import Layout, marked

MOST_LEVELS = 200
"""Maximum number of values that the script lists for a column."""
SMALL = 12
"""Maximum number of values of a column in the first table."""

LEAD = """\
# {title}: first steps in R
#
# This script belongs to release {release}. Run it in the unpacked folder of the release package. It needs
# no further packages. Save your changes in a copy, because `marginalia verify` checks this file.
"""
READ = """\
# The synthetic rows, with dates, numbers and lists of values as declared. Cells of the CSV file that a
# spreadsheet could run as a formula start with an apostrophe, which `unguard` removes.
unguard <- function(text) sub("^'(?=[\\\\s']*[=+@-])", "", text, perl = TRUE)
data <- read.csv("{path}", colClasses = "character", na.strings = "", check.names = FALSE,
                 fileEncoding = "UTF-8")
names(data) <- unguard(names(data))
data[] <- lapply(data, unguard)
"""
TABLE = """\
# A first table. Counts of synthetic rows contain the noise of the release.
print(table({columns}, useNA = "ifany"))
"""
REGRESSION = """\
# A regression, to write and test code. Its standard errors are too small: they ignore the privacy noise.
print(coef(lm({response} ~ {regressors}, data = data)))
"""
INTERVALS = """\
# Intervals that include the noise come from the noisy measurements, not from the rows. With Marginalia
# installed, ask the release, and read the answers:
#
#   marginalia ask . table {asked} --out table.csv
#
# counts <- read.csv("table.csv")      # estimate, low and high for each cell
#
# `marginalia ask . mean COLUMN --by COLUMN` and `marginalia ask . regression "Y ~ A + B"` answer in the same
# way. Without Marginalia, use the noisy sums in `measurements/measurements.json`, with their variances.
"""


def write(codebook: Codebook, release: Mapping[str, Any]) -> str:
    """Return the script. `release` is the part of the statement with this name."""
    axes, layout = published_axes(codebook), Layout(rehearsal=release["rehearsal"])
    title = " ".join(marked(release, release["title"]).split())
    parts = [LEAD.format(title=title, release=release["id"]), READ.replace("{path}", layout.csv)]
    parts.append("\n".join(line for axis in axes for line in _typed(axis)) + "\nsummary(data)\n")
    small = [axis for axis in axes if _is_listed(axis) and len(axis.labels) <= SMALL][:2]
    if small:
        parts.append(TABLE.format(columns=", ".join(_column(axis) for axis in small)))
    numbers = [axis for axis in axes if axis.column.kind in (Kind.INTEGER, Kind.DECIMAL) and _is_number(axis)]
    others = [axis for axis in (*numbers[1:], *small) if axis.name != numbers[0].name][:2] if numbers else []
    if numbers and others:
        used = " + ".join(_name(axis.name) for axis in others)
        parts.append(REGRESSION.format(response=_name(numbers[0].name), regressors=used))
    asked = [axis.name for axis in codebook.axes if axis.labels][:2] or [codebook.axes[0].name]
    parts.append(INTERVALS.format(asked=" ".join(_shell(name) for name in asked)))
    return "\n".join(parts)


def _typed(axis: Axis) -> Iterator[str]:
    """Yield the lines that give a column its type. Texts keep theirs."""
    column, cells = axis.column, _column(axis)
    if column.kind is Kind.DATE and not column.holds_bands:
        yield f"{cells} <- as.Date({cells})"
    elif _is_number(axis):
        yield f"{cells} <- as.numeric({cells})"
    elif column.holds_bands:
        yield f"{cells} <- factor({cells}, {_vector(column.labels)}, ordered = TRUE)"
    elif _is_listed(axis) and len(axis.labels) <= MOST_LEVELS:
        values = (*axis.labels, *([] if axis.other is None else [axis.other]))
        shown = [column.label_of(value) if column.write_labels else value for value in values]
        ordered = ", ordered = TRUE" if column.kind is Kind.ORDERED else ""
        named = any(column.labels) and not column.write_labels
        labels = f", labels = {_vector([column.label_of(v) for v in values])}" if named else ""
        yield f"{cells} <- factor({cells}, {_vector(shown)}{labels}{ordered})"


def _is_listed(axis: Axis) -> bool:
    return axis.column.kind.has_values and bool(axis.labels)


def _is_number(axis: Axis) -> bool:
    return axis.column.kind in (Kind.INTEGER, Kind.DECIMAL) and not axis.column.holds_bands


def _column(axis: Axis) -> str:
    return f"data[[{_text(axis.name)}]]"


def _vector(values: Sequence[object]) -> str:
    return f"c({', '.join(_text(str(value)) for value in values)})"


def _text(text: str) -> str:
    """Return a string as R code. R reads the escapes of JSON, except that of a slash."""
    return json.dumps(text, ensure_ascii=False)


def _name(name: str) -> str:
    """Return a column in a formula."""
    return (
        name
        if name.isascii() and name.isidentifier()
        else "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"
    )


def _shell(name: str) -> str:
    name = " ".join(name.split())  # a line break would end the comment
    return name if name.replace("_", "").isalnum() else "'" + name.replace("'", "'\\''") + "'"
