"""Write a SAS file through the C library inside pyreadstat, whose Python functions only read such files.

Another reader, that of pandas, agrees on what it holds (`tests/private/reading/test_foreign.py`).
"""

from __future__ import annotations

import ctypes
import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd

TEXT, DOUBLE = 0, 5
ORIGIN = dt.datetime(1960, 1, 1)
"""Day and second 0."""


def write_sas(frame: pd.DataFrame, path: Path) -> None:
    """Write texts, numbers, days and moments; None, nan and "" are missing."""
    from pyreadstat import _readstat_writer

    library, held = ctypes.CDLL(_readstat_writer.__file__), bytearray()

    @ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    def take(data: int, size: int, context: None) -> int:
        held.extend(ctypes.string_at(data, size))
        return size

    def call(name: str, *given: Any) -> None:
        assert getattr(library, name)(writer, *given) == 0, name

    library.readstat_writer_init.restype = library.readstat_add_variable.restype = ctypes.c_void_p
    writer = ctypes.c_void_p(library.readstat_writer_init())
    library.readstat_set_data_writer(writer, take)
    columns = []
    for name in frame.columns:
        cells = [None if cell == "" or pd.isna(cell) else cell for cell in frame[name]]
        some: Any = next((cell for cell in cells if cell is not None), 0.0)
        kind, size = DOUBLE, 8
        if isinstance(some, str):
            kind, size = TEXT, max(len(cell.encode()) for cell in cells if cell is not None)
        place = ctypes.c_void_p(
            library.readstat_add_variable(writer, name.encode(), kind, ctypes.c_size_t(size))
        )
        if isinstance(some, dt.date):
            form = b"DATETIME" if isinstance(some, dt.datetime) else b"DATE"
            library.readstat_variable_set_format(place, form)
        columns.append((place, cells))
    call("readstat_begin_writing_sas7bdat", None, ctypes.c_long(len(frame)))
    for row in range(len(frame)):
        call("readstat_begin_row")
        for place, cells in columns:
            if (cell := cells[row]) is None:
                call("readstat_insert_missing_value", place)
            elif isinstance(cell, str):
                call("readstat_insert_string_value", place, cell.encode())
            else:
                call("readstat_insert_double_value", place, ctypes.c_double(_number(cell)))
        call("readstat_end_row")
    call("readstat_end_writing")
    library.readstat_writer_free(writer)
    path.write_bytes(held)


def _number(cell: Any) -> float:
    if isinstance(cell, dt.datetime):
        return (cell - ORIGIN).total_seconds()
    return float((cell - ORIGIN.date()).days if isinstance(cell, dt.date) else cell)
