"""Determine the kinds of table files by file extension."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from synth.core.errors import Mistake

PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
DUCKDB = (".duckdb", ".ddb")
EXCEL = (".xlsx",)
SPSS = (".sav", ".zsav")
STATA = (".dta",)
SAS = (".sas7bdat",)
GZIP = (".gz",)
ZIP = (".zip",)

STATISTICS = (*SPSS, *STATA, *SAS)
TYPED = (*PARQUET, *ARROW, *DUCKDB, *EXCEL, *STATISTICS)
"""File extensions of files whose columns have types."""
WITH_NAMES = (*PARQUET, *ARROW, *DUCKDB)
"""File extensions of files that store the column names separately from the rows."""
COMPRESSED = (*GZIP, *ZIP)
"""File extensions of compressed text files."""
KINDS = {
    end: kind[0] for kind in (PARQUET, ARROW, DUCKDB, EXCEL, SPSS, STATA, SAS, GZIP, ZIP) for end in kind
}

UNSUPPORTED = {
    ".xls": "Excel 97 workbooks",
    ".xlsm": "Excel workbooks with macros",
    ".xlsb": "binary Excel workbooks",
    ".ods": "OpenDocument sheets",
    ".numbers": "Numbers sheets",
    ".por": "SPSS portable files",
    ".xpt": "SAS transport files",
    ".rds": "R files",
    ".rda": "R files",
    ".rdata": "R files",
    ".pkl": "pickled files",
    ".json": "JSON files",
    ".jsonl": "JSON files",
    ".xml": "XML files",
    ".html": "HTML files",
    ".pdf": "PDF files",
    ".orc": "ORC files",
    ".avro": "Avro files",
    ".h5": "HDF5 files",
    ".sqlite": "SQLite files",
    ".sqlite3": "SQLite files",
    ".db": "database files",
    ".accdb": "Access files",
    ".mdb": "Access files",
    ".bz2": "bzip2 files",
    ".xz": "xz files",
    ".zst": "Zstandard files",
    ".7z": "7-Zip files",
    ".rar": "RAR files",
    ".tar": "tar files",
    ".tgz": "tar files",
}
"""File extensions of tables that cannot be read, and the names of their formats."""

_NEEDED = {**dict.fromkeys(EXCEL, "openpyxl"), **dict.fromkeys(STATISTICS, "pyreadstat")}
"""The library for each kind of file that needs one which may not be installed."""


def kind_of(path: Path) -> str:
    """Return the kind of a file: a value of `KINDS`, or "" for text."""
    return KINDS.get(path.suffix.lower(), "")


def check_kind(name: str) -> None:
    """Raise `Mistake` if a file is of an unsupported kind, or if the library for it is missing."""
    path = Path(name)
    ending = path.suffix.lower()
    inside = Path(path.stem).suffix.lower() if ending in COMPRESSED else ""
    if found := UNSUPPORTED.get(ending) or UNSUPPORTED.get(inside):
        raise Mistake(
            f"{found[0].upper()}{found[1:]} are not supported ({path.name!r}). Save the table as CSV, "
            "Parquet or an Excel workbook (.xlsx)."
        )
    if inside in KINDS:
        raise Mistake(
            f"Only CSV files can be read in compressed form ({path.name!r}). Unpack the file first."
        )
    library = _NEEDED.get(ending)
    if library and find_spec(library) is None:
        raise Mistake(
            f"Reading {path.name!r} needs {library}, which is not installed: pip install {library}. "
            "Alternatively, save the table as CSV."
        )
