"""A value list is bought in the app at untouched settings; where it cannot be, a raise mends it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs import runner
from synth.app.jobs.store import Job, State
from synth.app.project import declared
from synth.app.project import store as projects
from synth.app.project.store import Budget, Project
from synth.core.accounting import limit_for
from synth.core.schema import ProtectedChange
from synth.core.system import places
from synth.private.ledger import Ledger
from tests.app.opened import opened

SETTLED = ("unit", "schema", "rules", "budget", "method")


@pytest.fixture
def project(project_home: Path) -> Project:
    """The demo with the wards to be bought, at the budget every project begins with."""
    demo = declared.demo()
    columns = [
        {"name": "ward", "kind": "category", "buy": True} if column["name"] == "ward" else column
        for column in demo.schema["columns"]
    ]
    project = replace(demo, schema={**demo.schema, "columns": columns}, budget=Budget(), settled=SETTLED)
    projects.save(project)
    return project


def finish(project: Project) -> None:
    """Confirm the last sheet and wait for the end."""
    test = opened("run", project)
    assert not test.error, [error.value for error in test.error]
    for box in test.checkbox:
        if box.key == "open-line":
            box.check().run()
    test.text_input(key="confirm-name").set_value(project.name)
    test.button(key="spend").click().run()
    (run,) = projects.load(project.id).runs
    status = runner.wait(Job.find(run), seconds=600)
    assert status.state is State.DONE, status.sentence


@pytest.mark.long
def test_a_raise_on_the_ledger_page_as_the_run_page_advises_lets_it_through(project: Project) -> None:
    population = project.schema["population"]
    ledger = Ledger(places.rehearsal_ledger())
    ledger.open_population(
        population, units=limit_for(1.0, 1e-12), reason="council", protects=ProtectedChange(max_rows=1)
    )
    for name in ("budget", "run"):
        refused = opened(name, project)
        said = " ".join(error.value for error in refused.error)
        (epsilon,) = set(re.findall(r"raised to epsilon ([\d.]+) at delta 1 in 100 billion", said))
    assert refused.button(key="spend").disabled
    books = opened("ledger", project)
    books.number_input(key="raise-to").set_value(float(epsilon))
    books.number_input(key="raise-delta").set_value(1e-11)
    books.text_input(key="raise-why").set_value("council, 5 May")
    books.button(key="raise").click().run()
    assert not books.error and f"epsilon {epsilon} at delta 1 in 100 billion" in books.success[0].value
    finish(project)
    assert ledger.verify()
