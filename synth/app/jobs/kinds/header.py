"""Read the column names in the first line of a private file, in a separate process for the app.

Rows are not read. A first line that looks like data may be a row, so its cells are not shown. In this case,
the error only states that they are not names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from synth.app.jobs.executor import LOCAL
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Task
from synth.core.errors import Mistake
from synth.core.progress import Reporter
from synth.core.schema import FileFormat
from synth.core.system.address import Address, address_of
from synth.core.system.kinds import EXCEL, STATISTICS, WITH_NAMES

PATIENCE_SECONDS = 60.0
LONGEST_NAME = 200
_NUMBER_OR_DATE = re.compile(r"[-+]?[\d.,:/ -]*\d[\d.,:/ %-]*(?:[eE][-+]?\d+)?")
_NO_NAMES = "The file has no column names. Check for an empty file, the sheet and the lines above the names."
_ONE_NAME = (
    "The first line was read as one name. It may be data, so it is not shown. Check the delimiter and the "
    "number of lines above the names, or declare that the file has no header."
)
_ONE_CELL = (
    "The first row of the sheet has only one cell. It may be data, so it is not shown. Check the sheet and "
    "the number of lines above the names."
)
_NOT_NAMES = (
    "The first line does not look like column names: a cell is empty, very long, repeated, a number or a "
    "date, or the delimiter differs. It may be data, so it is not shown. Check the delimiter and the number "
    "of lines above the names, or declare that the file has no header."
)
_NOT_NAMES_IN_SHEET = (
    "The first row of the sheet does not look like column names: a cell is empty or merged, very long, "
    "repeated, a number or a date. It may be data, so it is not shown. Check the sheet and the number of "
    "lines above the names, or declare that the file has no header."
)


def columns_of(data: str, file: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the columns in a file's header. `file` is the file's format as a schema document declares it.

    Each column has a name, and is never blank until the steward declares otherwise. In a file of a statistics
    package, it also has the declarations from its labels. Raises: `Mistake` if the first line does not look
    like names; `Refusal` if the file cannot be read.
    """
    order = {"data": data, "file": dict(file)}
    answer: dict[str, Any] = LOCAL.ask("header", order, patience=PATIENCE_SECONDS)
    if "fault" in answer:
        raise Mistake(answer["fault"])
    columns: list[dict[str, Any]] = answer["columns"]
    return columns


def are_names(cells: Sequence[str]) -> bool:
    """Return True if the cells of a first line can be names."""
    words = [cell.strip() for cell in cells]
    each = all(w and len(w) <= LONGEST_NAME and not _NUMBER_OR_DATE.fullmatch(w) for w in words)
    return bool(words) and each and len({w.casefold() for w in words}) == len(words)


def named_columns(data: Address, file: FileFormat) -> list[dict[str, Any]]:
    """Return the same as `columns_of`, without another process. A file without a header has no columns.

    Raises: as `columns_of`.
    """
    from synth.dictionaries import labels_in
    from synth.private.reading.files import header_only  # imports pyarrow

    ending = data.path.suffix.lower()
    if ending in STATISTICS and data.path.is_file():
        columns: list[dict[str, Any]] = labels_in(data.path).document["columns"]
        return [{"blank": False} | column for column in columns]
    names, in_sheet = header_only(data, file), ending in EXCEL
    if not names and file.header:
        raise Mistake(_NO_NAMES)
    if names and not data.connection and ending not in WITH_NAMES:
        if len(names) == 1:
            raise Mistake(_ONE_CELL if in_sheet else _ONE_NAME)
        if not are_names(names):
            raise Mistake(_NOT_NAMES_IN_SHEET if in_sheet else _NOT_NAMES)
    return [{"name": name, "kind": None, "blank": False} for name in names]


def _columns(task: Task, report: Reporter) -> dict[str, Any]:
    from synth.dictionaries.document import file_format

    order = task.order()
    try:
        return {"columns": named_columns(address_of(order["data"]), file_format(order["file"]))}
    except Mistake as fault:
        return {"fault": str(fault)}


KIND = TaskKind(work=_columns)
