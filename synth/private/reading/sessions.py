"""A table in a database, opened: what its columns are stored as, and counts of it, in one state of the table.

A session is asked for tables of whole numbers and gives nothing else. What a database says of a fault may
quote a cell, a host or a name: whoever asks seals it. The session reads the table read-only, and what it may
keep of it (`Session.kept`) is no part of what the database keeps.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from synth.core.errors import Code, Refusal

if TYPE_CHECKING:
    import ibis


class Stored(Enum):
    """What a database stores a column as, as far as its values are encoded there."""

    TEXT = "string"
    WHOLE = "int64"
    FLOAT = "float64"
    DECIMAL = "decimal(38, 10)"
    BOOLEAN = "boolean"
    DATE = "date"
    MOMENT = "timestamp"
    OTHER = "unknown"
    """Anything else: numbers of single or of any precision, moments with a time zone, lists, texts that a
    database compares by rules of its own."""


class Session(ABC):
    """One table of a database. Neither shown nor pickled. Raises whatever its driver raises."""

    STORED: ClassVar[Mapping[str, Stored]]
    """What a type is, by patterns of the names that the database gives its types."""
    INTEGERS: ClassVar[Sequence[tuple[str, int]]]
    """Integer types of the database, smallest first, each with a number that all its codes lie below."""

    def __init__(self) -> None:
        self._numbers = count(1)

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, Stored]:
        """The columns by name, in their order."""

    @abstractmethod
    def rows(self, counts: ibis.Table) -> Sequence[tuple[Any, ...]]:
        """What a table made of `table` holds: whole numbers, some for every group of rows."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the database."""

    @property
    @abstractmethod
    def table(self) -> ibis.Table:
        """The table, its columns of the types of `columns`; those of other types are left out."""

    def kept(self, codes: ibis.Table, spans: Mapping[str, int]) -> ibis.Table:
        """A table of codes made of `table`, worked out once: what is asked of it later reads codes, not
        cells. It ends with the session, or when another one is kept, and no file of this machine's holds it
        in the clear. The same table as it was where the database cannot keep it, or is not to.

        `spans`: its columns, and a number that every code of theirs lies below.
        """
        return codes

    def text(self, column: Any) -> Any:
        """A column of text that is compared byte by byte."""
        return column

    @classmethod
    def stored_as(cls, kind: str) -> Stored:
        """Return what a type is, by its name in the database."""
        matching = (stored for pattern, stored in cls.STORED.items() if re.fullmatch(pattern, kind))
        return next(matching, Stored.OTHER)

    @classmethod
    def smallest(cls, span: int) -> str:
        """Return the smallest type of the database for codes below `span`."""
        return next(name for name, most in cls.INTEGERS if span <= most)

    def _fresh_name(self) -> str:
        """A name for codes that are kept; another one every time."""
        return f"marginalia_codes_{next(self._numbers)}"

    def _table(self, name: str, *, schema: str | None = None) -> ibis.Table:
        import ibis

        known = {n: stored.value for n, stored in self.columns.items() if stored is not Stored.OTHER}
        return ibis.table(ibis.schema(known), name=name, database=schema)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __reduce__(self) -> NoReturn:
        raise Refusal(Code.QUERY_INVALID)
