"""Read the columns of a public file in a separate process.

The process refuses a file that is not declared public (see `private.reading.files`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synth.app.jobs.executor import LOCAL
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Task
from synth.core.errors import Mistake
from synth.core.progress import Reporter

_PATIENCE_SECONDS = 900.0


def columns_in(data: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the schema entries for the columns of a public file.

    `schema` is a schema document, of which only `file_is_public` and the formats of the file and its columns
    are used. Raises: `Mistake` if the file is not declared public; `Refusal` if it cannot be read.
    """
    from synth.dictionaries.observed import form_in

    order = {
        "data": data,
        "file": schema.get("file") or {},
        "written": {entry["name"]: form_in(entry) for entry in schema.get("columns") or ()},
        "public": bool(schema.get("file_is_public")),
    }
    answer = LOCAL.ask("domains", order, patience=_PATIENCE_SECONDS)
    if answer["columns"] is None:
        raise Mistake(answer["mistake"])
    columns: list[dict[str, Any]] = answer["columns"]
    return columns


def _columns(task: Task, report: Reporter) -> dict[str, Any]:
    from synth.core.schema import Schema, Unit
    from synth.dictionaries.document import file_format
    from synth.dictionaries.observed import as_written, columns_of
    from synth.private.reading.files import texts_in  # imports pyarrow: only in this process

    order = task.order()
    schema = Schema(
        name="file",
        population="public",
        unit=Unit(max_rows=1),
        columns=tuple(as_written(name, form) for name, form in order["written"].items()),
        file=file_format(order["file"]),
        file_is_public=order["public"],
    )
    try:
        texts = texts_in(order["data"], schema)
        return {"columns": columns_of(texts, schema.file, written=order["written"])}
    except Mistake as mistake:
        return {"columns": None, "mistake": str(mistake)}


KIND = TaskKind(work=_columns)
