"""The columns a public file holds, read by a process of its own: `python -m synth.jobs.domains`.

The process refuses a file that is not declared public; see `reading.public`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from synth.errors import Mistake
from synth.jobs.launch import answer, ask

MODULE = "synth.jobs.domains"
PATIENCE_SECONDS = 900.0


def columns_in(data: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Entries of a schema document for the columns of a public file.

    `schema` is a document of which the file's format and `file_is_public` count.
    Raises: `Mistake` if the file is not declared public; `Refusal` if it cannot be read.
    """
    order = {"data": data, "file": schema.get("file") or {}, "public": bool(schema.get("file_is_public"))}
    told = ask(MODULE, order, patience=PATIENCE_SECONDS)
    if told["columns"] is None:
        raise Mistake(told["mistake"])
    columns: list[dict[str, Any]] = told["columns"]
    return columns


def _told(order: Mapping[str, Any]) -> dict[str, Any]:
    from synth.reading.public import texts_in  # brings pyarrow: only in this process
    from synth.schema import Schema, Unit
    from synth.schema_io.document import file_format
    from synth.schema_io.observed import columns_of

    schema = Schema(
        name="file",
        population="public",
        unit=Unit(max_rows=1),
        columns=(),
        file=file_format(order["file"]),
        file_is_public=order["public"],
    )
    try:
        return {"columns": columns_of(texts_in(Path(order["data"]), schema))}
    except Mistake as mistake:
        return {"columns": None, "mistake": str(mistake)}


if __name__ == "__main__":
    sys.exit(answer(_told))
