"""Parquet files that Spark counts: in local mode, or wherever `master` says.

What Spark sees is what the files hold while a run reads them: nothing keeps others from writing into the
folder.

A shuffle writes rows to a disk, ids of units among them. They go, encrypted, into a folder for its owner
alone that ends with the session, or with the process; a local Spark listens on the loopback address, and
whoever talks to it must know its secret. On a cluster that holds of the machine that asks; of the others,
who may read what is spilt there is the cluster's to say, encrypted as it is.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from synth.errors import Code, Refusal
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
_GUARDS = {
    "spark.authenticate": "true",
    "spark.io.encryption.enabled": "true",
    "spark.ui.showConsoleProgress": "false",
}
_LOOPBACK = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
_ELSEWHERE = ("SPARK_LOCAL_DIRS", "SPARK_EXECUTOR_DIRS")
"""Variables that Spark takes for its folder before `spark.local.dir`."""


class SparkSession(Session):
    """`settings` as in `connections.ENGINES`.

    Raises: `Refusal` DATABASE_LOST where this process has a Spark already that was started without guards.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        import ibis
        from pyspark.sql import SparkSession as Spark

        for variable in _ELSEWHERE:
            os.environ.pop(variable, None)
        self._folder = tempfile.mkdtemp(prefix="marginalia-spark-")
        atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        builder = Spark.builder.appName("marginalia")
        for name, value in options(settings, self._folder).items():
            builder = builder.config(name, value)
        self._spark = builder.getOrCreate()
        held = self._spark.sparkContext.getConf()
        if any(held.get(name) != value for name, value in _GUARDS.items()):
            raise Refusal(Code.DATABASE_LOST)
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
        shutil.rmtree(self._folder, ignore_errors=True)


def options(settings: Mapping[str, Any], folder: str) -> dict[str, str]:
    """What Spark is told, by the names of its options: ours, over them the connection's, over them those that
    keep rows from others. `folder` is where it spills."""
    said = {"spark.master": settings.get("master", "local[*]"), **_SETTINGS, **settings.get("config", {})}
    said |= {**_GUARDS, "spark.local.dir": folder}
    if str(said["spark.master"]).startswith("local"):
        said |= _LOOPBACK
    return {name: str(value) for name, value in said.items()}


def stored_as(kind: str) -> Stored:
    """What a type is, by the name that Spark gives it."""
    return Stored.DECIMAL if re.fullmatch(r"decimal\(\d+,\d+\)", kind) else _STORED.get(kind, Stored.OTHER)
