"""Parse the address of a private table: a file, a folder, a pattern, a DuckDB table, or a connection.

    /srv/people.csv   /srv/people/   /srv/people-*.parquet   /srv/all.duckdb::people   database:census

Runs and projects store the address as text. For a database, the address is only the connection's name. The
host, user, password and table are in the connections file (`reading.connections`), outside all projects.
"""

from __future__ import annotations

import itertools
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from synth.core.errors import Mistake
from synth.core.system.kinds import DUCKDB, check_kind

DATABASE = "database:"
TABLE = "::"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_SIGNS = "*?["


@dataclass(frozen=True, kw_only=True)
class Address:
    """The address of a table.

    Either `connection` is the name of a connection, or `path` is a file, a folder or a pattern of files.

    `table` names the table in a DuckDB file. It is empty if the file has only one table.
    """

    path: Path = Path()
    table: str = ""
    connection: str = ""

    def __str__(self) -> str:
        if self.connection:
            return f"{DATABASE}{self.connection}"
        return f"{self.path}{TABLE}{self.table}" if self.table else str(self.path)

    @property
    def is_pattern(self) -> bool:
        """True if the path is a pattern of files, which contains one of * ? [ and does not exist as a
        path.
        """
        return _is_pattern(str(self.path)) and not self.path.exists()

    @property
    def is_there(self) -> bool:
        """True if the path exists or a file matches the pattern. Always True for a connection."""
        return bool(self.connection) or self.path.exists() or (self.is_pattern and bool(entries(self)))

    @property
    def is_full(self) -> bool:
        """True if the address does not depend on the current folder."""
        return bool(self.connection) or self.path.is_absolute()

    @property
    def called(self) -> str:
        """Return a short name: the name of the connection, or the last part of the path."""
        return self.connection or self.path.name


def check_kinds(address: Address) -> None:
    """Raise `Mistake` if a kind of file is not supported. Only file names are checked; a connection has
    none.
    """
    if not address.connection:
        with suppress(OSError):
            for path in entries(address):
                check_kind(path.name)


def entries(address: Address) -> tuple[Path, ...]:
    """Return the file of a path, or the files of a folder or pattern, sorted by path.

    In folders and patterns, names that begin with a dot or an underscore are skipped, because the tools that
    write such folders use these names for other files. Raises: OSError if a folder cannot be listed.
    """
    path = address.path
    if address.is_pattern:
        fixed = list(itertools.takewhile(lambda part: not _is_pattern(part), path.parts))
        root = Path(*fixed)
        found = [p for p in root.glob(str(Path(*path.parts[len(fixed) :]))) if p.is_file()]
        kept = [p for p in found if all(_is_part(name) for name in p.relative_to(root).parts)]
    else:
        kept = [p for p in path.iterdir() if _is_part(p.name)] if path.is_dir() else [path]
    return tuple(sorted(kept, key=str))


def _is_part(name: str) -> bool:
    return not name.startswith((".", "_"))


def _is_pattern(text: str) -> bool:
    return any(sign in text for sign in _SIGNS)


def address_of(text: str | Path) -> Address:
    """Parse an address (the inverse of `str`). Raises: `Mistake` if a connection name is invalid."""
    text = str(text)
    if text.startswith(DATABASE):
        name = text.removeprefix(DATABASE)
        if not _NAME.fullmatch(name):
            raise Mistake(
                f"{name!r} is not a valid connection name. Use at most 64 letters, digits, dashes and "
                "underscores, as in the connections file."
            )
        return Address(connection=name)
    path, sign, table = text.rpartition(TABLE)
    if sign and Path(path).suffix.lower() in DUCKDB:
        return Address(path=Path(path), table=table)
    return Address(path=Path(text))


def typed_address(typed: str, *, table: str = "", root: Path | None = None) -> Address:
    """Return the full address for a typed string. A relative path starts at `root`, or at the current folder.

    The disk is not read. Raises: `Mistake` if a table name is given but the address cannot have one.
    """
    address = address_of(typed.strip())
    if address.connection:
        if table:
            raise Mistake(
                f"Remove the table {table!r}: the connections file already names the table of a connection."
            )
        return address
    if table and address.path.suffix.lower() not in DUCKDB:
        raise Mistake(f"Remove the table name: {typed!r} is not a DuckDB file.")
    path = address.path.expanduser().absolute() if root is None else root / address.path
    return Address(path=path, table=table or address.table)


def existing(typed: str, *, table: str = "") -> Address:
    """Return the full address of a table, which must exist and be of a supported kind.

    A connection is not checked.

    Raises: `Mistake` that quotes the typed string.
    """
    address = typed_address(typed, table=table)
    if not address.is_there:
        raise Mistake(f"No table found at {typed!r}. Check the path.")
    check_kinds(address)
    return address
