"""Rehearsals on invented tables of any width, run to their end in the home of a server."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from synth.app.jobs.spec import fresh_run
from synth.app.jobs.store import Job, State, Status
from synth.app.jobs.work import release
from synth.app.project import runs
from synth.app.project import store as projects
from synth.app.project.store import Budget, Method, Origin, Project
from synth.core.progress import silent

STEPS = ("unit", "schema", "rules", "budget", "method")
ROWS = 4_000
STEMS = ("Age group", "Region of birth", "Weekly hours", "Household size", "Occupation", "Schooling", "Rooms")
SIZES = (7, 5, 12, 4, 9, 6, 3)


def rehearsal(
    place: Path, columns: int, *, methods: Sequence[tuple[str, float]] = (("blend", 1.0), ("gaussian", 0.5))
) -> Project:
    """A saved project on a table of `columns` columns that lean on three factors, with a finished run of each
    method at its epsilon.

    What the home of the projects is says MARGINALIA_HOME; the table is written to `place`.
    """
    table = place / f"invented-{columns}.csv"
    schema = _invent(table, columns)
    project = Project(
        id=projects.fresh_id(),
        name=f"invented-{columns}",
        origin=Origin.PATH,
        data=str(table),
        schema=schema,
        budget=Budget(delta=1e-7, lifetime=50.0, rows_about=ROWS),
        settled=STEPS,
        rehearsal=True,
    )
    for name, epsilon in methods:
        requested = replace(
            project, budget=replace(project.budget, epsilon=epsilon), method=Method(name=name)
        )
        spec = replace(runs.spec_of(requested), run=fresh_run(), lifetime_epsilon=50.0)
        spec = replace(spec, out=str(project.folder / "releases" / spec.run))
        job = Job.create(spec)
        release(spec, silent)
        job.write_status(Status(state=State.DONE, done=1.0))
        project = replace(project, runs=(*project.runs, spec.run), drafting=False)
    projects.save(project)
    return project


def _invent(table: Path, columns: int) -> dict[str, object]:
    """Write the table; its schema."""
    draw = np.random.default_rng(columns)
    factors = draw.normal(size=(ROWS, 3))
    described, cells = [], []
    for place in range(columns):
        size, stem = SIZES[place % len(SIZES)], STEMS[place % len(STEMS)]
        load = draw.normal(size=3) * (draw.random(3) < 0.6)
        score = factors @ load + draw.normal(size=ROWS)
        codes = np.digitize(score, np.quantile(score, np.linspace(0, 1, size + 1)[1:-1] ** 1.4))
        name = f"c{place + 1:03d}"
        column = {"name": name, "title": f"{stem} {place // len(STEMS) + 1}", "blank": False}
        if place % 2:
            values = [f"{stem.split()[0].lower()} {chr(97 + code)}" for code in range(size)]
            described.append({**column, "kind": "category", "values": values})
            cells.append([values[code] for code in codes])
        else:
            described.append({**column, "kind": "integer", "min": 0, "max": size - 1})
            cells.append([str(code) for code in codes])
    with table.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow([column["name"] for column in described])
        write.writerows(zip(*cells, strict=True))
    return {
        "name": table.stem,
        "population": table.stem,
        "file_is_public": True,
        "unit": {"max_rows": 1},
        "columns": described,
    }
