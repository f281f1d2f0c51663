"""Read a public table from which a release starts: a release package or a CSV file.

The steward declares that the table is public. This module handles no private data and provides no privacy
protection.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.core.axis import Axis, domain_of
from synth.core.codebook import Codebook
from synth.core.columns.published import Modelled
from synth.core.errors import Mistake
from synth.core.evidence import MOST_ROWS, Start
from synth.core.schema import Kind, Schema
from synth.release import parquet
from synth.release.codes import codes_of, numbers_of
from synth.release.csv_text import read_column, unguard
from synth.release.layout import Layout
from synth.release.reading.files import files_of
from synth.release.reading.tables import damaged, read_tables

LARGEST = 2**30
"""Largest size of a file, in bytes."""

LONGEST_SOURCE = 200
"""Maximum length of the description of a table's source, in characters."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StartingTable:
    """A public table as it was read. `frame` has the texts or values of the columns that the schema declares.

    `source`: the origin of the table. `digest`: SHA-256 of the file. `absent`: declared columns that the
    table does not contain. `has_texts`: whether the cells are texts from a CSV file.
    """

    frame: pd.DataFrame
    source: str
    digest: str
    absent: tuple[str, ...]
    has_texts: bool

    def encoded(self, codebook: Codebook, *, seed: int) -> tuple[Start, dict[str, int]]:
        """Return at most `MOST_ROWS` rows in the codes of the codebook, and the number of cells of each
        column that are not in its domain.

        Such cells become missing. Absent columns, and missing cells in columns without a missing code, are
        filled with random codes, which are unrelated to other columns. `seed` determines these codes and the
        choice of rows.
        """
        rng = np.random.default_rng([seed, 6])
        frame, outside, columns = self.frame, dict[str, int](), []
        if len(frame) > MOST_ROWS:
            frame = frame.iloc[np.sort(rng.choice(len(frame), MOST_ROWS, replace=False))]
        groupings = {g.column: g for g in codebook.groupings}
        for axis, fine in zip(codebook.axes, domain_of(codebook.axes, ()).sizes, strict=True):
            codes = np.full(len(frame), fine)
            if axis.name in frame:
                codes, outside[axis.name] = self._codes(frame[axis.name], axis)
            unknown = codes >= fine
            codes[unknown] = rng.integers(fine, size=int(unknown.sum()))
            columns.append(groupings[axis.name].coarsen(codes) if axis.name in groupings else codes)
        codes = np.stack(columns, axis=1).astype(np.int64)
        start = Start(codes=codes, source=self.source, digest=self.digest)
        return start, {name: cells for name, cells in outside.items() if cells}

    def _codes(self, cells: pd.Series[Any], axis: Axis) -> tuple[NDArray[np.int64], int]:
        """Return the codes of a column, and the number of its cells that are not in the domain."""
        if not (self.has_texts or (axis.edges and pd.api.types.is_string_dtype(cells))):
            return _codes_of_values(cells, axis)
        if axis.column.holds_bands:
            return np.full(len(cells), axis.missing_code), len(cells)
        values, outside = read_column(cells, axis)
        return codes_of(values, axis), outside


def _codes_of_values(cells: pd.Series[Any], axis: Axis) -> tuple[NDArray[np.int64], int]:
    """Return the codes of a column of a release package, and the number of its cells that are not in the
    domain.
    """
    codes = codes_of(cells, axis)
    if axis.labels:
        is_outside = codes == axis.missing_code
    else:
        numbers, is_whole = numbers_of(cells, axis), axis.column.kind is not Kind.DECIMAL
        is_outside = (numbers < axis.edges[0]) | (numbers > axis.edges[-1] - is_whole)
    is_outside &= cells.notna().to_numpy()
    return np.where(is_outside, axis.missing_code, codes), int(is_outside.sum())


def read_start(
    path: Path | str,
    schema: Schema,
    *,
    source: str = "",
    source_in: str = "--start-source",
    digest: str | None = None,
) -> StartingTable:
    """Read a release package (a folder or a zip), or a CSV file in UTF-8 with a header and commas.

    Columns are matched by name. The cells of a CSV file are read like the cells of a synthetic table:
    declared values, plain numbers, and dates as year-month-day. `source_in` names the place where the steward
    can state the source, for error messages. `digest` is the SHA-256 of the table at the time when it was
    chosen.

    Raises: `Mistake` for a file that cannot be read, that has no row or none of the declared columns, or that
    has changed, and for a CSV file without a `source`.
    """
    place = Path(path).expanduser()
    if place.is_dir() or place.suffix == ".zip":
        frame, found, name = _package(place)
        frame = _with_parts(frame, schema)
        source, has_texts = source or name, False
    else:
        if not source.strip():
            raise Mistake(
                f"State where the public table {str(path)!r} comes from ({source_in}). The report names this "
                "source. No budget was spent."
            )
        (frame, found), has_texts = _csv(place), True
        frame = _with_parts(frame, schema)
    if digest is not None and found != digest:
        raise Mistake(
            f"The starting table {str(path)!r} has changed since it was chosen. Restore it, or choose it "
            "again for a new run. This step spent no budget."
        )
    chosen, absent = _matched(frame, schema, str(path))
    return StartingTable(
        frame=chosen,
        source=" ".join(source.split())[:LONGEST_SOURCE],
        digest=found,
        absent=absent,
        has_texts=has_texts,
    )


def _package(place: Path) -> tuple[pd.DataFrame, str, str]:
    """Return the rows of a release package, the SHA-256 of its table, and its name."""
    files = files_of(place)
    layout = Layout(rehearsal=Layout(rehearsal=True).statement in files)
    with damaged():
        evidence = read_tables(json.loads(files[layout.measurements]), files[layout.marginals])
        release = json.loads(files[layout.statement])["release"]
        content = files[layout.parquet]
        rows = Modelled(parquet.ByColumn(content), evidence.codebook.schema)
        several = [c.name for c in evidence.codebook.schema.read if c.separator]
        cells = parquet.ByColumn(content)
        frame = pd.DataFrame(
            {axis.name: rows[axis.name] for axis in evidence.codebook.axes}
            | {name: cells[name] for name in several}
        )
        name = f"release {release['id']} of {release['title']}"
    return frame, hashlib.sha256(content).hexdigest(), name


def _with_parts(frame: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """Return the table with the modelled columns of multiple-choice columns, made from their cells."""
    modelled = Modelled(frame, schema)
    parts = [part for c in schema.read if c.separator and c.name in frame for part in c.choices.parts]
    return frame.assign(**{part.name: modelled[part.name] for part in parts})


def _csv(place: Path) -> tuple[pd.DataFrame, str]:
    try:
        if place.stat().st_size > LARGEST:
            raise Mistake(f"The starting table {str(place)!r} is larger than 1 GB. Use a sample of its rows.")
        content = place.read_bytes()
        lines = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        header, rows = next(lines, []), [line for line in lines if line]
    except OSError:
        raise Mistake(
            f"There is no readable starting table at {str(place)!r}. No budget was spent."
        ) from None
    except (UnicodeDecodeError, csv.Error):
        raise Mistake(f"The starting table {str(place)!r} is not CSV text in UTF-8.") from None
    if any(len(row) != len(header) for row in rows):
        raise Mistake(f"The starting table {str(place)!r} has a line with too few or too many cells.")
    names = [unguard(name).strip() for name in header]
    return pd.DataFrame(rows, columns=names, dtype="string"), hashlib.sha256(content).hexdigest()


def _matched(frame: pd.DataFrame, schema: Schema, path: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the declared columns of the frame under their declared names, and the names of absent
    columns.
    """
    places: dict[str, Sequence[int]] = {}
    for place, name in enumerate(frame.columns):
        places[str(name).casefold()] = (*places.get(str(name).casefold(), ()), place)
    declared = [column.name for column in schema.modelled]
    found = {name: places[name.casefold()] for name in declared if name.casefold() in places}
    if not found or not len(frame):
        raise Mistake(
            f"The starting table {path!r} has no row, or none of the declared columns: "
            f"{', '.join(declared[:5])}{' and others' if len(declared) > 5 else ''}. No budget was spent."
        )
    if repeated := [name for name, where in found.items() if len(where) > 1]:
        raise Mistake(f"The starting table {path!r} has column {repeated[0]!r} more than once.")
    chosen = frame.iloc[:, [where[0] for where in found.values()]].set_axis(list(found), axis=1)
    return chosen.reset_index(drop=True), tuple(name for name in declared if name not in found)
