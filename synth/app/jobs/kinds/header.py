"""The names in a private file's first line, asked of a process of its own.

Rows are not read. A first line that looks like a row of data may be one, so its cells go nowhere: the process
says only that they are no names.
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

PATIENCE_SECONDS = 60.0
LONGEST_NAME = 200
SEPARATORS = ",;\t|"
"""Signs that may stand between two cells: a line of one cell that holds one was parted by another sign."""

_NUMBER_OR_DATE = re.compile(r"[-+]?[\d.,:/ -]*\d[\d.,:/ %-]*(?:[eE][-+]?\d+)?")
_NOT_NAMES = (
    "The first line of the file does not look like names of columns: one of its cells is empty, very long, a "
    "number or a date, or stands twice, or the line is a single cell with a semicolon, a tab or a bar in it. "
    "It may be a row of data, so nothing of it is shown. Check what is declared to stand between two cells, "
    "say that the file has no line of names, or correct the file."
)


def names_of(data: str, file: Mapping[str, Any]) -> tuple[str, ...]:
    """The column names of a file; `file` is the format as a schema document declares it.

    Raises: `Mistake` if the first line does not look like names; `Refusal` if the file cannot be read.
    """
    order = {"data": data, "file": dict(file)}
    names = LOCAL.ask("header", order, patience=PATIENCE_SECONDS)["names"]
    if names is None:
        raise Mistake(_NOT_NAMES)
    return tuple(names)


def are_names(cells: Sequence[str]) -> bool:
    """Whether the cells of a first line can be names and not a row of data."""
    words = [cell.strip() for cell in cells]
    each = all(w and len(w) <= LONGEST_NAME and not _NUMBER_OR_DATE.fullmatch(w) for w in words)
    is_parted = len(words) > 1 or not any(sign in word for word in words for sign in SEPARATORS)
    return bool(words) and each and is_parted and len({w.casefold() for w in words}) == len(words)


def _names(task: Task, report: Reporter) -> dict[str, Any]:
    from synth.dictionaries.document import file_format
    from synth.private.reading.files import header_only  # brings pyarrow: only in this process

    order = task.order()
    names = header_only(order["data"], file_format(order["file"]))
    return {"names": names if are_names(names) else None}


KIND = TaskKind(work=_names)
