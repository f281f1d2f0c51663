"""A session with a table in a database: the types of its columns, and counts of one state of the table.

A session returns only tables of integers. Errors of a database may quote a cell, a host or a name, so the
caller seals them. The session reads the table read-only, and what it stores (`Session.kept`) is not part of
the database's permanent data.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

from synth.private.sealed import Hidden

if TYPE_CHECKING:
    import ibis


class Stored(Enum):
    """The storage type of a column, as far as its values can be encoded in the database."""

    TEXT = "string"
    WHOLE = "int64"
    FLOAT = "float64"
    DECIMAL = "decimal(38, 10)"
    BOOLEAN = "boolean"
    DATE = "date"
    MOMENT = "timestamp"
    OTHER = "unknown"
    """Any other type: floats of single precision, decimals of arbitrary precision, times with a time zone,
    lists, texts with their own comparison rules.
    """


def builtin(name: str, *, takes: str = "string", gives: str = "string") -> Any:
    """Return a function that the database has, by its name there."""
    import ibis

    return ibis.udf.scalar.builtin(lambda value: None, name=name, signature=((takes,), gives))


class Session(Hidden, ABC):
    """One table of a database. It is neither shown nor pickled. Raises the errors of its driver."""

    STORED: ClassVar[Mapping[str, Stored]]
    """Types of columns, by patterns of their names in the database."""
    INTEGERS: ClassVar[Sequence[tuple[str, int]]]
    """Integer types of the database, smallest first, each with a number above all its codes."""

    columns: Mapping[str, Stored]
    """The columns by name, in their order."""

    def __init__(self) -> None:
        self._numbers = count(1)

    @abstractmethod
    def rows(self, counts: ibis.Table) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a table made from `table`: integers for every group of rows."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection to the database."""

    @property
    @abstractmethod
    def table(self) -> ibis.Table:
        """The table, with only the columns in `columns`."""

    def kept(self, codes: ibis.Table, spans: Mapping[str, int]) -> ibis.Table:
        """Return a table of codes made from `table`, stored so that later queries read codes and not cells.

        It is deleted at the end of the session, or when another one is stored, and no file on this machine
        contains it unencrypted. Return the table itself if the database cannot or must not store it.

        `spans`: its columns, each with a number above all their codes.
        """
        return codes

    def text(self, column: Any) -> Any:
        """Return a column of text that is compared byte by byte."""
        return column

    @abstractmethod
    def composed(self, text: Any) -> Any:
        """Return texts in Unicode's composed form (NFC)."""

    @classmethod
    def stored_as(cls, kind: str) -> Stored:
        """Return the storage type for the name of a type in the database."""
        matching = (stored for pattern, stored in cls.STORED.items() if re.fullmatch(pattern, kind))
        return next(matching, Stored.OTHER)

    @classmethod
    def smallest(cls, span: int) -> str:
        """Return the smallest type of the database for codes below `span`."""
        return next(name for name, most in cls.INTEGERS if span <= most)

    def _fresh_name(self) -> str:
        """Return a new name for stored codes."""
        return f"marginalia_codes_{next(self._numbers)}"

    def _table(self, name: str, *, schema: str | None = None) -> ibis.Table:
        import ibis

        known = {n: stored.value for n, stored in self.columns.items() if stored is not Stored.OTHER}
        return ibis.table(ibis.schema(known), name=name, database=schema)

    def _codes(self, name: str, spans: Mapping[str, int], **place: str) -> ibis.Table:
        """Return stored codes as a table of integers in which nothing overflows."""
        import ibis

        stored = ibis.table(dict.fromkeys(spans, "int32"), name=name, **place)
        return stored.cast(dict.fromkeys(spans, "int64"))
