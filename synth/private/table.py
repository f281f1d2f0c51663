"""The private table, opened: what the session asks for exact counts, and nobody else.

A file is read by `reading`, its columns become codes by `encoding`, codes are counted by an
engine of `counting`. Here the three meet; for a table in a database, in `private.database_table`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from synth.core.axis import Axis
from synth.core.errors import Code
from synth.core.schema import Schema, check_format
from synth.core.system.address import Address, address_of
from synth.private.database_table import open_database
from synth.private.encoding.columns import encode_columns
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.private_table import PrivateTable
from synth.private.reading.files import read_columns, text_form
from synth.private.reading.records import BLOCK
from synth.private.reading.vault import Vault
from synth.private.sealed import sealed

__all__ = ["PrivateTable", "open_table"]


def open_table(
    place: Address | Path | str,
    schema: Schema,
    *,
    axes: Sequence[Axis] = (),
    entropy: Entropy = OS_ENTROPY,
    vault: Vault | None = None,
    block: int = BLOCK,
) -> PrivateTable:
    """The declared columns of a file, or of several, as a private table: rows capped per unit, the unit's id
    gone.

    `axes` are those that are known already: the table answers no other axis of these columns. `vault` keeps
    what makes a second opening the same as the first; codes that memory does not hold lie in its folder, in
    files without a name. `block` is the number of bytes read at a time.

    A table that a connection names stays in its database (`private.database_table`).

    Raises: `Mistake` for a delimiter or quote that cannot be one, or a connection that is none; `Refusal` as
    `reading.files.read_columns`.
    """
    check_format(schema.file)
    keys = entropy if vault is None else vault.entropy

    address = place if isinstance(place, Address) else address_of(place)
    if address.connection:
        return open_database(address.connection, schema, axes=axes, entropy=keys, vault=vault)

    @sealed(Code.FILE_UNREADABLE)
    def opened() -> PrivateTable:
        read_as = replace(schema, file=text_form(place, schema.file))
        blocks = read_columns(place, read_as, vault=vault, block=block)
        folder = None if vault is None else vault.folder
        columns = encode_columns(blocks, read_as, axes=axes, entropy=keys, folder=folder)
        return PrivateTable(read_as, columns)

    table = opened()
    pa.default_memory_pool().release_unused()
    return table
