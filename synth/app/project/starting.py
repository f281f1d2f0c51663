"""Choose a starting table, prepare the next release, and declare who is in its table.

A starting table is declared public, so it is read here. Its columns are matched by name, and its cells are
compared with the declared domains. The private file is not opened.
"""

from __future__ import annotations

import calendar
import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np

from synth.app.jobs import released_files
from synth.app.jobs.store import Job
from synth.app.project import declared, opening, runs, shifting
from synth.app.project.describe import sources
from synth.app.project.runs import SyntheticTable
from synth.app.project.spend import ledger
from synth.app.project.spend.allocation import mechanism_of
from synth.app.project.store import Method, Origin, Project, Start, Upload, allowed_package
from synth.core.axis import Axis, domain_of
from synth.core.codebook import Codebook
from synth.core.discretisation import declared_axes
from synth.core.errors import Mistake
from synth.core.request import People
from synth.core.system.address import address_of
from synth.core.table import CodeTable
from synth.dictionaries import load_schema
from synth.mechanisms import MECHANISMS
from synth.models.registry import GENERATORS
from synth.release.opened import open_bundle
from synth.release.reading.starting import read_start
from synth.rules import parse_rules

_MONTHS = (list(calendar.month_name)[1:], list(calendar.month_abbr)[1:])
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS[0] + _MONTHS[1])})\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(19|20)\d\d\b")

SOURCE = "Source of the table"
"""Label of the field for the source."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """How well a starting table fits the declared columns, from the public table alone.

    Columns are given by their headings. `rows` is the number of rows that are used. `found` and `absent`
    contain columns. `outside` contains the number of cells in the used rows outside the declared domain, for
    columns with such cells. `error` is the mean error of pairs (TVD) if nothing has changed since. It was
    measured with the table's release or follows from the number of rows, or is None if neither is known.
    """

    rows: int
    found: tuple[str, ...]
    absent: tuple[str, ...]
    outside: Mapping[str, int]
    error: float | None


def can_start(method: Method) -> bool:
    """Return whether a method with its generator can use a starting table."""
    kind = MECHANISMS[method.name]
    return kind.starts and GENERATORS[method.generator or mechanism_of(method).generator].starts


def with_run(project: Project, table: SyntheticTable) -> Project:
    """Return the project with one of its own releases as the starting table. Raises: `Mistake` if the release
    cannot be used.
    """
    return _with_table(project, Path(Job.find(table.source).spec().out), source="")


def with_file(project: Project, typed: str, *, source: str) -> Project:
    """Return the project with a release package or a CSV file in the data folder as the starting table.

    Raises: `Mistake` for a table that cannot be used, is the private table, or was the private table of a
    release.
    """
    path = allowed_package(typed)
    if project.data and path == address_of(project.data).path.resolve():
        raise Mistake(
            f"{typed!r} is the private table of this project. A starting table must be public. Choose "
            "another one. No budget was spent."
        )
    return _with_table(project, path, source=source)


def without(project: Project) -> Project:
    """Return the project without a starting table."""
    return replace(project, start=Start())


def match_of(project: Project) -> Match:
    """Return how well the starting table fits the columns. Raises: `Mistake` if it cannot be read."""
    start = project.start
    documents = (json.dumps(part, sort_keys=True) for part in (project.schema, project.rules))
    return _matched(start.path, start.source, start.digest, *documents)


def error_of(project: Project) -> float | None:
    """Return `Match.error` of the starting table, or None without a table that the run can use."""
    if project.start.path and can_start(project.method):
        with suppress(Mistake):
            return match_of(project).error
    return None


def trouble(project: Project) -> str | None:
    """Return a sentence on why no run can start from the chosen table, or None if a run can or no table is
    chosen.
    """
    if not project.start.path:
        return None
    try:
        runs.check_start(runs.spec_of(replace(project, data=project.data or "/")))
    except Mistake as mistake:
        return str(mistake)
    return None


def next_release(
    project: Project,
    *,
    path: str = "",
    upload: Upload | None = None,
    second_year: bool = False,
    start: SyntheticTable | None = None,
    people: People = People.UNDECLARED,
    population: str = "",
    shift: str = "",
    name: str = "",
) -> Project:
    """Return the project prepared for the next table, with the same settings and one of its own releases as
    the starting table. The number of rows to generate is not copied, because it depends on the table.

    `people` declares who is in the table. New people form the new population `population`. `shift` moves the
    declared dates, such as by "1m" (`shifting.shifted`). `name` is a new name for the project and its table.
    Raises: `Mistake` for a table that cannot be used,
    or for an invalid population name.
    """
    if second_year:
        project = replace(project, data=str(declared.SECOND_YEAR), header=())
    else:
        project = sources.with_file(project, path=path, upload=upload)
    if shift:
        project = replace(project, schema=shifting.shifted(project.schema, shift))
    if name.strip():
        project = opening.renamed(project, name)
    project = replace(project, drafting=True, method=replace(project.method, rows=None))
    if people is People.NEW:
        project = _with_new_people(project, population.strip())
    else:
        project = replace(project, people=people, new_to=())
    return without(project) if start is None else with_run(project, start)


def next_name(name: str, shift: str = "") -> str:
    """Suggest a name for the next release: of the next month or year if the name has one, or with a number.

    >>> next_name("Visits, June", "1m"), next_name("Visits, Dec 2025", "1m"), next_name("Survey 2025")
    ('Visits, July', 'Visits, Jan 2026', 'Survey 2026')
    >>> next_name("Town survey"), next_name("Town survey (2)"), next_name("June 2025", "1w")
    ('Town survey (2)', 'Town survey (3)', 'June 2025 (2)')
    """
    months, suggested = {"1m": 1, "3m": 3, "1y": 12, "": 12}.get(shift, 0), name
    year, month = _YEAR.search(name), _MONTH.search(name)
    if months and month and months < 12:
        names = next(names for names in _MONTHS if month[0].capitalize() in names)
        place = names.index(month[0].capitalize()) + months
        suggested = f"{name[: month.start()]}{names[place % 12]}{name[month.end() :]}"
        if year and place >= 12:
            suggested = suggested.replace(year[0], str(int(year[0]) + 1))
    elif months == 12 and year and (shift or not month):
        suggested = name.replace(year[0], str(int(year[0]) + 1))
    if suggested != name:
        return suggested
    numbered = re.fullmatch(r"(.*) \((\d+)\)", name)
    return f"{numbered[1]} ({int(numbered[2]) + 1})" if numbered else f"{name} (2)"


def has_dates(project: Project) -> bool:
    """Return whether the project declares a range of dates, which another period would move."""
    return any(map(shifting.has_dates, project.schema["columns"]))


def without_people(project: Project) -> Project:
    """Return the project without the declaration of who is in the table."""
    return replace(project, people=People.UNDECLARED, new_to=())


def _with_new_people(project: Project, population: str) -> Project:
    """Return the project with a new population and the limit of the earlier lifetime budget."""
    if not population:
        raise Mistake("Type a name for the population of the new people. No budget was spent.")
    last, line = Job.find(project.runs[-1]).spec(), ledger.line_of(project)
    limit = line.lifetime[0] if line.limits else project.budget.lifetime
    project = replace(
        project,
        schema={**project.schema, "population": population},
        budget=replace(project.budget, lifetime=limit),
        people=People.NEW,
        new_to=(*last.new_to, last.population),
    )
    if (trouble := ledger.misfit(project) or ledger.not_new(project)) is not None:
        raise Mistake(trouble)
    return project


def has_second_year(project: Project) -> bool:
    """Return whether this is the demo project with a table for the following year."""
    return project.origin is Origin.DEMO and project.data != str(declared.SECOND_YEAR)


def _with_table(project: Project, path: Path, *, source: str) -> Project:
    table = read_start(path, load_schema(project.schema), source=source, source_in=SOURCE)
    released_files.check_public(path)
    start = Start(path=str(path), source=table.source, digest=table.digest)
    return replace(project, start=start)


@lru_cache(maxsize=4)
def _matched(path: str, source: str, digest: str, schema_text: str, rules_text: str) -> Match:
    """Return the match of a table, cached by its digest so that a page need not read the table each time."""
    schema = load_schema(json.loads(schema_text))
    rules = parse_rules(json.loads(rules_text), schema)
    table = read_start(path, schema, source=source, digest=digest)
    axes: tuple[Axis, ...] = declared_axes(schema, rules)
    titles = {column.name: column.heading for column in schema.modelled}
    rows, outside, error = len(table.frame), dict[str, int](), None
    if axes:
        start, outside = table.encoded(Codebook(schema=schema, axes=axes), seed=0)
        rows, error = len(start.codes), _error(CodeTable(domain_of(axes), start.codes), Path(path))
    return Match(
        rows=rows,
        found=tuple(title for name, title in titles.items() if name not in table.absent),
        absent=tuple(titles[name] for name in table.absent),
        outside={titles[name]: cells for name, cells in outside.items()},
        error=error,
    )


def _error(table: CodeTable, path: Path) -> float | None:
    """Return `Match.error`. A random sample of m rows has the error sum_i sqrt(p_i (1 - p_i) / (2 pi m)) in a
    pair with shares p_i, because the mean of |N(0, s^2)| is s sqrt(2 / pi).
    """
    if path.is_dir() or path.suffix == ".zip":
        verdict = open_bundle(path).checks.verdict
        return None if verdict is None else verdict.means["pairs"].estimate
    rows = len(table.codes)
    pairs = [table.counts(pair) / rows for pair in combinations(table.domain.names, 2)]
    errors = [float(np.sqrt(p * (1 - p) / (2 * math.pi * rows)).sum()) for p in pairs]
    return fmean(errors) if errors else None
