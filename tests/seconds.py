"""Print processor seconds: of whole commands, of their imports, and of the pages of the app.

    python -m tests.seconds commands demo adult     # needs MARGINALIA_DATA for Adult
    python -m tests.seconds imports
    python -m tests.seconds pages

A busy machine increases processor time too, so compare only figures of the same hour. The first run is not
counted: it compiles the modules, as an installation does.
"""

import ctypes
import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
ROOT = Path(__file__).parents[1]
RUNS = 5
ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER of Linux, because a worker may outlive its command


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def commands(tables: list[str]) -> None:
    """Print the processor seconds of `marginalia release` with its worker: the least and the median."""
    ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
    for name in tables:
        folder = ROOT / "assets"
        schema, rules = folder / "adult.schema.json", folder / "adult.rules.json"
        data = Path(os.environ.get("MARGINALIA_DATA", ""), "adult", "adult.data")
        if name == "demo":
            folder = folder / "demo"
            schema, rules, data = (folder / f for f in ("schema.json", "rules.json", "harbour.csv"))
        given = ["--data", data, "--schema", schema, "--rules", rules, "--epsilon", "1", "--delta", "1e-9"]
        found = []
        for _ in range(1 + RUNS):
            with tempfile.TemporaryDirectory() as home:
                place = ["--out", f"{home}/out", "--lifetime-epsilon", "8", "--yes", "--json"]
                before = _children()
                subprocess.run(
                    [sys.executable, "-m", "synth", "release", *map(str, given), *place],
                    env=os.environ | {"MARGINALIA_HOME": home},
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
                _reap()
                found.append(_children() - before)
        del found[0]  # compiled the modules
        say(f"{name}: {min(found):.2f} s at least, {statistics.median(found):.2f} s in the median")


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _reap() -> None:
    """Wait for the workers of commands that have ended."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


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
    {"commands": lambda: commands(given), "imports": imports, "pages": pages}[kind]()
