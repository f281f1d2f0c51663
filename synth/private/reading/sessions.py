"""Query a table in a database: the types of its columns, and counts of one state of the table.

A session returns only tables of integers. Errors of a database may quote a cell, a host or a name, so the
caller seals them. The session only reads the table, and the codes that it stores (`Session.kept`) are not
part of the database's permanent data.
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
    """The storage type of a column, if its values can be encoded in the database."""

    TEXT = "string"
    WHOLE = "int64"
    FLOAT = "float64"
    DECIMAL = "decimal(38, 10)"
    BOOLEAN = "boolean"
    DATE = "date"
    MOMENT = "timestamp"
    OTHER = "unknown"
    """Any other type: floats of single precision, decimals of arbitrary precision, times with a time zone,
    lists, and strings with special comparison rules.
    """


def builtin(name: str, *, takes: str = "string", gives: str = "string") -> Any:
    """Return a built-in function of the database, by its name there."""
    import ibis

    return ibis.udf.scalar.builtin(lambda value: None, name=name, signature=((takes,), gives))


class Session(Hidden, ABC):
    """A session with one table of a database. It has an empty `repr` and cannot be pickled.

    Its methods raise the errors of the database driver.
    """

    STORED: ClassVar[Mapping[str, Stored]]
    """The types of columns, by patterns for their names in the database."""
    INTEGERS: ClassVar[Sequence[tuple[str, int]]]
    """The integer types of the database, smallest first, each with a number above all codes that it can
    store.
    """

    columns: Mapping[str, Stored]
    """The storage types of the columns by name, in the order of the table."""

    def __init__(self) -> None:
        self._numbers = count(1)

    @abstractmethod
    def rows(self, counts: ibis.Table) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a table derived from `table`, which has integers for each group of rows."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection to the database."""

    @property
    @abstractmethod
    def table(self) -> ibis.Table:
        """Return the table, with only the columns in `columns`."""

    def kept(self, codes: ibis.Table, spans: Mapping[str, int]) -> ibis.Table:
        """Store a table of codes derived from `table`, so that later queries read codes and not cells.

        It is deleted at the end of the session, or when another table is stored, and no file on this machine
        contains it unencrypted. If the database cannot or must not store it, the table itself is returned.
        `spans` contains a number above all codes for each column.
        """
        return codes

    def text(self, column: Any) -> Any:
        """Return a column of text that is compared byte by byte."""
        return column

    @abstractmethod
    def composed(self, text: Any) -> Any:
        """Return strings in Unicode's composed form (NFC)."""

    @classmethod
    def stored_as(cls, kind: str) -> Stored:
        """Return the storage type for the database's name of a type."""
        matching = (stored for pattern, stored in cls.STORED.items() if re.fullmatch(pattern, kind))
        return next(matching, Stored.OTHER)

    @classmethod
    def smallest(cls, span: int) -> str:
        """Return the smallest integer type of the database for codes below `span`."""
        return next(name for name, most in cls.INTEGERS if span <= most)

    def _fresh_name(self) -> str:
        """Return a new name for stored codes."""
        return f"marginalia_codes_{next(self._numbers)}"

    def _table(self, name: str, *, schema: str | None = None) -> ibis.Table:
        import ibis

        known = {n: stored.value for n, stored in self.columns.items() if stored is not Stored.OTHER}
        return ibis.table(ibis.schema(known), name=name, database=schema)

    def _codes(self, name: str, spans: Mapping[str, int], **place: str) -> ibis.Table:
        """Return stored codes as a table of 64-bit integers, in which nothing overflows."""
        import ibis

        stored = ibis.table(dict.fromkeys(spans, "int32"), name=name, **place)
        return stored.cast(dict.fromkeys(spans, "int64"))
