"""Trials by others: what comes back is kept as if it had been measured here, and one that is lost says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from synth.app.jobs.elsewhere.executor import Here, Lost
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Task
from synth.bench.trials.elsewhere import measure_elsewhere
from synth.bench.trials.results import LAST, Results
from synth.bench.trials.trial import Part, Trial
from synth.core.errors import Mistake

pytestmark = pytest.mark.long


FIGURE = {"table": "t", "delta": 1e-9, "figure": LAST, "value": 2.0}


@dataclass
class Others:
    """An executor whose workers answer at once, lose a method, or never answer at all."""

    title: str = "others"
    orders: list[dict[str, Any]] = field(default_factory=list)

    def do(
        self,
        task: Task,
        kind: TaskKind,
        *,
        waiting: Callable[[], object],
        on: Callable[[str], object],
        **_: Any,
    ) -> None:
        order = task.order()["trial"]
        self.orders.append(order)
        on(f"worker {len(self.orders)}")
        if order["method"] == "lost":
            raise Lost("It was lost.")
        if order["method"] == "odd":
            raise Mistake("There is no such table.")
        while order["method"] == "endless":
            waiting()
        record = FIGURE | {"method": order["method"], "epsilon": order["epsilon"], "run": order["run"]}
        task.keep("answer.json", json.dumps({"records": [record]}))


def trial(method: str, run: int = 0) -> Trial:
    return Trial(part=Part.MECHANISM, table="t", method=method, epsilon=1.0, delta=1e-9, run=run)


def test_every_trial_is_asked_once_and_its_records_are_kept(tmp_path: Path) -> None:
    asked, others, lines = [trial("a", run) for run in range(5)], Others(), []
    results = Results(tmp_path / "r.csv")
    measure_elsewhere(asked, results, lines.append, executor=others, at_once=2)
    assert {r.key for r in Results(tmp_path / "r.csv").records} == {t.key for t in asked}
    assert sorted(order["run"] for order in others.orders) == [0, 1, 2, 3, 4]
    assert len(lines) == 5 and all("by worker" in line for line in lines)


def test_a_mistake_ends_the_waiting_for_all_others(tmp_path: Path) -> None:
    results = Results(tmp_path / "r.csv")
    with pytest.raises(Mistake, match="no such table"):
        measure_elsewhere([trial("endless"), trial("odd")], results, lambda line: None, executor=Others())


def test_a_real_trial_comes_back_as_if_it_were_measured_here(tmp_path: Path, town: Path) -> None:
    asked = Trial(part=Part.MECHANISM, table="titanic", method="independent", epsilon=8.0, delta=1e-9)
    results = Results(tmp_path / "r.csv")
    measure_elsewhere([asked], results, lambda line: None, executor=Here())
    assert {"seconds", "tvd2", LAST} <= {r.figure for r in results.records}
    assert {r.key for r in results.records} == {asked.key}
