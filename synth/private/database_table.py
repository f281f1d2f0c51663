"""Count a private table inside its database. No row leaves the database.

A run uses one state of the table: the data that a session reads does not change while the session is open. A
resumed run opens a new session. The vault then checks that the table is unchanged, by sums over all rows
under a secret key. These sums change when a row is added, removed or changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis, domain_of
from synth.core.columns.unfit import REASONS
from synth.core.domain import Domain
from synth.core.errors import Code, Refusal
from synth.core.schema import Kind, Schema
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


def check_columns(name: str, schema: Schema) -> None:
    """Check the names and types of the columns of a connection's table. No row is read.

    Raises: `Mistake` if the connection cannot be used; `Refusal` as in `in_database.check_stored`, and
    DATABASE_LOST if the database does not answer.
    """
    connection = connection_of(name)

    @sealed(Code.DATABASE_LOST)
    def check() -> None:
        with closing(opened(connection)) as session:
            check_stored(session.columns, schema)

    check()


def open_database(
    name: str, schema: Schema, *, axes: Sequence[Axis] = (), entropy: Entropy, vault: Vault | None = None
) -> PrivateTable:
    """Open the table of a connection.

    Raises: `Mistake` if the connection cannot be used; `Refusal` as in `DatabaseTable`, and DATABASE_LOST if
    the database does not answer.
    """
    connection = connection_of(name)

    @sealed(Code.DATABASE_LOST)
    def made() -> PrivateTable:
        return DatabaseTable(opened(connection), schema, axes=axes, entropy=entropy, vault=vault)

    return made()


class DatabaseTable(PrivateTable):
    """A table whose columns are encoded, capped and counted in a database.

    If `vault` is given, it stores the fingerprint of the columns on `axes` or compares it with the stored
    one. Raises: `Refusal` as in `in_database.check_stored`, and FILE_CHANGED or DATABASE_LOST.
    """

    __slots__ = ("_kept", "_key", "_session")

    def __init__(
        self, session: Session, schema: Schema, *, axes: Sequence[Axis], entropy: Entropy, vault: Vault | None
    ) -> None:
        super().__init__(schema, EncodedColumns({}, {}, {}))
        check_stored(session.columns, self._schema)
        self._session, self._key = session, entropy.bytes(KEY_BYTES)
        self._kept: tuple[tuple[Axis, ...], ibis.Table] | None = None
        if vault is not None:
            self._check(axes, vault)

    def codes(self, axes: Sequence[Axis]) -> Codes:
        """Return the rows as codes on these axes, with an engine that counts them in the database."""
        spans = [axis.missing_code + 1 for axis in axes]
        codes = self._as_codes(axes)
        engine = DatabaseEngine(self._session.rows, lambda: self._kept_of(axes, codes))
        domain = domain_of(axes) if axes else Domain((), ())

        def unfit(place: int) -> NDArray[np.int64]:
            return self._unfit(self._kept_of(axes, codes), place, spans[place])

        return Codes((), domain, spans=spans, engine=engine, unfit=unfit)

    @sealed(Code.DATABASE_LOST)
    def _unfit(self, codes: ibis.Table, place: int, span: int) -> NDArray[np.int64]:
        """Count the cells of a column that do not fit the declaration, by code and reason."""
        code, reason = f"c{place}", f"m{place}"
        some = codes.filter(codes[reason] > 0)
        found = self._session.rows(some.group_by([code, reason]).aggregate(n=some.count()))
        counts = np.zeros((span, len(REASONS)), dtype=np.int64)
        for at, number, rows in found:
            counts[int(at), int(number) - 1] += int(rows)
        return counts

    def value_counts(self, column: str) -> dict[str, int]:
        """Refuse the call, because no text leaves the database. Raises: `Refusal` ROWS_ELSEWHERE."""
        raise Refusal(Code.ROWS_ELSEWHERE)

    def range_counts(self, column: str, kind: Kind, edges: Sequence[float]) -> NDArray[np.int64]:
        """Refuse the call, because no number of a column leaves the database. Raises: `Refusal`
        ROWS_ELSEWHERE.
        """
        raise Refusal(Code.ROWS_ELSEWHERE)

    def _as_codes(self, axes: Sequence[Axis]) -> ibis.Table:
        """Return a table of codes.

        It is cached for later queries and replaces the previously cached table. A table of a single column is
        not cached, because it is usually queried only once.
        """
        made = sealed(Code.INTERNAL)(coded)(
            self._session, self._schema, axes, key=self._key, with_reasons=True
        )
        if len(axes) > 1 and (self._kept is None or self._kept[0] != tuple(axes)):
            self._kept = None
            spans = {f"c{i}": axis.missing_code + 1 for i, axis in enumerate(axes)}
            spans |= {f"m{i}": len(REASONS) + 1 for i in range(len(axes))}
            self._kept = (tuple(axes), sealed(Code.DATABASE_LOST)(self._session.kept)(made, spans))
        return made

    def _kept_of(self, axes: Sequence[Axis], codes: ibis.Table) -> ibis.Table:
        """Return the cached codes on these axes, or `codes` if the cache has codes on other axes."""
        return self._kept[1] if self._kept is not None and self._kept[0] == tuple(axes) else codes

    def _check(self, axes: Sequence[Axis], vault: Vault) -> None:
        """Compare power sums, modulo a prime, of a secret linear form of each row's codes.

        The sums do not depend on the order of the rows.
        """
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
