"""The one look at a file that costs nothing: for files that are declared public, and for no other.

Whoever reads a domain off a private file publishes it. So this is refused unless the declaration says that
there is nothing to protect, and whoever uses it marks the columns as read from the file, which the statement
of a release repeats as void of any guarantee.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from synth.core.errors import Code, Mistake
from synth.core.schema import Column, FileFormat, Kind, Schema, Unit
from synth.core.system.address import Address
from synth.private.reading.files import header_only, read_columns, text_form
from synth.private.reading.lines import text_of
from synth.private.reading.text_column import is_blank
from synth.private.sealed import sealed

NOT_PUBLIC = (
    "What a private file holds is not read from it: a value list or a range taken from the rows would be "
    "published with the release. Load or type the columns, have them bought with budget, or declare that the "
    "file is public."
)


def texts_in(path: Address | Path | str, schema: Schema) -> tuple[dict[str, tuple[str, ...]], FileFormat]:
    """The distinct texts of every named column of a public file, sorted; no blanks, and nothing but UTF-8.

    And the format in which numbers and dates stand in them. Of `schema` only the file's format and the
    declaration that it is public count.

    Raises: `Mistake` if the file is not declared public, and what `header_only` and `read_columns` raise.
    """
    if not schema.file_is_public:
        raise Mistake(NOT_PUBLIC)
    columns = tuple(Column(name=name, kind=Kind.CATEGORY) for name in header_only(path, schema.file))
    whole = replace(schema, columns=columns, unit=Unit(max_rows=1))
    texts: dict[str, set[str]] = {column.name: set() for column in columns}

    @sealed(Code.FILE_UNREADABLE)
    def read() -> FileFormat:
        for block in read_columns(path, whole):
            for name, column in block.items():
                wired = column.texts.filter(pa.array(~is_blank(column.texts, schema.file.missing)))
                texts[name] |= {text for w in wired.to_pylist() if (text := text_of(w)) is not None}
        return text_form(path, schema.file)

    form = read()
    return {name: tuple(sorted(held)) for name, held in texts.items()}, form
