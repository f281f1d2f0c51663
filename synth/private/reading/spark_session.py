"""Count Parquet files in Spark, in local mode or on the cluster that `master` names.

Spark reads the files during a run, and other users could still write to the folder at that time.

A shuffle writes rows, including IDs of units, to a disk. They are encrypted, in a folder that only its owner
can read and that is deleted with the session or the process. A local Spark listens on the loopback address,
and its clients must authenticate. On a cluster, this is true for the machine that starts Spark. On the other
machines, the cluster controls access to the spilled data, which is encrypted.

Options may contain passwords, for a store or for Java. They are passed to the Spark process in files in that
folder, because any user of the machine can read its command line. The command line contains only the driver's
memory and the class path. The other machines of a cluster put their Java options on command lines.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from synth.core.errors import Code, Refusal
from synth.private.reading.sessions import Session, Stored

if TYPE_CHECKING:
    import ibis

VIEW = "marginalia_table"
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.eventLog.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
}
_GUARDS = {
    "spark.authenticate": "true",
    "spark.io.encryption.enabled": "true",
    "spark.ui.showConsoleProgress": "false",
}
_LOOPBACK = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
_JAVA = "spark.driver.extraJavaOptions"
_USUAL_JAVA = "spark.driver.defaultJavaOptions"
"""Java options that come before those of the connection."""
_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
_ELSEWHERE = ("SPARK_LOCAL_DIRS", "SPARK_EXECUTOR_DIRS")
"""Environment variables that take precedence over `spark.local.dir` in Spark."""


class SparkSession(Session):
    """A session with Spark. `settings` contains the keys listed in `connections.ENGINES`.

    Raises: `Refusal` DATABASE_LOST if this process already has a Spark session that was started without these
    safeguards.
    """

    STORED: ClassVar = {
        "(tiny|small|big)?int": Stored.WHOLE,
        "double": Stored.FLOAT,
        r"decimal\(\d+,\d+\)": Stored.DECIMAL,
        "boolean": Stored.BOOLEAN,
        "date": Stored.DATE,
        "timestamp_ntz": Stored.MOMENT,
        "string": Stored.TEXT,
    }
    INTEGERS: ClassVar = (("TINYINT", 1 << 7), ("SMALLINT", 1 << 15), ("INT", 1 << 31))

    has_process: ClassVar[bool] = False
    """Whether this process has started Spark before. If so, Spark gets the options directly."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        import ibis
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession as Spark

        super().__init__()
        for variable in _ELSEWHERE:
            os.environ.pop(variable, None)
        self._folder = tempfile.mkdtemp(prefix="marginalia-spark-")
        atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        said = options(settings, self._folder)
        if Spark.getActiveSession() is None:
            process = None if SparkSession.has_process else _process(said, self._folder)
            SparkContext(conf=SparkConf().setAll(list(said.items())), gateway=process)
            SparkSession.has_process = True
        self._spark = Spark.builder.getOrCreate()
        held = self._spark.sparkContext.getConf()
        if any(held.get(name) != value for name, value in _GUARDS.items()):
            raise Refusal(Code.DATABASE_LOST)
        self._backend = ibis.pyspark.connect(self._spark)
        frame = self._spark.read.parquet(str(settings["files"]))
        frame.createOrReplaceTempView(VIEW)
        self.columns = {name: self.stored_as(kind) for name, kind in frame.dtypes}
        self._held: Any = None

    @property
    def table(self) -> ibis.Table:
        return self._table(VIEW)

    def rows(self, counts: ibis.Table) -> Sequence[tuple[Any, ...]]:
        found = self._spark.sql(self._backend.compile(counts)).collect()
        return [tuple(row) for row in found]

    def kept(self, codes: ibis.Table, spans: Mapping[str, int]) -> ibis.Table:
        """Store codes in Spark's memory. Codes that do not fit are stored in the folder, encrypted."""
        if self._held is not None:
            self._held.unpersist()
        name = self._fresh_name()
        frame = self._spark.sql(self._backend.compile(codes))
        columns = [f"CAST({c} AS {self.smallest(span)}) AS {c}" for c, span in spans.items()]
        self._held = frame.selectExpr(*columns).persist()
        self._held.createOrReplaceTempView(name)
        return self._codes(name, spans)

    def composed(self, text: Any) -> Any:
        """Return strings unchanged, because Spark has no such function."""
        return text

    def close(self) -> None:
        self._spark.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def _process(said: Mapping[str, str], folder: str) -> Any:
    """Start the Spark process, with options in files that only their owner can read.

    The Java options are in a separate file, which Java reads directly (JEP 293: an argument `@file`).
    """
    from pyspark.java_gateway import launch_gateway

    launch: Any = launch_gateway  # it has no types
    path, java = Path(folder) / "options", Path(folder) / "java"
    words = [word for name in (_USUAL_JAVA, _JAVA) for word in shlex.split(said.get(name, ""))]
    _write(java, (_argument(word) for word in words))
    fields = {name: value for name, value in said.items() if name != _USUAL_JAVA}
    fields[_JAVA] = shlex.quote(f"@{java}")
    _write(path, (f"{_property(name)}={_property(value)}" for name, value in fields.items()))
    usual = os.environ.get(_ARGUMENTS)
    given = f"--load-spark-defaults --properties-file {shlex.quote(str(path))} {usual or 'pyspark-shell'}"
    os.environ[_ARGUMENTS] = given
    try:
        return launch()
    finally:
        path.unlink()
        java.unlink()
        del os.environ[_ARGUMENTS]
        if usual is not None:
            os.environ[_ARGUMENTS] = usual


def _write(path: Path, lines: Iterable[str]) -> None:
    """Write a new file that only its owner can read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.writelines(f"{line}\n" for line in lines)


def _argument(word: str) -> str:
    """Return a word in the form of Java's argument files."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _property(text: str) -> str:
    """Return a string in the form of Java's property files, with each character as its number."""
    units = memoryview(text.encode("utf-16-be"))
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def options(settings: Mapping[str, Any], folder: str) -> dict[str, str]:
    """Return the options of Spark.

    The defaults come first, then the options of the connection, then the options that hide rows from other
    users.

    `folder` is for spilled data and for Java's temporary files.
    """
    said = {"spark.master": settings.get("master", "local[*]"), **_SETTINGS, **settings.get("config", {})}
    said |= {**_GUARDS, "spark.local.dir": folder, "spark.sql.warehouse.dir": f"{folder}/warehouse"}
    java = f"-XX:-UsePerfData -XX:ErrorFile={folder}/error.log -Djava.io.tmpdir={folder}"
    said[_JAVA] = f"{said.get(_JAVA, '')} {java}".strip()
    if str(said["spark.master"]).startswith("local"):
        said |= _LOOPBACK
    return {name: str(value) for name, value in said.items()}
