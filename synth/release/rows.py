"""Write a table with any number of rows to one file, block by block.

For a package, the table and all its checks are kept in memory. The rows of a larger table are written to a
separate file, Parquet or CSV. These rows are drawn from the same noisy measurements and therefore spend no
budget. A JSON file next to the file of rows has the checks. Only a few blocks of rows are in memory at any
time.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import pyarrow.parquet as pq

from synth.core.axis import Axis
from synth.core.columns.published import published_axes
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.progress import Reporter, silent
from synth.core.system.device import cores
from synth.dictionaries import dump_schema
from synth.release import csv_text, parquet
from synth.release.layout import canonical, json_text
from synth.release.place import check_place, date_to_day, writing
from synth.release.plan import Plan
from synth.release.stream import rows_of, stream

LEFT_FREE = 10**9
"""Number of bytes that must remain free on a server's disk after writing a file of rows.

The disk may also contain the ledger of a run that has already spent budget.
"""


@dataclass(frozen=True, kw_only=True)
class Written:
    """Facts about a written file of rows and its checks. `is_blocked` is True if the file must not be
    published.
    """

    rows: int
    sentences: tuple[str, ...]
    is_blocked: bool


class _Writer(Protocol):
    """A writer that can convert several blocks of rows at the same time and writes them in order."""

    def form(self, frame: pd.DataFrame) -> Any: ...
    def take(self, form: Any) -> None: ...
    def close(self) -> None: ...


class _Parquet:
    """A writer of Parquet files with one row group per block."""

    def __init__(self, place: Path, axes: tuple[Axis, ...], schema_id: str) -> None:
        self._axes, self._id = axes, schema_id
        none = pd.DataFrame({axis.name: pd.Series([], dtype=object) for axis in axes})
        fields = self.form(none).schema
        self._file = pq.ParquetWriter(place, fields, compression=parquet.COMPRESSION)

    def form(self, frame: pd.DataFrame) -> Any:
        return parquet.arrow_table(frame, self._axes, schema_id=self._id)

    def take(self, form: Any) -> None:
        self._file.write_table(form)

    def close(self) -> None:
        self._file.close()


class _Csv:
    """A writer of CSV files: the header, then the lines of every block."""

    def __init__(self, place: Path, axes: tuple[Axis, ...], schema_id: str) -> None:
        self._axes, self._file = axes, place.open("wb")
        self._file.write(csv_text.header(axis.name for axis in axes).encode())

    def form(self, frame: pd.DataFrame) -> bytes:
        return csv_text.lines(frame, self._axes).encode()

    def take(self, form: bytes) -> None:
        self._file.write(form)

    def close(self) -> None:
        self._file.close()


_WRITERS: dict[str, Callable[[Path, tuple[Axis, ...], str], _Writer]] = {".parquet": _Parquet, ".csv": _Csv}


def check_file(out: str | Path) -> Path:
    """Return the path of a new file whose name ends in .parquet or .csv.

    Raises: `Mistake` for a different file name, or if the file cannot be written there.
    """
    place = Path(out).expanduser().absolute()
    if place.suffix not in _WRITERS:
        raise Mistake(f"Rows are written as Parquet or CSV; {str(out)!r} ends in neither .parquet nor .csv.")
    for taken in (place, checks_beside(place)):
        if taken.exists():
            raise Mistake(f"There is already a file or folder at {str(taken)!r}. Choose a new name.")
    check_place(place)
    return place


def checks_beside(out: Path) -> Path:
    """Return the path of the file with the checks of a file of rows."""
    return out.with_name(f"{out.name}.checks.json")


def write_rows(
    plan: Plan,
    evidence: Evidence,
    model: Model,
    out: str | Path,
    *,
    left_free: int = 0,
    report: Reporter = silent,
) -> Written:
    """Write the rows of a plan to a new file, and their checks next to it. This spends no budget.

    If writing fails, the incomplete file is deleted. Raises: `Mistake` if the path is taken or cannot be
    written to, if the name ends in neither .parquet nor .csv, or if fewer than `left_free` bytes of the disk
    would remain free.
    """
    place = check_file(out)
    with writing(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        return _write(plan, evidence, model, place, left_free=left_free, report=report)


def _write(
    plan: Plan, evidence: Evidence, model: Model, place: Path, *, left_free: int, report: Reporter
) -> Written:
    draft, axes = place.with_name(f".{place.name}.part"), published_axes(evidence.codebook)
    schema_id = hashlib.sha256(canonical(dump_schema(plan.schema))).hexdigest()[:16]
    try:
        with closing(_WRITERS[place.suffix](draft, axes, schema_id)) as writer:

            def take(form: Any) -> None:
                _check_room(place.parent, left_free)
                writer.take(form)

            checks = stream(plan, evidence, model, form=writer.form, take=take, cores=cores(), report=report)
        checks_beside(place).write_text(json_text(checks.to_json()), encoding="utf-8")
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
    for written in (place, checks_beside(place)):
        date_to_day(written)
    return Written(
        rows=rows_of(plan, model),
        sentences=tuple(flag.sentence for flag in checks.flags),
        is_blocked=checks.blocked,
    )


def _check_room(folder: Path, left_free: int) -> None:
    """Raise `Mistake` if fewer than `left_free` bytes of the disk are free."""
    free = shutil.disk_usage(folder).free
    if free < left_free:
        raise Mistake(
            f"The disk has {free // 10**6:,} MB left, of which {left_free // 10**6:,} MB must stay free "
            "for runs. Writing was stopped and the unfinished file was deleted. Request fewer rows, or "
            "remove files."
        )
