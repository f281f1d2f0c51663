"""Parquet files that Spark counts: in local mode, or wherever `master` says.

What Spark sees is what the files hold while a run reads them: nothing keeps others from writing into the
folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from synth.reading.sessions import Session, Stored

if TYPE_CHECKING:
    import ibis

VIEW = "marginalia_table"
_STORED = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), Stored.WHOLE),
    "double": Stored.FLOAT,
    "boolean": Stored.BOOLEAN,
    "date": Stored.DATE,
    "timestamp_ntz": Stored.MOMENT,
    "string": Stored.TEXT,
}
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
}


class SparkSession(Session):
    """`settings` as in `connections.ENGINES`."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        import ibis
        from pyspark.sql import SparkSession as Spark

        builder = Spark.builder.appName("marginalia").master(str(settings.get("master", "local[*]")))
        for name, value in {**_SETTINGS, **settings.get("config", {})}.items():
            builder = builder.config(name, str(value))
        self._spark = builder.getOrCreate()
        self._backend = ibis.pyspark.connect(self._spark)
        frame = self._spark.read.parquet(str(settings["files"]))
        frame.createOrReplaceTempView(VIEW)
        self._columns = {name: stored_as(kind) for name, kind in frame.dtypes}

    @property
    def columns(self) -> Mapping[str, Stored]:
        return self._columns

    @property
    def table(self) -> ibis.Table:
        return self._table(VIEW)

    def rows(self, counts: ibis.Table) -> Sequence[tuple[Any, ...]]:
        found = self._spark.sql(self._backend.compile(counts)).collect()
        return [tuple(row) for row in found]

    def close(self) -> None:
        self._spark.stop()


def stored_as(kind: str) -> Stored:
    """What a type is, by the name that Spark gives it."""
    return Stored.DECIMAL if re.fullmatch(r"decimal\(\d+,\d+\)", kind) else _STORED.get(kind, Stored.OTHER)
