"""The one look at a file that costs nothing: for files that are declared public, and for no other.

Whoever reads a domain off a private file publishes it. So this door opens only where the declaration says
that there is nothing to protect, and whoever uses it marks the columns as read from the file, which the
statement of a release repeats as void of any guarantee.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from synth.errors import Mistake
from synth.measure.ingest import header_only, open_table
from synth.schema import Column, Kind, Schema, Unit

NOT_PUBLIC = (
    "What a private file holds is not read from it: a value list or a range taken from the rows would be "
    "published with the release. Load or type the columns, have them bought with budget, or declare that the "
    "file is public."
)


def texts_in(path: Path | str, schema: Schema) -> dict[str, tuple[str, ...]]:
    """The distinct texts of every named column of a public file, sorted, blanks left out.

    Of `schema` only the file's format and the declaration that it is public count.
    Raises: `Mistake` if the file is not declared public; `Refusal` as `open_table`.
    """
    if not schema.file_is_public:
        raise Mistake(NOT_PUBLIC)
    names = header_only(path, schema.file)
    columns = tuple(Column(name=name, kind=Kind.CATEGORY, buy=True) for name in names)
    table = open_table(path, replace(schema, columns=columns, unit=Unit(max_rows=1)))
    return {name: tuple(sorted(table.value_counts(name))) for name in names}
