"""Runs are compared by their measured accuracy, and from bundles alone."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from synth.app.jobs import runner
from synth.app.jobs.store import Event, Job
from synth.app.jobs.work import release
from synth.app.project.results import compare
from synth.app.project.runs import finished, seconds_of
from synth.app.project.store import Project
from synth.core.errors import Mistake
from synth.core.progress import silent
from synth.release.verdict.figures import Figure

Twice = Callable[[], Project]


def more(project: Project, run: str, **changes: object) -> Project:
    """The project with another finished run like its last one."""
    before = Job.find(project.runs[-1])
    job = Job.create(replace(before.spec(), run=run, out=str(project.folder / "releases" / run), **changes))  # type: ignore[arg-type]
    release(job.spec(), silent)
    job.write_status(before.status())
    return replace(project, runs=(*project.runs, run))


def test_nothing_but_bundles_is_read(twice: Twice) -> None:
    project = twice()
    Path(project.data).unlink()
    one, two = compare.standings(finished(project))
    assert (one.run.number, two.run.number) == (1, 2)
    assert one.release.rows and one.bound == two.bound == 1.0
    assert one.unbound == two.unbound == 1 and one.mean("pairs") is None


def test_runs_are_compared_by_the_accuracy_that_each_measured(twice: Twice) -> None:
    project = more(twice(), "run-3", epsilon=3.0, verdict=0.2)
    project = more(project, "run-4", method="aim", epsilon=3.0, verdict=0.2)
    found = compare.gaps(compare.standings(finished(project)), "pairs")
    assert found is not None
    assert found[0].number == 4  # age and ward depend on each other; only AIM looked for it
    assert [gap.run.number for gap in found[1]] == [3] and found[1][0].is_real


def test_equal_runs_rarely_seem_to_differ() -> None:
    """1,000 draws: by chance above 5% + 4.5 deviations less than once in 10,000 runs. With an interval of 95%
    for each difference, eight equal runs seem to differ in half of the draws."""
    rng, draws, wrong = np.random.default_rng(3), 1_000, 0
    release = SimpleNamespace(confidence=0.95)
    for _ in range(draws):
        errors = [Figure(estimate=e, sd=0.01) for e in rng.normal(0.1, 0.01, size=8)]
        equal = [SimpleNamespace(run=e, release=release, mean=lambda _, e=e: e) for e in errors]
        found = compare.gaps(equal, "pairs")  # type: ignore[arg-type]
        wrong += found is not None and any(gap.is_real for gap in found[1])
    assert 0 < wrong / draws < 0.05 + 4.5 * math.sqrt(0.05 * 0.95 / draws)


@pytest.mark.long
def test_the_map_holds_synthetic_tables_and_never_opens_the_private_one(twice: Twice) -> None:
    project = twice()
    Path(project.data).unlink()
    assert compare.drawn_map(project) is None
    compare.draw_map(project, finished(project), rows=100)
    runner.wait(compare.map_of(project), seconds=600)
    drawn = compare.drawn_map(project)
    assert drawn is not None
    assert [sheet.name for sheet in drawn[0].sheets] == list(project.runs)
    assert drawn[0].rows == 100
    with pytest.raises(Mistake, match="2 to 8"):
        compare.draw_map(project, finished(project)[:1], rows=100)


@pytest.mark.parametrize(
    ("stages", "seconds"),
    [
        (("columns", "fit", "select", "measure", "fit", "shares", "sample", "verdict", "check"), 5.0 + 7.0),
        (("fit", "shares", "sample", "check", "ingest", "measure", "fit", "sample", "check"), 7.0 + 8.0),
        (("fit", "rounds", "fit", "rounds", "fit", "sample", "check"), None),
        (("graph", "fit", "steps", "fit", "sample", "check"), None),
    ],
)
def test_measuring_seconds_are_hidden(twice: Twice, stages: tuple[str, ...], seconds: float | None) -> None:
    """A fit that questions follow, a round, and measured target proportions take time that rows decide."""
    one, at = finished(twice())[0], 0
    job = Job.find("run-1")
    for taken, stage in enumerate(stages, start=1):
        job.add_event(Event(at=f"2026-11-22T10:00:{at:02d}+00:00", stage=stage, done=0.0, fact=""))
        at += taken
    assert seconds_of(one) == seconds
