"""Read a project's columns from a dictionary, from the header of the file, or from a public file.

Only a separate process reads a private file.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from synth.app.jobs.kinds.domains import columns_in
from synth.app.jobs.kinds.header import columns_of
from synth.app.jobs.store import Job
from synth.app.project import store as projects
from synth.app.project.describe.columns import entries_of
from synth.app.project.describe.several import waits
from synth.app.project.store import Origin, Project, Upload
from synth.core.errors import Mistake
from synth.core.schema import FileFormat, Kind, check_format, matching
from synth.core.system.address import Address, address_of, entries
from synth.core.system.kinds import DUCKDB, EXCEL, KINDS, TYPED, check_kind
from synth.dictionaries import Format, read_draft
from synth.dictionaries.document import dumped, file_format
from synth.dictionaries.remarks import without_personal
from synth.dictionaries.words import FIELD_NAMES, Words

_STEWARDS = ("name", "population", "unit", "rows_public", "file_is_public")
"""Fields that other pages ask for. A dictionary fills them only if they are empty."""


class Place(StrEnum):
    """Where the private table is. This is derived from file names alone."""

    PENDING = "pending"
    DEMO = "demo"
    FILE = "file"
    FOLDER = "folder"
    PATTERN = "pattern"
    TABLE = "table"
    UPLOAD = "upload"
    DATABASE = "database"


ENDINGS = ("csv", "tsv", "txt", "data", *(ending.removeprefix(".") for ending in KINDS))
"""File extensions that can be uploaded."""

COMPARED = "fit"
"""Name of the step that is done once the file has been compared with the columns."""


def place_of(project: Project) -> Place:
    """Return where the table of a project is."""
    if project.origin is not Origin.PATH:
        return Place(project.origin.value)
    address = address_of(project.data)
    if address.table or address.path.suffix.lower() in DUCKDB:
        return Place.TABLE
    if address.is_pattern:
        return Place.PATTERN
    return Place.FOLDER if address.path.is_dir() else Place.FILE


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """The result of loading a dictionary: its format, the number of columns, remarks on what is missing or
    ignored, and its maximum number of rows per unit if the project has another number.
    """

    format: Format
    columns: int
    notes: tuple[str, ...]
    rows_claimed: int | None


@dataclass(frozen=True, kw_only=True)
class NamesInFile:
    """The names in the file compared with the declared columns. `respelled` maps declared names to names in
    the file that differ in case, spaces or the composition of letters.
    """

    lacking: tuple[str, ...]
    surplus: tuple[str, ...]
    respelled: tuple[tuple[str, str], ...] = ()


def with_dictionary(
    project: Project, raw: bytes, *, name: str, table: str | None = None, words: Words = FIELD_NAMES
) -> tuple[Project, Loaded]:
    """Return the project with the columns of a dictionary, and remarks.

    `words` contains the names of the fields in the remarks. Raises: `Mistake` for a file that is not a
    dictionary.
    """
    draft = read_draft(raw, name=name, table=table, words=words)
    own = draft.format is Format.OWN and draft.document.get("file") is not None
    merged, rows_claimed = _merge(project.schema, draft.document, whole=own or draft.format is Format.SPEC)
    loaded = Loaded(
        format=draft.format, columns=len(entries_of(merged)), notes=draft.notes, rows_claimed=rows_claimed
    )
    return replace(project, schema=merged), loaded


def _merge(
    ours: Mapping[str, Any], theirs: Mapping[str, Any], *, whole: bool
) -> tuple[dict[str, Any], int | None]:
    """Merge two schema documents: their columns, our answers about the population if there are any, and both
    file formats, where theirs takes priority. A Marginalia schema states the `whole` format, with defaults.

    Return the document, and their maximum number of rows per unit if ours differs.
    """
    merged = {name: value for name, value in theirs.items() if value is not None}
    if written := {**({} if whole else ours.get("file") or {}), **(theirs.get("file") or {})}:
        merged["file"] = written
    for field in _STEWARDS:
        if ours.get(field) is not None:
            merged[field] = ours[field]
    unit, declared = ours.get("unit") or {}, theirs.get("unit") or {}
    merged["unit"] = {**declared, **{k: v for k, v in unit.items() if v is not None}}
    most, claimed = unit.get("max_rows"), declared.get("max_rows")
    return merged, claimed if most and claimed and most != claimed else None


def with_file(project: Project, *, path: str, upload: Upload | None = None, table: str = "") -> Project:
    """Return the project with another private table, which is not read. It is an address in the data folder,
    a connection, or an upload. `table` names the table in a DuckDB file.

    Raises: `Mistake` that names what is missing or wrong. The old file is kept until the project is saved
    (see `delete_uploads`). The new file is neither declared public nor compared with the columns.
    """
    project = replace(project, settled=tuple(step for step in project.settled if step != COMPARED))
    if not project.rehearsal:
        kept = {name: value for name, value in project.schema.items() if name != "file_is_public"}
        project = replace(project, schema=kept)
    if upload is not None:
        ending = Path(upload.name).suffix.lower()
        check_kind(upload.name)
        kind = KINDS.get(ending, ".csv")
        data = projects.keep_upload(project.id, upload, suffix=f"-{secrets.token_hex(4)}{kind}")
        place = Address(path=data, table=table.strip() if kind in DUCKDB else "")
        return replace(project, origin=Origin.UPLOAD, data=str(place), called=upload.name, header=())
    if not path.strip():
        raise Mistake("No table is chosen. Choose the table first.")
    address = projects.allowed_address(path, table=table.strip())
    origin = Origin.DATABASE if address.connection else Origin.PATH
    return replace(project, origin=origin, data=str(address), called=address.called, header=())


def holds_tables(path: str, upload: Upload | None) -> bool:
    """Return whether a DuckDB file was chosen. Such a file may contain several tables."""
    return Path(path if upload is None else upload.name).suffix.lower() in DUCKDB


def tells_types(data: str) -> bool:
    """Return whether the table at this address has column types, as in a database or a file of `TYPED`. Only
    file names are used.
    """
    return bool(address_of(data).connection) or _ending(data) in TYPED


def is_workbook(data: str) -> bool:
    """Return whether the table at this address is in an Excel workbook. Only file names are used."""
    return _ending(data) in EXCEL


def _ending(data: str) -> str:
    address = address_of(data)
    try:
        first = () if address.connection else entries(address)[:1]
    except OSError:
        return ""
    return first[0].suffix.lower() if first else ""


def delete_uploads(project: Project) -> None:
    """Delete the uploads of a project that are neither its current file nor the file of a run on this
    machine, which may still be resumed.

    If the order of a run cannot be read, nothing is deleted.
    """
    try:
        used = {project.data, *(job.spec().data for job in Job.all())}
        needed = {str(address_of(data).path) for data in used}
    except Mistake:
        return
    for path in project.folder.glob("private*"):
        if str(path) not in needed:
            path.unlink(missing_ok=True)


def format_of(document: Mapping[str, Any]) -> FileFormat:
    """Return the file format that the document declares."""
    return file_format(document.get("file") or {})


def with_format(project: Project, form: FileFormat) -> Project:
    """Return the project with another file format. Raises: `Mistake` for an impossible format."""
    check_format(form)
    if form == format_of(project.schema):
        return project
    return replace(project, schema={**project.schema, "file": dumped(form)}, header=())


def with_header(project: Project) -> Project:
    """Return the project with the names in the file's header. They become the columns if no column has a
    domain yet.

    A file of a statistics package also provides its labels. For a database, only the declared names are kept
    if there are any. Raises: `Mistake` if the first line does not look like names, `Refusal` if the file
    cannot be read.
    """
    columns = columns_of(project.data, project.schema.get("file") or {})
    names = tuple(column["name"] for column in columns)
    declared = entries_of(project.schema)
    if project.origin is Origin.DATABASE and declared:
        names = tuple(entry["name"] for entry in declared if entry["name"] in names)
        return replace(project, header=names)
    read = replace(project, header=names)
    if not all(entry.get("kind") == Kind.DROP or waits(entry) for entry in declared):
        return read
    return _with_columns(replace(read, schema={**read.schema, "columns": []}), columns)


def with_domains(project: Project, *, public: bool) -> Project:
    """Return the project with the columns of its file, if the file is declared public. The ID column is
    excluded.

    Raises: `Mistake` for a private file, `Refusal` if it cannot be read.
    """
    schema = {**project.schema, "file_is_public": public}
    read = columns_in(project.data, schema)
    unit_id = (project.schema.get("unit") or {}).get("id_column")
    columns = [{"name": c["name"], "kind": "drop"} if c["name"] == unit_id else c for c in read]
    header = tuple(column["name"] for column in columns)
    return replace(project, schema={**schema, "columns": columns}, header=header)


def with_added(project: Project, names: tuple[str, ...]) -> Project:
    """Return the project with additional columns of these names. Columns that look like IDs are excluded."""
    declared = {entry["name"] for entry in entries_of(project.schema)}
    added = [{"name": name, "kind": None} for name in names if name not in declared]
    return _with_columns(project, added)


def _with_columns(project: Project, added: Sequence[Mapping[str, Any]]) -> Project:
    columns = without_personal(added)
    return replace(project, schema={**project.schema, "columns": [*entries_of(project.schema), *columns]})


def names_against(project: Project) -> NamesInFile | None:
    """Compare the names last read from the file with the columns. Return None if no names were read."""
    if not project.header:
        return None
    declared = {entry["name"]: entry for entry in entries_of(project.schema)}
    unit_id = (project.schema.get("unit") or {}).get("id_column")
    made = {name for name, entry in declared.items() if entry.get("kind") == "drop" or entry.get("formula")}
    needed = [name for name in declared if name not in made or name == unit_id]
    held = {name: [project.header[place] for place in matching(name, project.header)] for name in declared}
    read = {name for names in held.values() for name in names}
    return NamesInFile(
        lacking=tuple(name for name in needed if not held[name]),
        surplus=tuple(name for name in project.header if name not in read),
        respelled=tuple((name, held[name][0]) for name in needed if held[name] and name not in held[name]),
    )
