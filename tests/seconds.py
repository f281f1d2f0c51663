"""Print processor seconds: of whole commands, of their imports, and of the pages of the app.

    python -m tests.seconds commands demo adult     # needs MARGINALIA_DATA for Adult
    python -m tests.seconds large million parquet chain-100-100000-rows
    python -m tests.seconds imports
    python -m tests.seconds pages

A busy machine increases processor time too, so compare only figures of the same hour. The first run is not
counted: it compiles the modules, as an installation does.
"""

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
ROOT = Path(__file__).parents[1]
RUNS = 5


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def commands(tables: list[str]) -> None:
    """Print the processor seconds of `marginalia release` with its worker: the least and the median."""
    for name in tables:
        folder = ROOT / "assets"
        schema, rules = folder / "adult.schema.json", folder / "adult.rules.json"
        data = Path(os.environ.get("MARGINALIA_DATA", ""), "adult", "adult.data")
        if name == "demo":
            folder = folder / "demo"
            schema, rules, data = (folder / f for f in ("schema.json", "rules.json", "harbour.csv"))
        found = []
        for _ in range(1 + RUNS):
            with tempfile.TemporaryDirectory() as home:
                found.append(_released(home, data, schema, "--rules", str(rules)).cpu_seconds)
        del found[0]  # compiled the modules
        say(f"{name}: {min(found):.2f} s at least, {statistics.median(found):.2f} s in the median")


def large(names: list[str]) -> None:
    """Print the processor seconds and the peak memory of one command each.

    `million`: a million rows from a release of Adult. `parquet`: a release of ten million rows, with a
    million synthetic rows. Others: releases of benchmark tables.
    """
    from synth.bench.tables.tables import find
    from synth.dictionaries.document import dump_schema

    for name in names:
        table = find({"million": "adult", "parquet": "adult-10000000-rows"}.get(name, name))
        with tempfile.TemporaryDirectory() as home:
            data, schema = table.csv, Path(home, "schema.json")
            schema.write_text(json.dumps(dump_schema(table.schema)), encoding="utf-8")
            if name == "parquet":
                data = data.with_suffix(".parquet")
                if not data.is_file():
                    _as_parquet(table.csv, data)
            done = _released(home, data, schema, *(["--rows", "1000000"] if name == "parquet" else []))
            if name == "million":
                done = _run(home, "regenerate", f"{home}/out", "--rows", "1000000", "--file", f"{home}/m.csv")
        say(f"{name}: {done.cpu_seconds:.1f} s, {done.peak_mb:.0f} MB")


def _as_parquet(csv: Path, to: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    reader = pyarrow.csv.open_csv(csv)
    with pyarrow.parquet.ParquetWriter(to, reader.schema) as out:
        for batch in reader:
            out.write_batch(batch)


def _released(home: str, data: Path, schema: Path, *others: str) -> Any:
    given = ["--data", str(data), "--schema", str(schema), "--epsilon", "1", "--delta", "1e-9"]
    place = ["--out", f"{home}/out", "--lifetime-epsilon", "8", "--yes", "--json"]
    return _run(home, "release", *given, *place, *others)


def _run(home: str, *arguments: str) -> Any:
    """Run a command, with any worker that outlives it."""
    from synth.bench.trials.processes import timed

    return timed([sys.executable, "-m", "synth", *arguments], variables={"MARGINALIA_HOME": home})


def imports() -> None:
    """Print the seconds that a release imports each package, without what this imports in turn."""
    modules = "synth.cli.release, synth.app.jobs.worker, synth.app.jobs.work"
    command = [sys.executable, "-X", "importtime", "-c", f"import gc; gc.disable(); import {modules}"]
    totals = []
    for _ in range(1 + RUNS):
        totals.append(Counter[str]())
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
        for line in lines:
            own, _, module = line.removeprefix("import time:").split("|")
            if own.strip().isdigit():
                totals[-1][module.strip().partition(".")[0]] += int(own)
    least = min(totals, key=Counter.total)  # not the first, which compiles the modules
    say(f"all: {least.total() / 1e6:.2f} s")
    for package, own in least.most_common(12):
        say(f"{package}: {own / 1e6:.3f} s")


def pages() -> None:
    """Print the processor seconds of the pages of a finished demo: the first, then each a second time."""
    os.environ["MARGINALIA_HOME"] = tempfile.mkdtemp()
    start = time.process_time()
    from streamlit.testing.v1 import AppTest

    from synth.app.jobs import runner
    from synth.app.jobs.store import Job, State
    from synth.app.project import declared, runs
    from synth.app.project import store as projects
    from synth.app.project.store import Budget

    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600).run()
    say(f"first page, with all imports: {time.process_time() - start:.2f} s")
    budget = Budget(epsilon=1.0, delta=1e-9, lifetime=8.0)
    project = runs.start(replace(declared.demo(), budget=budget))
    assert runner.wait(Job.find(project.runs[-1])).state is State.DONE
    projects.save(project)
    app.query_params["p"] = project.id
    app.run()
    for page in sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")):
        taken = []
        for _ in range(2):
            gc.collect()
            start = time.process_time()
            app.switch_page(page).run()
            taken.append(time.process_time() - start)
            assert len(app.title) == 1 and not app.exception
        say(f"{page}: {taken[0]:.2f} s, then {taken[1]:.2f} s")


if __name__ == "__main__":
    kind, *given = sys.argv[1:] or ["imports"]
    {
        "commands": lambda: commands(given),
        "large": lambda: large(given),
        "imports": imports,
        "pages": pages,
    }[kind]()
