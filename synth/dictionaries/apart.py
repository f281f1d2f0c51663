"""Read foreign binary files in a separate process, so that a crash or an endless read affects nothing else.

This module contains both sides. When imported, it sends the bytes of a file to the process. When started as a
program, it reads them with `pyreadstat` or `openpyxl` and prints the result as JSON. It imports no other
module of this project, so that it starts quickly.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

SECONDS = 60
"""Time in seconds after which the reader is stopped."""
_MEMORY = 4 * 2**30
_MOST_LINES, _MOST_CELLS = 20_000, 100
"""Maximum number of cells in a sheet. A larger sheet is not a dictionary."""
WORKBOOK = "workbook"
WITH_MISSING = ("read_sav", "read_por")
"""The readers of files that declare codes for missing values."""


def content_of(source: bytes | Path, *, way: str) -> Any:
    """Return the content of a file: the result of `sheet` if `way` is `WORKBOOK`, otherwise of `header`.

    The bytes are in memory or, if that is not possible, in an unnamed file. This file disappears when the
    processes that use it end for any reason, while a named copy would remain if this process were killed.
    Raises: `ValueError` if the reader refuses the file, crashes or takes too long. The message quotes nothing
    from the file.
    """
    if isinstance(source, Path):
        return _found(str(source), way)
    with _without_name() as file:
        file.write(source)
        file.flush()
        return _found(f"/dev/fd/{file.fileno()}", way, file.fileno())


def _found(path: str, way: str, *passed: int) -> Any:
    # -P: some modules beside this file have the same names as modules of the standard library
    command = [sys.executable, "-P", __file__, way, path]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            pass_fds=passed,
            timeout=SECONDS,
            check=True,
        )
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        raise ValueError("the file could not be read") from None


def _without_name() -> IO[bytes]:
    if not hasattr(os, "memfd_create"):
        return tempfile.TemporaryFile()
    place = os.memfd_create("file")
    os.fchmod(place, 0o600)
    return os.fdopen(place, "w+b")


def sheet(path: str) -> list[list[str | int | float | bool | None]]:
    """Return the cells of the first sheet of a workbook, with dates as ISO text.

    Raises: `ValueError` if there are too many cells.
    """
    import openpyxl

    rows: list[list[str | int | float | bool | None]] = []
    with Path(path).open("rb") as file:
        first = openpyxl.load_workbook(file, read_only=True, data_only=True).worksheets[0]
        first.reset_dimensions()  # a sheet may declare any size, and would be filled up to it
        for cells in first.iter_rows(values_only=True):
            if len(rows) == _MOST_LINES:
                raise ValueError
            rows.append([_plain(cell) for cell in cells[:_MOST_CELLS]])
    return rows


def _plain(cell: Any) -> str | int | float | bool | None:
    if cell is None or isinstance(cell, str | int | float):
        return cell
    return str(cell).removesuffix(" 00:00:00")


def header(reader: str, path: str) -> list[dict[str, Any]]:
    """Return the header of each column.

    It has the name, title, pairs of value and label, codes that mean missing, type and format.
    """
    import pyreadstat

    missing = {"user_missing": True} if reader in WITH_MISSING else {}
    _, header_facts = getattr(pyreadstat, reader)(path, metadataonly=True, **missing)
    return [
        {
            "name": name,
            "title": (header_facts.column_names_to_labels or {}).get(name) or "",
            "measure": (header_facts.variable_measure or {}).get(name) or "",
            "labels": list(((header_facts.variable_value_labels or {}).get(name) or {}).items()),
            "missing": [
                (code["lo"], code["hi"]) for code in (header_facts.missing_ranges or {}).get(name) or ()
            ],
            "format": (header_facts.original_variable_types or {}).get(name) or "",
            "type": (header_facts.readstat_variable_types or {}).get(name) or "",
        }
        for name in header_facts.column_names
    ]


def main(way: str, path: str) -> None:
    with suppress(OSError, ValueError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    json.dump(sheet(path) if way == WORKBOOK else header(way, path), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
