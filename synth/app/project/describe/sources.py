"""Where a project's columns come from: a dictionary, the names in the file, and the file itself.

Pure but for the disk of the project: what is read of a private file is read by a process of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from synth.app.jobs.kinds.domains import columns_in
from synth.app.jobs.kinds.header import names_of
from synth.app.jobs.store import Job
from synth.app.project import store as projects
from synth.app.project.describe.columns import entries_of
from synth.app.project.store import Origin, Project, Upload
from synth.core.errors import Mistake
from synth.core.schema import FileFormat, Kind, check_format
from synth.core.system.address import ARROW, DUCKDB, PARQUET, Address, address_of, entries
from synth.dictionaries import Format, read_draft
from synth.dictionaries.document import dumped, file_format
from synth.dictionaries.remarks import reads_personal
from synth.dictionaries.words import FIELD_NAMES, Words

TYPED = (*PARQUET, *ARROW, *DUCKDB)
"""How the names of files end that tell the types of their columns; any other upload is text."""

_STEWARDS = ("name", "population", "unit", "rows_public", "file_is_public")
"""Fields of a schema document that other pages ask for; a dictionary fills them only where they are open."""


class Place(StrEnum):
    """What the private table is and where: for words, so nothing but names of the disk is looked at."""

    PENDING = "pending"
    DEMO = "demo"
    FILE = "file"
    FOLDER = "folder"
    PATTERN = "pattern"
    TABLE = "table"
    UPLOAD = "upload"
    DATABASE = "database"


COMPARED = "fit"
"""The step of the journey that is done where this file was compared with the columns."""


def place_of(project: Project) -> Place:
    """What the table of a project is; a folder or a pattern is one only while something lies there."""
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
    """What came of a dictionary: its format, how many columns, sentences on what it lacks or what was left
    out, and how many rows it allows one unit where the project says otherwise."""

    format: Format
    columns: int
    notes: tuple[str, ...]
    rows_claimed: int | None


@dataclass(frozen=True, kw_only=True)
class NamesInFile:
    """The names in the file against the columns declared."""

    lacking: tuple[str, ...]
    surplus: tuple[str, ...]


def with_dictionary(
    project: Project, raw: bytes, *, name: str, table: str | None = None, words: Words = FIELD_NAMES
) -> tuple[Project, Loaded]:
    """The project with the columns of a dictionary, and what is to be told of it.

    `words` is what the notes call the fields. Raises: `Mistake` for a file that is no dictionary.
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
    """Their columns; ours for whom it is about, where ours is decided; how the file is written as they say,
    and as ours says where they are silent: most dictionaries tell nothing of a delimiter. A schema of our own
    says it as a `whole`: what its part `file` leaves out has its default there.

    And how many rows they allow one unit, where ours says otherwise.
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
    """The project with another private table, unread: an address in the data folder, a connection, or an
    upload. `table` is the one in a DuckDB file. Raises: `Mistake` naming what is missing or wrong.

    The old file stays until the project is kept, see `delete_uploads`. What was declared of it alone, that it
    is public, is not declared of the new one, nor that it was compared with the columns.
    """
    project = replace(project, settled=tuple(step for step in project.settled if step != COMPARED))
    if not project.rehearsal:
        kept = {name: value for name, value in project.schema.items() if name != "file_is_public"}
        project = replace(project, schema=kept)
    if upload is not None:
        ending = Path(upload.name).suffix.lower()
        kind = next((known[0] for known in (PARQUET, ARROW, DUCKDB) if ending in known), ".csv")
        data = projects.keep_upload(project.id, upload, suffix=f"-{secrets.token_hex(4)}{kind}")
        place = Address(path=data, table=table.strip() if kind in DUCKDB else "")
        return replace(project, origin=Origin.UPLOAD, data=str(place), called=upload.name, header=())
    if not path.strip():
        raise Mistake("Choose the table first.")
    address = projects.allowed_address(path, table=table.strip())
    origin = Origin.DATABASE if address.connection else Origin.PATH
    return replace(project, origin=origin, data=str(address), called=address.called, header=())


def holds_tables(path: str, upload: Upload | None) -> bool:
    """Whether what was chosen is a DuckDB file, which may hold several tables."""
    return Path(path if upload is None else upload.name).suffix.lower() in DUCKDB


def tells_types(data: str) -> bool:
    """Whether the table at this address tells the types of its columns: one in a database, or of Parquet,
    Arrow or DuckDB. Of how it is written only the blanks are then declared. Names of files are looked at, and
    nothing in them."""
    address = address_of(data)
    if address.connection:
        return True
    try:
        first = entries(address)[:1]
    except OSError:
        return False
    return any(path.suffix.lower() in TYPED for path in first)


def delete_uploads(project: Project) -> None:
    """Delete the uploads of a kept project that are neither its file nor that of any run on this machine.

    A run that was started on a file may still be resumed or looked at. While the order of some run cannot be
    read, nothing is deleted.
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
    """How the file is written, as far as the document says."""
    return file_format(document.get("file") or {})


def with_format(project: Project, form: FileFormat) -> Project:
    """The project with another format. Raises: `Mistake` for a format no file can have."""
    check_format(form)
    if form == format_of(project.schema):
        return project
    return replace(project, schema={**project.schema, "file": dumped(form)}, header=())


def with_header(project: Project) -> Project:
    """The project with the names in the file's first line; as columns, if it has none yet.

    Of a table in a database the names that are declared already are kept, once there are some.
    Raises: `Mistake` if that line does not look like names, `Refusal` if the file cannot be read.
    """
    names = names_of(project.data, project.schema.get("file") or {})
    if project.origin is Origin.DATABASE and (declared := entries_of(project.schema)):
        names = tuple(entry["name"] for entry in declared if entry["name"] in names)
    read = replace(project, header=names)
    return read if entries_of(project.schema) else with_added(read, names)


def with_domains(project: Project, *, public: bool) -> Project:
    """The project with the columns as its file has them, if the file is declared public.

    The column that says whose row it is stays left out. Raises: `Mistake` for a private file, `Refusal` if it
    cannot be read.
    """
    schema = {**project.schema, "file_is_public": public}
    read = columns_in(project.data, schema)
    unit_id = (project.schema.get("unit") or {}).get("id_column")
    columns = [{"name": c["name"], "kind": "drop"} if c["name"] == unit_id else c for c in read]
    header = tuple(column["name"] for column in columns)
    return replace(project, schema={**schema, "columns": columns}, header=header)


def with_added(project: Project, names: tuple[str, ...]) -> Project:
    """The project with further columns of which nothing but the name is known; ids start as left out."""
    declared = {entry["name"] for entry in entries_of(project.schema)}
    added = [
        {"name": name, "kind": Kind.DROP.value if reads_personal(name) else None}
        for name in names
        if name not in declared
    ]
    return replace(project, schema={**project.schema, "columns": [*entries_of(project.schema), *added]})


def names_against(project: Project) -> NamesInFile | None:
    """How the names last read from the file match the columns; None if none were read."""
    if not project.header:
        return None
    declared = {entry["name"]: entry for entry in entries_of(project.schema)}
    unit_id = (project.schema.get("unit") or {}).get("id_column")
    needed = [name for name, entry in declared.items() if entry.get("kind") != "drop" or name == unit_id]
    return NamesInFile(
        lacking=tuple(name for name in needed if name not in project.header),
        surplus=tuple(name for name in project.header if name not in declared),
    )
