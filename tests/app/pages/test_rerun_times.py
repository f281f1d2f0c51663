"""How long each page takes on the server while a job is at work: `pytest tests/app/pages/test_rerun_times.py
-s`.

On raw Adult where MARGINALIA_DATA has it, else on the demo. A page has to answer within `QUICK` seconds, so
that the button that stops a job answers at once; slower ones are named. The test itself asserts no speed.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs import runner
from synth.app.jobs.spec import StudyKind, StudyOrder
from synth.app.jobs.store import Job, State
from synth.app.project import declared, runs
from synth.app.project import store as projects
from synth.app.project.results import steward
from synth.app.project.store import Budget, Method, Origin, Project

ROOT = Path(__file__).parents[3]
ADULT = Path(os.environ.get("MARGINALIA_DATA", "/")) / "adult" / "adult.data"
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
QUICK, TIMES = 0.3, 5


def described(*, population: str) -> Project:
    """A project that has come as far as the budget."""
    budget = Budget(epsilon=1.0, delta=1e-9, lifetime=50.0)
    if not ADULT.is_file():
        demo = declared.demo()
        return replace(demo, budget=budget, schema={**demo.schema, "population": population})
    schema = json.loads((ROOT / "assets" / "adult.schema.json").read_text())
    rules = json.loads((ROOT / "assets" / "adult.rules.json").read_text())["rules"]
    return Project(
        id=projects.fresh_id(),
        name="adult",
        origin=Origin.PATH,
        data=str(ADULT),
        schema={**schema, "population": population},
        rules=tuple(rules),
        settled=("unit", "schema", "rules", "budget", "method"),
        budget=budget,
    )


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Two finished runs, the steward's comparison of them, and a third run being prepared."""
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))
    project = described(population="measured")
    for method in ("independent", "grove"):
        project = runs.start(replace(project, method=Method(name=method), drafting=True))
        assert runner.wait(Job.find(project.runs[-1]), seconds=600).state is State.DONE
    project = replace(project, drafting=True, settled=(*project.settled, steward.STEP))
    projects.save(project)
    targets = tuple(steward.default_targets(declared.read(project).schema))
    place = steward.study_of(project)
    order = StudyOrder(kind=StudyKind.STEWARD, runs=project.runs, targets=targets, mapped=False)
    runner.begin(place, asdict(order))
    while not runner.status(place).state.is_end:
        time.sleep(0.1)
    assert runner.status(place).state is State.DONE
    return project


class Work:
    """Another project's run that is at work whenever it is looked at."""

    def __init__(self) -> None:
        self.job: Job | None = None

    def go_on(self) -> None:
        """Start another run if the last one has come to its end."""
        if self.job is None or runner.status(self.job).state.is_end:
            method = Method(name="aim", workload=3, options={"rounds": 200})
            project = runs.start(replace(described(population="busy"), method=method))
            self.job = Job.find(project.runs[-1])
        while runner.status(self.job).state is State.QUEUED:
            time.sleep(0.05)

    def end(self) -> None:
        if self.job is not None:
            runner.cancel(self.job, force=True)
            runner.wait(self.job, seconds=600)


@pytest.fixture
def work(judged: Project) -> Iterator[Work]:
    work = Work()
    yield work
    work.end()


@pytest.mark.long
def test_every_page_answers_at_once_while_a_job_is_at_work(judged: Project, work: Work) -> None:
    told: dict[str, float] = {}
    cpu: dict[str, float] = {}
    for page in PAGES:
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
        test.query_params["p"] = judged.id
        test.run().switch_page(f"pages/{page}.py").run()
        assert not test.exception and not test.error
        seconds, busy = [], []
        for _ in range(TIMES):
            work.go_on()
            started, used = time.perf_counter(), time.process_time()
            test.run()
            seconds.append(time.perf_counter() - started)
            busy.append(time.process_time() - used)
        told[page] = round(statistics.median(seconds), 3)
        cpu[page] = round(statistics.median(busy), 3)
    slow = {page: seconds for page, seconds in told.items() if seconds >= QUICK}
    sys.stdout.write(f"\nSeconds of a rerun: {json.dumps(told)}; over {QUICK:g}: {json.dumps(slow)}\n")
    sys.stdout.write(f"Of these at work in the app's own process: {json.dumps(cpu)}\n")
    assert set(told) == set(PAGES)
