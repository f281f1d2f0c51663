"""Runs on Parquet files that a real Spark counts: what is found of them anywhere, and what the end of Spark
in the middle leaves. With MARGINALIA_SPARK=1 alone: they need Java, and minutes."""

import json
import os
import random
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.release.verify import verify
from tests.app.jobs.test_database_runs import SCHEMA

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not os.environ.get("MARGINALIA_SPARK"), reason="set MARGINALIA_SPARK=1; needs Java"),
]
ROOT = Path(__file__).parents[3]
EVERYBODYS = ("/tmp", "/var/tmp", "/dev/shm")


@pytest.fixture
def canary() -> str:
    """Another one every time, so that what is found in everybody's folders is this run's."""
    return f"canary-{secrets.token_hex(6)}"


@pytest.fixture
def kept(canary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with canaries in its name, in a column's name, in ids, and in cells outside the schema; and a
    Spark whose own settings keep logs of events and a store of tables."""
    draw = random.Random(3)
    wards = ["a", "b", "c", f"{canary}-ward"]
    table = pa.table(
        {
            "who": [f"{canary}-{i // 2}" for i in range(3000)],
            "age": [draw.randrange(120) for _ in range(3000)],
            "ward": [draw.choice(wards) for _ in range(3000)],
            "rents": [draw.random() < 0.3 for _ in range(3000)],
            f"note-{canary}": [f"{canary}-{i}" for i in range(3000)],
        }
    )
    place = tmp_path / "source" / f"people-{canary}.parquet"
    for name in ("source", "tmp", "home", "work", "events"):
        (tmp_path / name).mkdir()
    pq.write_table(table, place)
    defaults = tmp_path / "source" / "spark-defaults.conf"
    events = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{tmp_path / 'events'}"}
    events["spark.sql.catalogImplementation"] = "hive"
    defaults.write_text("\n".join(f"{name} {value}" for name, value in events.items()))
    connection = {"engine": "pyspark", "master": "local[2]", "files": str(place)}
    lines = [f"{name} = {json.dumps(value)}" for name, value in connection.items()]
    lines += ["[config]", f'"spark.hadoop.fs.s3a.secret.key" = "{canary}-password"']
    monkeypatch.setenv("MARGINALIA_CONNECTION_REGISTER", "\n".join(lines))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / "source"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return place


def written(folder: Path, *, since: float = 0.0) -> Iterator[Path]:
    """The files below a folder that have changed since then, and that can be read."""
    for place, _, names in os.walk(folder, onerror=lambda _: None):
        for name in names:
            path = Path(place) / name
            try:
                if path.is_file() and not path.is_symlink() and path.stat().st_mtime >= since:
                    yield path
            except OSError:
                continue


def holds(path: Path, canary: str) -> bool:
    try:
        return path.stat().st_size < 1 << 26 and canary.encode() in path.read_bytes()
    except OSError:
        return False


def commands_below(pid: int) -> str:
    """The command lines of a process's descendants, which everybody can read."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        own = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join([own, *(commands_below(int(child)) for child in children)])


def test_nothing_of_the_files_but_counts_is_found_anywhere(canary: str, kept: Path, tmp_path: Path) -> None:
    """While it runs and after: in folders for passing files, the home with the job's folder, the ledger, the
    bundle, what is printed, logs of events, command lines, and in what is everybody's."""
    assert canary.encode() in kept.read_bytes()  # so it would be found
    schema, began = tmp_path / "schema.json", time.time()
    schema.write_text(json.dumps(SCHEMA))
    line = [sys.executable, "-m", "synth", "release", "--data", "database:register", "--schema", str(schema)]
    line += ["--epsilon", "1", "--delta", "1e-9", "--lifetime-epsilon", "10", "--method", "mst", "--yes"]
    out, passing = tmp_path / "work" / "out", set[str]()
    with (tmp_path / "told").open("w") as stated:
        process = subprocess.Popen([*line, "--out", str(out)], cwd=out.parent, stdout=stated, stderr=stated)
        while process.poll() is None:
            for path in written(tmp_path / "tmp"):
                passing.add(path.name.split("_")[0])
                assert not holds(path, canary), path
            assert canary not in commands_below(process.pid)
            time.sleep(0.3)
        assert process.returncode == 0
        kept.write_bytes(b"PAR1 no more" + canary.encode())
        again = subprocess.run([*line, "--out", str(out) + "2"], cwd=out.parent, stdout=stated, stderr=stated)
        assert again.returncode != 0  # a refusal tells as little
    assert verify(out).ok and "shuffle" in passing
    assert list(written(tmp_path / "tmp")) == [] and list(written(tmp_path / "events")) == []
    assert not {path.name for path in out.parent.iterdir()} - {"out"}  # no store of tables
    files = [path for path in written(tmp_path) if "source" not in path.parts]
    assert len(files) > 20 and not [path for path in files if holds(path, canary)]
    others = (path for place in EVERYBODYS for path in written(Path(place), since=began))
    assert not [p for p in others if not p.is_relative_to(tmp_path) and holds(p, canary)]
