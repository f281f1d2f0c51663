"""Read workbooks and files of statistics packages in a separate process.

The readers of these files are written in C or parse XML. A damaged file may crash them, fill their memory or
keep them busy, but it affects nothing else. This module contains both sides. When imported, it starts the
process. When started as a program, it prints the names of the columns as JSON, or some columns as an Arrow
stream. The process writes no file. Its messages may quote a cell and are discarded.

A workbook is read as values: a formula is read as its stored value, or as a blank without one. Links are not
followed, and macros are not run.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

MEMORY = 4 << 30
"""Memory limit of the process, in bytes."""
SECONDS = 3600
"""Limit on the processor time of the process, in seconds. A workbook of a million rows and 20 columns takes
five minutes.
"""
NO_SHEET = 3
"""The exit code if a workbook does not have the declared sheet."""
TOO_SLOW = -signal.SIGXCPU
"""The exit code of a process that reached its limit of processor time."""
CELLS = 1 << 20
"""Number of cells that are read at a time."""
ROWS = 1 << 20
"""Maximum number of rows in a sheet."""
ERRORS = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"}
"""Texts of workbook cells that show an error, which are read as blanks."""

READERS = {".xlsx": "", ".sav": "read_sav", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat"}
"""The functions of `pyreadstat` by kind of file; "" for openpyxl."""

LARGEST_WHOLE = 1 << 53
"""Limit of the whole numbers that are written without a decimal sign."""

_PLAIN = (None, "UTF-8", "WINDOWS-1252", "ISO-8859-1", "US-ASCII")
"""Encodings whose bytes are passed on unchanged. All others are converted to UTF-8."""
_LATIN = "ISO-8859-1"


@contextmanager
def started(path: str, order: Mapping[str, Any]) -> Iterator[IO[bytes]]:
    """Yield the output of the process.

    Raises: `ChildProcessError` with the exit code if the process failed; the code is `TOO_SLOW` after
    `order["seconds"]`.
    """
    # -P: some modules beside this file have the same names as modules of the standard library
    command = [sys.executable, "-P", __file__, path, json.dumps(order)]
    known = os.pathsep.join([str(Path(__file__).parents[3]), *filter(None, [os.environ.get("PYTHONPATH")])])
    settings = {**os.environ, "OPENPYXL_LXML": "False", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    settings["PYTHONPATH"] = known
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=settings
    )
    assert process.stdout is not None
    try:
        yield process.stdout
        while process.stdout.read(1 << 16):
            pass
        if process.wait():
            raise ChildProcessError(process.returncode)
    except (OSError, ValueError):  # a part of the output is missing
        with suppress(subprocess.TimeoutExpired):
            if process.wait(1) == TOO_SLOW:
                raise ChildProcessError(TOO_SLOW) from None
        raise
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def main(path: str, order: Mapping[str, Any]) -> None:
    """Print the column names, or the columns at `order["places"]` as text, bytes or timestamps.

    `order["decimals"]` contains the decimal signs for their numbers, and `order["kinds"]` their kinds.
    `order["values"]` contains the strings that are values even if the file states that they mean missing.
    `order["encoding"]` is the declared encoding of texts, or "".
    """
    with suppress(OSError, ValueError):  # not every system has these limits
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (order["seconds"], order["seconds"] + 1))
    reader, places = READERS[order["kind"]], order.get("places")
    if places is None:
        names = header(path, reader)[0] if reader else [*map(text, next(sheet(path, order), []))]
        json.dump(names if reader or order["header"] else [], sys.stdout)
        return
    import pyarrow as pa

    from synth.core.cells.sheets import Declared
    from synth.core.schema import Kind

    declared = [Declared(Kind(k), v) for k, v in zip(order["kinds"], order["values"], strict=True)]
    columns = [*zip(places, order["decimals"], declared, strict=True)]
    blocks = records(path, order, columns) if reader else cells(path, order, columns)

    writer: Any = None
    for block in blocks:
        batch = pa.record_batch(block, names=[str(place) for place in range(len(block))])
        writer = writer or pa.ipc.new_stream(sys.stdout.buffer, batch.schema)
        writer.write_batch(batch)
    if writer is not None:
        writer.close()


def header(path: str, reader: str) -> tuple[list[str], list[str], Any]:
    """Return the names of the columns, the names that the reader uses for them, and the other facts of the
    file.
    """
    import pyreadstat

    read = getattr(pyreadstat, reader)
    _, header_facts = read(path, metadataonly=True, **_missing_too(reader))
    if header_facts.file_encoding not in _PLAIN:
        return list(header_facts.column_names), list(header_facts.column_names), header_facts
    _, plain = read(path, metadataonly=True, encoding=_LATIN)
    return list(header_facts.column_names), list(plain.column_names), header_facts


def _missing_too(reader: str) -> dict[str, bool]:
    """Return the argument that makes the reader return SPSS's codes for missing and their ranges."""
    return {"user_missing": True} if reader == READERS[".sav"] else {}


def records(
    path: str, order: Mapping[str, Any], columns: Sequence[tuple[int, str, Any]]
) -> Iterator[list[Any]]:
    """Read the columns at these positions, with their decimal signs and declarations, in batches of rows.

    Codes that the file declares as missing become blanks, unless they are among the `values` of a column.
    Bytes that are not text are kept unchanged, so that they affect no other cell. Timestamps are read as
    numbers, because the reader refuses a file if one of them is out of range.
    """
    import pyreadstat

    reader = READERS[order["kind"]]
    names, known, header_facts = header(path, reader)
    places = [place for place, *_ in columns]
    wanted = [known[place] for place in places]
    formats = [str(header_facts.original_variable_types.get(names[place]) or "") for place in places]
    ranges = [header_facts.missing_ranges.get(names[place], ()) for place in places]
    is_text = [header_facts.readstat_variable_types.get(names[place]) == "string" for place in places]
    encoding = _LATIN if header_facts.file_encoding in _PLAIN else None
    rows = max(1, CELLS // len(wanted))
    for start in itertools.count(0, rows):
        held, _ = getattr(pyreadstat, reader)(
            path,
            usecols=list(dict.fromkeys(wanted)),
            encoding=encoding,
            disable_datetime_conversion=True,
            output_format="dict",
            row_offset=start,
            row_limit=rows,
            **_missing_too(reader),
        )
        count = len(held[wanted[0]]) if held else 0
        if count or not start:
            cells = [
                _answered(held[name], found, declared.values)
                for name, found, (_, _, declared) in zip(wanted, ranges, columns, strict=True)
            ]
            yield [
                _texts(some, "latin-1" if encoding else "utf-8", order["encoding"] if encoding else "")
                if is_one
                else _numbers(some, form, order["kind"], sign, declared)
                for some, form, is_one, (_, sign, declared) in zip(
                    cells, formats, is_text, columns, strict=True
                )
            ]
        if count < rows:
            return


def _answered(cells: Sequence[Any], ranges: Sequence[Mapping[str, Any]], values: Sequence[str]) -> Any:
    """Return the cells, with None for codes in these ranges.

    A code is kept if it is one of `values`, or if one of them consists of a prefix of the code and a star.
    """
    if not ranges:
        return cells
    starts = tuple(value.removesuffix("*") for value in values if value.endswith("*"))
    filled = {cell for cell in cells if cell is not None}
    codes = {cell for cell in filled if any(one["lo"] <= cell <= one["hi"] for one in ranges)}
    blank = {code for code in codes if written(code) not in values and not written(code).startswith(starts)}
    return [None if cell in blank else cell for cell in cells]


def _texts(cells: Sequence[Any], encoding: str, declared: str) -> Any:
    """Return texts as bytes, which are converted to UTF-8 if the declared encoding of the file is known."""
    import pyarrow as pa

    found = [None if c is None else str(c).encode(encoding, "replace") for c in cells]
    if declared:
        found = [None if c is None else c.decode(declared, "replace").encode() for c in found]
    return pa.array(found, pa.binary())


def _numbers(cells: Sequence[Any], form: str, kind_of_file: str, sign: str, declared: Any) -> Any:
    """Return numbers as text (whole numbers without a decimal point), or as the days, times and periods that
    their format shows.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from synth.core.cells.displays import writer

    numbers = np.array([np.nan if c is None else c for c in cells], dtype=np.float64)
    write = writer(form, kind_of_file)
    if write is not None:
        found, places = np.unique(numbers, return_inverse=True)
        texts = pa.array([write(number, declared) for number in found.tolist()], pa.large_string())
        return texts.take(pa.array(places))
    whole = np.floor(numbers)
    fits = (whole == numbers) & (np.abs(numbers) < LARGEST_WHOLE)
    whole = np.where(fits, whole, 0).astype(np.int64)
    floats = pa.array(numbers, from_pandas=True).cast(pa.large_string())
    floats = pc.replace_substring(floats, pattern=".", replacement=sign)
    return pc.if_else(pa.array(fits), pa.array(whole).cast(pa.large_string()), floats)


def sheet(path: str, order: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Read the rows of a sheet after the first `order["skip"]` rows, as pairs of a value and its cell.

    An error becomes "", like a blank.
    """
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
    shown = sorted(book.worksheets, key=lambda one: one.sheet_state != "visible")
    found = [one for one in shown if not order["sheet"] or one.title == order["sheet"]]
    if not found:
        sys.exit(NO_SHEET)
    found[0].reset_dimensions()  # a sheet may declare any size, and would be filled up to it
    for number, row in enumerate(found[0].iter_rows()):
        if number >= ROWS:
            raise ValueError("a row number exceeds the limit of a workbook")  # rows would be invented
        if number < order["skip"]:
            continue
        yield [_BLANK if (v := cell.value) is None or v in ERRORS else (v, cell) for cell in row]


_BLANK = ("", None)
"""A cell without a value."""


def text(pair: tuple[Any, Any]) -> str:
    """Return the name of a column in a sheet."""
    return written(pair[0])


def cells(
    path: str, order: Mapping[str, Any], columns: Sequence[tuple[int, str, Any]]
) -> Iterator[list[Any]]:
    """Read the columns at these positions as strings, with their signs and declarations, in batches of rows.

    A row without any content is not a record.
    """
    import pyarrow as pa

    rows = sheet(path, {**order, "skip": order["skip"] + order["header"]})
    some, most = (row for row in rows if any(cell != _BLANK for cell in row)), max(1, CELLS // len(columns))
    while True:
        block = list(itertools.islice(some, most))
        yield [
            pa.array(
                [_shown(row[place], sign, declared) if place < len(row) else "" for row in block],
                pa.large_string(),
            )
            for place, sign, declared in columns
        ]
        if len(block) < most:
            return


def _shown(pair: tuple[Any, Any], sign: str, declared: Any) -> str:
    """Return the text of a cell. Its number format affects numbers, dates and times."""
    from synth.core.cells.sheets import shown

    value, cell = pair
    if cell is None or isinstance(value, str):
        return written(value)
    is_1904 = cell.parent.parent.epoch.year == YEAR_1904
    return written(shown(value, cell.number_format, declared, sign=sign, is_1904=is_1904))


YEAR_1904 = 1904
"""The year of day 0 in the second date system of Excel."""


def written(cell: Any, decimal: str = ".") -> str:
    """Return a value as text, with whole numbers without a decimal sign, and days and timestamps in ISO
    form.
    """
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else str(cell).replace(".", decimal)
    if isinstance(cell, dt.datetime):
        return cell.isoformat(sep=" ", timespec="seconds").removesuffix(" 00:00:00")
    if isinstance(cell, dt.time):
        return cell.isoformat(timespec="seconds")
    return str(cell).encode("utf-8", "replace").decode()


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
