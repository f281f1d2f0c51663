"""A starting table is public, fits by name, and is checked again before anything is spent."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs import released_files
from synth.app.jobs.store import Job
from synth.app.project import inputs, runs, starting
from synth.app.project.describe import suitability
from synth.app.project.spend import ledger
from synth.app.project.spend.accuracy import ExpectedAccuracy
from synth.app.project.store import Method, Project
from synth.app.ui.text import budget as text
from synth.core.errors import Mistake
from synth.core.request import People

PUBLIC = "Age,ward,other\n3,a,x\n12,b,y\n,c,z\n"


@pytest.fixture
def project(mine: Callable[..., Project], project_home: Path) -> Project:
    (project_home / "tables" / "public.csv").write_text(PUBLIC)
    (project_home / "tables" / "t.csv").write_text("age,ward,note\n1,a,x\n")
    return mine(data=str(project_home / "tables" / "t.csv"))


def test_columns_match_by_name_and_what_does_not_fit_is_counted(project: Project) -> None:
    started = starting.with_file(project, "public.csv", source="a census sample")
    match = starting.match_of(started)
    assert (match.rows, match.found, match.absent, match.outside) == (
        3, ("age", "ward"), (), {"age": 1, "ward": 1},
    )  # fmt: skip
    spec = runs.spec_of(started)
    assert (spec.start, spec.start_source, spec.start_digest) == (
        started.start.path, "a census sample", started.start.digest,
    )  # fmt: skip
    changed = list(inputs.changes(inputs.inputs_of(project), inputs.inputs_of(started)))
    assert "the starting table was set to a census sample" in changed
    assert not any("public.csv" in phrase for phrase in changed), "the log is published"


def test_the_forecast_has_both_ends_with_a_start(project: Project) -> None:
    """A random sample of m rows with two even columns is off by 4 sqrt(3 / 16 / (2 pi m)) in their pair."""
    columns = [{"name": n, "kind": "category", "values": ["a", "b"], "blank": False} for n in "xy"]
    (Path(project.data).parent / "even.csv").write_text("x,y\n" + "a,a\na,b\nb,a\nb,b\n" * 100)
    even = replace(project, schema={**project.schema, "columns": columns})
    started = starting.with_file(even, "even.csv", source="a sample")
    error = starting.error_of(started)
    assert (
        error == pytest.approx(4 * (3 / 16 / (2 * math.pi * 400)) ** 0.5) and starting.error_of(even) is None
    )
    known = ExpectedAccuracy(errors={"pairs": 0.04}, source="Like it", check=None)
    assert "about 4.0% (scaled" in text.accuracy(known).replace("**", "")
    assert "about 2.4% to 4.0% (scaled" in text.accuracy(known, start=0.03).replace("**", "")


def test_private_tables_and_places_outside_the_data_folder_are_refused(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "tables" / "copy.csv").write_bytes(Path(project.data).read_bytes())
    released_files.check(Path(project.data), population="town", run="r", ledger=tmp_path / "none.sqlite")
    (tmp_path / "elsewhere.csv").write_text(PUBLIC)
    for typed, source, words in (
        ("t.csv", "x", "the private table of this project"),
        ("copy.csv", "x", "the private table of a release"),
        ("public.csv", " ", "Source of the table"),
        ("../elsewhere.csv", "x", "not in the data folder"),
        ("none.csv", "x", "There is no 'none.csv'"),
        ("", "x", "not in the data folder"),
    ):
        with pytest.raises(Mistake, match=words):
            starting.with_file(project, typed, source=source)


def test_a_start_that_changes_or_goes_and_a_method_without_one_stop_a_run_before_it_spends(
    project: Project,
) -> None:
    started = starting.with_file(project, "public.csv", source="a census sample")
    public = Path(started.start.path)
    assert starting.trouble(project) is None and starting.trouble(started) is None
    other = replace(started, method=Method(name="mst"))
    assert not starting.can_start(other.method) and starting.can_start(started.method)
    assert "cannot start from a public table" in (starting.trouble(other) or "")
    public.write_text(PUBLIC + "4,a,x\n")
    assert "has changed since it was chosen" in (starting.trouble(started) or "")
    with pytest.raises(Mistake, match="has changed"):
        starting.match_of(replace(started, schema={**started.schema, "title": "T"}))
    public.unlink()
    with pytest.raises(Mistake, match=r"no readable starting table.*No budget was spent"):
        runs.start(started)
    assert not list(Job.all())
    assert starting.without(started) == project


def test_the_next_release_has_the_same_settings_and_starts_from_the_last_one(
    twice: Callable[[], Project],
) -> None:
    project = replace(twice(), method=Method(rows=77))
    (Path(project.data).parent / "next.csv").write_text("age,ward,note\n1,a,x\n")
    last = runs.finished(project)[-1]
    prepared = starting.next_release(project, path="next.csv", start=last)
    assert prepared.data.endswith("next.csv") and prepared.drafting and prepared.method.rows is None
    assert prepared.start.source.startswith("release ") and prepared.start.path == str(last.folder)
    kept = ("id", "name", "schema", "rules", "budget", "runs", "purpose")
    assert all(getattr(prepared, name) == getattr(project, name) for name in kept)
    assert starting.match_of(prepared).absent == () and starting.trouble(prepared) is None


def test_the_people_of_the_next_table_are_declared_as_on_the_command_line(
    twice: Callable[[], Project],
) -> None:
    """New people get a population that has no release, with the limit of the earlier one."""
    project = twice()
    (Path(project.data).parent / "next.csv").write_text("age,ward,note\n1,a,x\n")
    for name, words in (("", "Type a name"), ("Town", "has a release already"), ("tówn", "looks like")):
        with pytest.raises(Mistake, match=words):
            starting.next_release(project, path="next.csv", people=People.NEW, population=name)
    new = starting.next_release(project, path="next.csv", people=People.NEW, population=" wave 2 ")
    spec = runs.spec_of(new)
    assert (spec.people, spec.new_to, spec.population) == (People.NEW, ("town",), "wave 2")
    assert spec.plan().people is People.NEW and spec.lifetime_epsilon == pytest.approx(8.0)
    assert ledger.not_new(new) is None and runs.quote(new).opens
    same = starting.next_release(new, path="next.csv", people=People.SAME)
    assert (same.people, same.new_to) == (People.SAME, ())
    assert {"people", "new_to"} <= set(runs.differences(new, new.runs[-1]))
    logged = list(inputs.changes(inputs.inputs_of(project), inputs.inputs_of(new)))
    assert "who is in the table was set to new people only" in logged
    late = replace(new, schema=project.schema)
    assert "has a release already" in (ledger.not_new(late) or "")
    moved = suitability.written(same, replace(suitability.UnitAnswers.of(same), population="others"))
    assert moved.people is People.UNDECLARED, "it was about the releases of the other population"
