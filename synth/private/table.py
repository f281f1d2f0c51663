"""Open a private table.

A file is read by `reading`, its columns become codes by `encoding`, and an engine of `counting` counts them.
See `private.database_table` for a table in a database.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from synth.core.axis import Axis
from synth.core.errors import Code
from synth.core.schema import Schema, check_format
from synth.core.system.address import Address, address_of, check_kinds
from synth.private.database_table import open_database
from synth.private.encoding.columns import encode_columns
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.frame import Frame
from synth.private.private_table import PrivateTable
from synth.private.reading.files import read_columns
from synth.private.reading.records import BLOCK
from synth.private.reading.vault import Vault
from synth.private.sealed import sealed

__all__ = ["PrivateTable", "open_table"]


def open_table(
    place: Address | Path | str | Frame,
    schema: Schema,
    *,
    axes: Sequence[Axis] = (),
    entropy: Entropy = OS_ENTROPY,
    vault: Vault | None = None,
    block: int = BLOCK,
) -> PrivateTable:
    """Open the declared columns of one or several files, or of a data frame, as a private table.

    Rows are capped per unit, and IDs are removed.

    Parameters: `axes` has the axes that are already known; a column with such an axis can be queried only on
    it. `vault` ensures that a second opening returns the same rows as the first; codes that do not fit in
    memory are stored in its folder, in unnamed files. `block` is the number of bytes that are read at a time.

    Raises: `Mistake` if the delimiter, quote, connection or kind of file is invalid; `Refusal` as in
    `reading.files.read_columns`.
    """
    check_format(schema.file)
    keys = entropy if vault is None else vault.entropy

    if not isinstance(place, Frame):
        address = place if isinstance(place, Address) else address_of(place)
        if address.connection:
            return open_database(address.connection, schema, axes=axes, entropy=keys, vault=vault)
        check_kinds(address)

    @sealed(Code.FILE_UNREADABLE)
    def opened() -> PrivateTable:
        blocks = read_columns(place, schema, vault=vault, block=block)
        folder = None if vault is None else vault.folder
        columns = encode_columns(blocks, schema, axes=axes, entropy=keys, folder=folder)
        return PrivateTable(schema, columns)

    table = opened()
    pa.default_memory_pool().release_unused()
    return table
