"""An Arrow file (also called Feather) as columns of text, batch by batch, as it was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from synth.core.errors import Code, Refusal
from synth.private.reading.text_column import TextColumns
from synth.private.reading.typed import is_readable, typed_column

BATCH_ROWS = 1 << 16
"""Rows of a column turned into text at a time."""


def arrow_head(path: Path) -> list[tuple[str, str]]:
    """The columns by an Arrow file's footer: their names and what their types are called."""
    with pa.OSFile(str(path)) as file:
        return [(field.name, str(field.type)) for field in pa.ipc.open_file(file).schema]


def arrow_rows(path: Path, wanted: Mapping[str, int]) -> Iterator[TextColumns]:
    """The columns at these places of an Arrow file, some rows at a time.

    Only these columns are read, and of one batch at a time: how large that is says who wrote the file.
    Raises: `Refusal` COLUMN_TYPE, before a row is read, for a type whose values are no single texts.
    """
    with pa.OSFile(str(path)) as file:
        schema = pa.ipc.open_file(file).schema
        if not all(is_readable(schema.field(place).type) for place in wanted.values()):
            raise Refusal(Code.COLUMN_TYPE)
        places = sorted(set(wanted.values()))
        options = pa.ipc.IpcReadOptions(included_fields=places, use_threads=False)
        opened = pa.ipc.open_file(file, options=options)
        for number in range(opened.num_record_batches):
            batch = opened.get_batch(number)
            for start in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(start, BATCH_ROWS)
                yield {name: typed_column(part.column(places.index(at))) for name, at in wanted.items()}
