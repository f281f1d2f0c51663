"""A private table that stays in its database: the session asks it for exact counts, and no row leaves the
database.

A run asks of one state of the table: what a session sees does not change while it is open. A run that is
resumed opens another session; the vault tells it whether the table is the one it began with, by sums over all
rows under a secret key, which a row that came, went or changed changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis, domain_of
from synth.core.domain import Domain
from synth.core.errors import Code, Refusal
from synth.core.schema import FileFormat, Kind, Schema
from synth.private.counting.codes import Codes
from synth.private.counting.database_engine import DatabaseEngine
from synth.private.encoding.columns import EncodedColumns
from synth.private.encoding.in_database import check_stored, coded
from synth.private.entropy import Entropy
from synth.private.private_table import PrivateTable
from synth.private.reading.connections import connection_of, opened
from synth.private.reading.sessions import Session
from synth.private.reading.vault import Vault
from synth.private.sealed import sealed

if TYPE_CHECKING:
    import ibis

KEY_BYTES = 32
PRIME = (1 << 31) - 1


def check_connection(name: str) -> None:
    """Raises: `Mistake` for a connection that cannot be used. The database is not asked."""
    connection_of(name)


def open_database(
    name: str, schema: Schema, *, axes: Sequence[Axis] = (), entropy: Entropy, vault: Vault | None = None
) -> PrivateTable:
    """The table that a connection names. Raises: `Mistake` for a connection that cannot be used; `Refusal` as
    `DatabaseTable`, DATABASE_LOST where the database does not answer."""
    connection = connection_of(name)

    @sealed(Code.DATABASE_LOST)
    def made() -> PrivateTable:
        return DatabaseTable(opened(connection), schema, axes=axes, entropy=entropy, vault=vault)

    return made()


class DatabaseTable(PrivateTable):
    """Columns of a table in a database, encoded, capped and counted there.

    `vault`, if given, keeps or compares the fingerprint of the columns on `axes`.
    Raises: `Refusal` as `in_database.check_stored`, FILE_CHANGED, DATABASE_LOST.
    """

    __slots__ = ("_kept", "_key", "_schema", "_session")

    def __init__(
        self, session: Session, schema: Schema, *, axes: Sequence[Axis], entropy: Entropy, vault: Vault | None
    ) -> None:
        plain = FileFormat(missing=schema.file.missing)
        self._schema = replace(schema, file=plain)
        super().__init__(self._schema, EncodedColumns({}, {}))
        check_stored(session.columns, self._schema)
        self._session, self._key = session, entropy.bytes(KEY_BYTES)
        self._kept: tuple[tuple[Axis, ...], ibis.Table] | None = None
        if vault is not None:
            self._check(axes, vault)

    def codes(self, axes: Sequence[Axis]) -> Codes:
        """Every row as codes of these axes: an engine that has them counted."""
        spans = [axis.missing_code + 1 for axis in axes]
        codes = self._as_codes(axes)
        engine = DatabaseEngine(self._session.rows, lambda: self._kept_of(axes, codes))
        domain = domain_of(axes) if axes else Domain((), ())
        return Codes((), domain, spans=spans, engine=engine)

    def value_counts(self, column: str) -> dict[str, int]:
        """Raises: `Refusal` ROWS_ELSEWHERE: no text of a column comes here."""
        raise Refusal(Code.ROWS_ELSEWHERE)

    def range_counts(self, column: str, kind: Kind, edges: Sequence[float]) -> NDArray[np.int64]:
        """Raises: `Refusal` ROWS_ELSEWHERE."""
        raise Refusal(Code.ROWS_ELSEWHERE)

    def _as_codes(self, axes: Sequence[Axis]) -> ibis.Table:
        """A table of codes, made of the cells. It is kept for the queries that follow, in the place of what
        was kept before; not so one of a single column, which is mostly asked for once."""
        made = sealed(Code.INTERNAL)(coded)(self._session, self._schema, axes, key=self._key)
        if len(axes) > 1 and (self._kept is None or self._kept[0] != tuple(axes)):
            self._kept = None
            spans = {f"c{i}": axis.missing_code + 1 for i, axis in enumerate(axes)}
            self._kept = (tuple(axes), sealed(Code.DATABASE_LOST)(self._session.kept)(made, spans))
        return made

    def _kept_of(self, axes: Sequence[Axis], codes: ibis.Table) -> ibis.Table:
        """The codes of these axes as they are kept now; as they were made where others are kept."""
        return self._kept[1] if self._kept is not None and self._kept[0] == tuple(axes) else codes

    def _check(self, axes: Sequence[Axis], vault: Vault) -> None:
        """Power sums of a secret linear form of every row's codes, modulo a prime: the same for the same rows
        in any order."""
        factors = np.frombuffer(hashlib.shake_256(b"rows" + self._key).digest(8 * (len(axes) + 1)), "<u8")
        first, *others = (int(factor) % PRIME for factor in factors)
        codes = self._kept_of(axes, self._as_codes(axes))
        form = codes["c0" if axes else codes.columns[0]] * 0 + first
        for i, factor in enumerate(others):
            form = (form + codes[f"c{i}"] * factor) % PRIME
        squared = form * form % PRIME
        sums = {"n": codes.count(), "a": form.sum(), "b": squared.sum(), "c": (squared * form % PRIME).sum()}
        rows = sealed(Code.DATABASE_LOST)(self._session.rows)(codes.aggregate(**sums))
        digest = vault.digest()
        digest.update(repr([int(number or 0) for number in rows[0]]).encode())
        vault.check(digest)
