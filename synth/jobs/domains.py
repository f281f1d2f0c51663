"""The columns a public file holds, read by a process of its own: `python -m synth.jobs.domains`.

The process refuses a file that is not declared public; see `measure.public`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from synth.errors import Code, Mistake, Refusal
from synth.jobs.hardening import harden
from synth.jobs.launch import ROOT, worker_environment

MODULE = "synth.jobs.domains"
PATIENCE_SECONDS = 900.0


def columns_in(data: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Entries of a schema document for the columns of a public file.

    `schema` is a document of which the file's format and `file_is_public` count.
    Raises: `Mistake` if the file is not declared public; `Refusal` if it cannot be read.
    """
    order = {"data": data, "file": schema.get("file") or {}, "public": bool(schema.get("file_is_public"))}
    try:
        answer = subprocess.run(
            [sys.executable, "-P", "-m", MODULE],
            input=json.dumps(order).encode(),
            capture_output=True,
            timeout=PATIENCE_SECONDS,
            env=worker_environment(),
            cwd=ROOT,
            check=False,
        )
        told = json.loads(answer.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        raise Refusal(Code.FILE_UNREADABLE) from None
    if told["columns"] is None:
        raise Mistake(told["mistake"]) if told["code"] is None else Refusal(Code(told["code"]))
    columns: list[dict[str, Any]] = told["columns"]
    return columns


def main() -> int:
    """Entry of the process: an order on standard input, one JSON object on standard output."""
    harden()
    sys.stdout.write(json.dumps(_told(json.load(sys.stdin))))
    return 0


def _told(order: Mapping[str, Any]) -> dict[str, Any]:
    from synth.measure.public import texts_in  # brings duckdb and pyarrow: only in this process
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
        columns = columns_of(texts_in(Path(order["data"]), schema))
    except Refusal as refusal:
        return {"columns": None, "code": refusal.code.value, "mistake": ""}
    except Mistake as mistake:
        return {"columns": None, "code": None, "mistake": str(mistake)}
    return {"columns": columns, "code": None, "mistake": ""}


if __name__ == "__main__":
    sys.exit(main())
