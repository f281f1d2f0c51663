"""Parquet files that Spark counts; the rest is tried by `contracts/test_every_source.py` with
MARGINALIA_SPARK=1."""

from synth.reading.sessions import Stored
from synth.reading.spark_session import stored_as


def test_types_are_known_by_their_names() -> None:
    known = {"bigint": Stored.WHOLE, "decimal(12,2)": Stored.DECIMAL, "timestamp_ntz": Stored.MOMENT}
    assert {kind: stored_as(kind) for kind in known} == known
    for kind in ("float", "timestamp", "array<int>", "string collate UTF8_LCASE", "binary"):
        assert stored_as(kind) is Stored.OTHER
