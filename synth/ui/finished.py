"""The finished runs of a project, as the pages that look at several of them name them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from synth.axis import Axis
from synth.errors import Mistake
from synth.evidence import Evidence
from synth.generate.registry import GENERATORS
from synth.jobs import again, runner
from synth.jobs.store import Job, State
from synth.jobs.work import place_of
from synth.mechanisms import MECHANISMS
from synth.release import measurements as answers
from synth.release.layout import CHECKSUMS, Layout
from synth.schema_io import load_schema
from synth.ui import released
from synth.ui.project import Project
from synth.ui.text.method import title_of


@dataclass(frozen=True, kw_only=True)
class Finished:
    """One run whose bundle is there. `number` counts the project's runs from 1, the unfinished ones too.

    `columns` counts those in the table, `day` is the UTC day the run ended. `generator` names what made a
    further table from the run's answers; "" for the table of the run itself.
    Its `run` then is a name of its own and no id of the job store; `source` always is one: the run whose
    answers the table was made from.
    """

    run: str
    source: str
    number: int
    method: str
    epsilon: float
    delta: float
    columns: int
    day: str
    folder: Path
    generator: str = ""

    @property
    def name(self) -> str:
        """Short: for axes and legends."""
        return f"Run {self.number}, again by {self.generator}" if self.generator else f"Run {self.number}"

    @property
    def label(self) -> str:
        """The name with what tells the run from others."""
        return f"{self.name}: {self.method}, epsilon {self.epsilon:g}"


def finished(project: Project) -> tuple[Finished, ...]:
    """All finished runs, oldest first. Public facts only."""
    found = []
    for number, run in enumerate(project.runs, start=1):
        job = Job.find(run)
        status = runner.status(job)
        if status.state is State.DONE:
            spec = job.spec()
            method = MECHANISMS[spec.method].title if spec.method in MECHANISMS else spec.method
            found.append(
                Finished(
                    run=run,
                    source=run,
                    number=number,
                    method=method,
                    epsilon=spec.epsilon,
                    delta=spec.delta,
                    columns=len(load_schema(spec.schema).modelled),
                    day=status.at[:10],
                    folder=Path(spec.out),
                )
            )
    return tuple(found)


def tables(project: Project) -> tuple[Finished, ...]:
    """All finished runs, each followed by the further tables made from its answers for free."""
    found = []
    for one in finished(project):
        spec = Job.find(one.run).spec()
        places = {generator: place_of(spec, generator) for generator in GENERATORS}
        found.append(one)
        found += [
            replace(one, run=f"{one.run}-{generator}", generator=title_of(generator), folder=place)
            for generator, place in places.items()
            if again.is_made(spec, generator)
        ]
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class ColumnWords:
    """What a column and its codes are called, as the bundle declares them."""

    title: str
    labels: tuple[str, ...]


def columns_of(one: Finished) -> dict[str, ColumnWords]:
    """The words for every column of a run, in order, one label per fine code."""
    return {
        axis.name: ColumnWords(title=_title(axis), labels=released.labels_of(axis, None))
        for axis in evidence_of(one.folder).codebook.axes
    }


def _title(axis: Axis) -> str:
    return axis.column.title or axis.name


def layout_of(folder: Path) -> Layout:
    """Where things lie in this bundle."""
    return Layout(rehearsal=(folder / Layout(rehearsal=True).statement).exists())


def evidence_of(folder: Path) -> Evidence:
    """The evidence of a bundle. Raises: `Mistake` if it is damaged.

    The last few are remembered under their checksums; everything in a bundle is public.
    """
    try:
        return _evidence_of(folder, (folder / CHECKSUMS).read_bytes())
    except (OSError, ValueError):
        raise Mistake(released.UNREADABLE) from None


@lru_cache(maxsize=16)
def _evidence_of(folder: Path, checksums: bytes) -> Evidence:
    layout = layout_of(folder)
    told = json.loads((folder / layout.measurements).read_text(encoding="utf-8"))
    return answers.read(told, (folder / layout.marginals).read_bytes())
