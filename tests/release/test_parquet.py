import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.core.axis import Axis
from synth.core.schema import Column, Kind
from synth.release import parquet
from synth.release.codes import table_codes
from synth.release.synthesis import Synthesis


def test_types_labels_and_schema_id(synthesis: Synthesis) -> None:
    table = pq.read_table(
        io.BytesIO(parquet.write(synthesis.table, synthesis.evidence.codebook.axes, schema_id="abc"))
    )
    assert table.schema.metadata[b"marginalia.schema"] == b"abc"
    assert table.schema.field("age").type == pa.int64()
    assert table.schema.field("income").type == pa.float64()
    assert table.schema.field("joined").type == pa.date32()
    assert table.schema.field("school").type.ordered and not table.schema.field("marital").type.ordered
    labels = table["marital"].combine_chunks().dictionary.to_pylist()
    assert labels == ["never", "married", "=1+cmd|' /C calc'!A0"]


def test_the_same_bytes_every_time(synthesis: Synthesis) -> None:
    first, second = (
        parquet.write(synthesis.table, synthesis.evidence.codebook.axes, schema_id="abc") for _ in range(2)
    )
    assert first == second


def test_codes_come_back_as_they_were_and_nothing_else_does() -> None:
    codes = np.array([[0, 3], [2, 1], [1, 0]])
    content = parquet.write_codes(codes)
    assert parquet.read_codes(content, rows=3, columns=2).tolist() == codes.tolist()
    assert parquet.read_codes(parquet.write_codes(codes[:0]), rows=0, columns=2).shape == (0, 2)
    for rows, columns in ((2, 2), (4, 2), (3, 1), (3, 3)):
        with pytest.raises(ValueError, match="not codes of this shape"):
            parquet.read_codes(content, rows=rows, columns=columns)
    for damaged in (b"", b"PAR1", content[:-9], content[:40] + b"x" * 40 + content[80:]):
        with pytest.raises((ValueError, OSError)):
            parquet.read_codes(damaged, rows=3, columns=2)


def test_what_was_written_is_read_as_it_was_meant() -> None:
    """Whole numbers beside blanks: read as floats, no cell would find its label again."""
    axis = Axis(column=Column(name="c", kind=Kind.CATEGORY), labels=(-1, 0, 1))
    number = Axis(column=Column(name="n", kind=Kind.INTEGER), edges=(0.0, 5.0, 9.0))
    frame = pd.DataFrame(
        {"c": pd.Series([1, None, -1], dtype="Int64"), "n": pd.Series([8, 4, None], dtype="Int64")}
    )
    again = parquet.read(parquet.write(frame, [axis, number], schema_id="abc"))
    assert again["c"].tolist() == [1, None, -1] and again["n"].tolist() == [8, 4, None]
    assert table_codes(again, [axis, number], []).tolist() == [[2, 1], [3, 0], [0, 2]]


def test_a_column_read_by_itself_is_that_of_the_whole_table(synthesis: Synthesis) -> None:
    written = parquet.write(synthesis.table, synthesis.evidence.codebook.axes, schema_id="abc")
    whole, alone = parquet.read(written), parquet.ByColumn(written)
    for name in whole:
        pd.testing.assert_series_equal(alone[str(name)], whole[name], check_names=False)
    with pytest.raises(KeyError):
        alone["nobody"]
