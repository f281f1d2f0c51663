"""Store the columns of a private table in this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis, domain_of
from synth.core.domain import CodeColumn, Domain
from synth.core.errors import Code, Refusal
from synth.core.schema import Kind, Schema
from synth.private.counting import DEFAULT, ENGINES
from synth.private.counting.codes import Codes
from synth.private.encoding.columns import EncodedColumns, encode_columns
from synth.private.encoding.encode import blank_in, encode_and_check, values_in
from synth.private.encoding.misfits import Misfits
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.reading.lines import text_of, wire
from synth.private.reading.text_column import TextColumns, plain_texts, text_column
from synth.private.sealed import Hidden, sealed


class PrivateTable(Hidden):
    """Columns of a private file, with at most the declared number of rows per unit.

    It has an empty `repr`, and it cannot be pickled or iterated. Only `private` reads it.
    """

    __slots__ = ("_coded", "_misfits", "_schema", "_texts")

    def __init__(self, schema: Schema, columns: EncodedColumns) -> None:
        self._schema, self._coded, self._texts = schema, columns.coded, columns.texts
        self._misfits = columns.misfits

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[str | None]],
        schema: Schema,
        *,
        axes: Sequence[Axis] = (),
        entropy: Entropy = OS_ENTROPY,
    ) -> PrivateTable:
        """Return a table from strings in memory.

        `columns` contains every declared column by name, with None for a blank.
        """

        def rows() -> Iterator[TextColumns]:
            yield {n: text_column(["" if v is None else wire(v) for v in c]) for n, c in columns.items()}

        return cls(schema, sealed()(encode_columns)(rows(), schema, axes=axes, entropy=entropy))

    @sealed()
    def codes(self, axes: Sequence[Axis]) -> Codes:
        """Return every row as codes on these axes, in the given order.

        Raises: `Refusal` QUERY_INVALID if a column was not encoded on its axis; INTERNAL if a column was not
        read.
        """
        found = [self._codes_of(axis) for axis in axes]
        spans = [axis.missing_code + 1 for axis in axes]

        def unfit(place: int) -> NDArray[np.int64]:
            codes, misfits = found[place]
            return misfits.counts(codes, spans[place])

        domain = domain_of(axes) if axes else Domain((), ())
        return Codes([codes for codes, _ in found], domain, spans=spans, unfit=unfit)

    def _codes_of(self, axis: Axis) -> tuple[CodeColumn, Misfits]:
        if axis in self._coded:
            return self._coded[axis], self._misfits[axis]
        if any(axis.name == known.name for known in self._coded):
            raise Refusal(Code.QUERY_INVALID)
        column, misfits = self._texts[axis.name], Misfits()
        codes, reasons = encode_and_check(column.texts, axis, self._schema.file)
        misfits.add(reasons, column.index)
        return codes[column.index], misfits

    @sealed()
    def value_counts(self, column: str) -> dict[str, int]:
        """Return exact counts of the strings in a column, without missing tokens and invalid strings.

        Private: for `private.queries` only. Raises: `Refusal` INTERNAL if the column is not stored as text.
        """
        counts = self._rows_by_text(column)
        texts = plain_texts(self._texts[column].texts)
        counts[blank_in(texts, self._schema.column(column), self._schema.file)] = 0
        named = Counter[str]()
        for text, many in zip(map(text_of, texts.to_pylist()), counts.tolist(), strict=True):
            if many and text is not None:
                named[text] += many
        return dict(named)

    @sealed()
    def range_counts(self, column: str, kind: Kind, edges: Sequence[float]) -> NDArray[np.int64]:
        """Return exact counts of a column's numbers or dates between neighbouring edges.

        Values beyond the first or last edge are counted in the end cells.

        Private: for `private.queries` only. Shapes: int64[len(edges) - 1]. Blanks are not counted. Raises:
        `Refusal` INTERNAL if the column is not stored as text.
        """
        texts = plain_texts(self._texts[column].texts)
        declared = replace(self._schema.column(column), kind=kind)
        form = self._schema.file.of(declared)
        values = values_in(texts, declared, form)
        counted = ~(np.isnan(values) | blank_in(texts, declared, form, values))
        cells = len(edges) - 1
        place = np.clip(np.searchsorted(np.array(edges), values, side="right") - 1, 0, cells - 1)
        counts = np.zeros(cells, dtype=np.int64)
        np.add.at(counts, place[counted], self._rows_by_text(column)[counted])
        return counts

    def _rows_by_text(self, column: str) -> NDArray[np.int64]:
        """Return the number of rows with each of the column's distinct strings. Shapes: int64[texts]."""
        held = self._texts[column]
        return ENGINES[DEFAULT]([held.index]).counts((0,), (len(held.texts),))
