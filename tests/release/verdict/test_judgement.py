"""A released table is judged in a run of its own: what it measures, what it costs, and its document."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import synth
from synth import pipeline
from synth.app.jobs.work import further
from synth.core.accounting import limit_for
from synth.core.errors import BudgetRefused, Mistake, Refusal
from synth.core.progress import Progress
from synth.dictionaries import load_schema
from synth.private.ledger import Ledger
from synth.private.table import open_table
from synth.release import bundle
from synth.release.layout import json_text
from synth.release.opened import open_bundle
from synth.release.plan import Plan
from synth.release.verdict.judgement import Judgement, JudgePlan
from synth.rules import parse_rules
from tests.town import CANARIES, SCHEMA, write

PRICE: dict[str, Any] = {"epsilon": 2.0, "delta": 1e-9}
UNITS = limit_for(2.0, 1e-9).gaussian_units


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A private table as CSV and in DuckDB, an old release of it without a verdict, and a further table."""
    folder = tmp_path_factory.mktemp("town")
    write(folder / "town.csv", rows=3000)
    with duckdb.connect(str(folder / "town.duckdb")) as base:
        base.execute(f"CREATE TABLE people AS SELECT * FROM read_csv('{folder / 'town.csv'}')")
        base.execute("CREATE TABLE other (age INTEGER)")
    schema = load_schema(SCHEMA)
    plan = Plan(
        schema=schema, rules=parse_rules([], schema), epsilon=10, delta=1e-6, method="mst", seed=3, rows=900
    )
    ledger = opened(folder / "first.sqlite")
    made = pipeline.release(plan, data=folder / "town.csv", ledger=ledger, run="r")
    bundle.write(made, folder / "old")
    again = further(open_bundle(folder / "old"), generator="independent", rows=2000, seed=1)
    bundle.write(again, folder / "further")
    return folder


def opened(path: Path, *, epsilon: float = 30.0, **facts: Any) -> Ledger:
    schema = load_schema(SCHEMA | facts)
    synth.open_budget(schema, epsilon=epsilon, delta=1e-5, reason="a test", ledger=path)
    return Ledger(path)


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    return opened(tmp_path / "ledger.sqlite")


@contextmanager
def at_no_cost(ledger: Ledger) -> Iterator[None]:
    before = ledger.listing()
    yield
    assert ledger.listing() == before


def exact_errors(package: Path, data: Path) -> dict[tuple[str, ...], float]:
    """The exact TVD of every column and pair, counted in another way than the verdict does."""
    release = open_bundle(package)
    codebook, total = release.evidence.codebook, release.evidence.total
    private = open_table(data, codebook.schema, axes=codebook.axes).codes(codebook.axes)
    private = private.grouped(codebook.groupings)
    names = codebook.domain.names
    found = {}
    for clique in [*combinations(names, 1), *combinations(names, 2)]:
        counts: dict[tuple[int, ...], float] = {}
        at = [names.index(name) for name in clique]
        for rows, weight in (
            (np.stack(private.columns, axis=1), 1.0),
            (release.codes, -total / len(release.codes)),
        ):
            for row in rows[:, at].tolist():
                counts[tuple(row)] = counts.get(tuple(row), 0.0) + weight
        found[clique] = sum(map(abs, counts.values())) / (2 * total)
    return found


@pytest.mark.parametrize("package", ["old", "further"])
@pytest.mark.parametrize("data", ["town.csv", "town.duckdb!people"])
def test_the_errors_of_the_released_table_are_measured(
    town: Path, ledger: Ledger, package: str, data: str
) -> None:
    file, _, table = data.partition("!")
    address = synth.core.system.address.existing(str(town / file), table=table)
    made = synth.judge(town / package, address, **PRICE, target="status", ledger=ledger.path)
    exact = exact_errors(town / package, town / "town.csv")
    assert {one.clique for one in made.verdict.tables} == set(exact)
    for one in made.verdict.tables:
        assert abs(one.error.estimate - exact[one.clique]) < 5 * one.error.sd + 1e-4, one
    pairs = np.mean([error for clique, error in exact.items() if len(clique) == 2])
    assert abs(made.verdict.means["pairs"].estimate - pairs) < 5 * made.verdict.means["pairs"].sd + 1e-4
    assert made.verdict.is_of_this_table and made.verdict.means.keys() == {
        "columns",
        "pairs",
        "triples",
        "ranges",
    }
    (status,) = made.verdict.predicted
    assert status.correct.estimate > status.constant.estimate - 0.1


def test_the_ledger_is_charged_what_the_document_states(town: Path, ledger: Ledger) -> None:
    made = synth.judge(town / "old", town / "town.csv", **PRICE, ledger=ledger.path)
    stated, line, (run,) = made.document, ledger.balance("town-2024"), ledger.runs()
    assert stated["spent_units"] == line.spent == run.spent == sum(q["units"] for q in stated["queries"])
    assert UNITS - 10 <= stated["spent_units"] <= stated["reserved_units"] == UNITS
    assert [q["query"] for q in stated["queries"]] == ["score", "mean_score", "mean_score"]
    requested = ledger.answers(run.run)
    assert [(a.part, a.query["ask"], a.units) for a in requested] == [
        ("verdict", q["query"], q["units"]) for q in stated["queries"]
    ]
    assert line.reserved == 0 and run.closed and run.delta_units == 0
    assert stated["accounting"] == "gaussian" and line.law.name == "gaussian"
    assert ledger.verify(stated["receipt"])


def test_the_document_is_whole_and_has_nothing_private(town: Path, ledger: Ledger) -> None:
    before = {path: path.read_bytes() for path in (town / "old").rglob("*") if path.is_file()}
    made = synth.judge(town / "old", town / "town.csv", **PRICE, ledger=ledger.path)
    text = json_text(made.document)
    assert not any(canary in text for canary in (*CANARIES, "seed", "3000", "3001"))
    assert Judgement.read(json.loads(text)).document == json.loads(text)
    stated = json.loads(text)
    assert stated["format"] == "marginalia-judgement/1"
    assert stated["release"]["id"] == open_bundle(town / "old").statement["release"]["id"]
    assert stated["unit"] == {"name": "person", "max_rows": 1}
    assert stated["sentences"][1].startswith("Columns: ")
    assert before == {path: path.read_bytes() for path in (town / "old").rglob("*") if path.is_file()}


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "format": lambda d: d.update(format="marginalia-judgement/2"),
    "surplus": lambda d: d.update(path="/home/town.csv"),
    "missing": lambda d: d.pop("confidence"),
    "epsilon": lambda d: d.update(epsilon=1.0),
    "cost": lambda d: d["queries"][0].update(units=1),
    "spent": lambda d: d.update(spent_units=1),
    "population": lambda d: d.update(population="village"),
    "query": lambda d: d["queries"][0].update(query="train"),
    "verdict": lambda d: d["verdict"]["means"]["pairs"].update(truth=0.1),
    "law": lambda d: d.update(accounting="zcdp"),
}


@pytest.fixture(scope="module")
def document(town: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("judged") / "ledger.sqlite"
    plan = JudgePlan(release=open_bundle(town / "old"), **PRICE)
    made = pipeline.judge(plan, data=town / "town.csv", ledger=opened(place), run="r")
    return json.dumps(made.document)


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_document_is_not_read(document: str, change: str) -> None:
    stated = json.loads(document)
    assert Judgement.read(stated)
    CHANGES[change](stated)
    with pytest.raises(Mistake, match="changed after it was written"):
        Judgement.read(stated)


def test_a_refused_budget_costs_nothing(town: Path, ledger: Ledger, tmp_path: Path) -> None:
    small = opened(tmp_path / "small.sqlite", epsilon=1.0)
    with at_no_cost(small), pytest.raises(BudgetRefused):
        synth.judge(town / "old", town / "town.csv", **PRICE, ledger=small.path)


@pytest.mark.parametrize(
    ("requested", "said"),
    [
        ({"epsilon": 0.0}, "above 0"),
        ({"epsilon": 0.001}, "too much to be useful"),
        ({"delta": 2.0}, "between 0 and 1"),
        ({"target": "height"}, "no column 'height'"),
    ],
)
def test_a_mistake_is_noticed_before_anything_is_reserved(
    town: Path, ledger: Ledger, requested: dict[str, Any], said: str
) -> None:
    with at_no_cost(ledger), pytest.raises(Mistake, match=said) as failed:
        synth.judge(town / "old", town / "town.csv", **(PRICE | requested), ledger=ledger.path)
    assert "No budget was spent" in " ".join([str(failed.value), *getattr(failed.value, "__notes__", ())])


def test_a_changed_package_and_another_privacy_unit_are_refused(
    town: Path, ledger: Ledger, tmp_path: Path
) -> None:
    release = open_bundle(town / "old")
    text = release.text.replace("baker", "smith", 1)
    for path, content in release.files.items():
        place = tmp_path / "changed" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if path == release.layout.csv else content)
    with at_no_cost(ledger), pytest.raises(Mistake, match="damaged or was changed") as failed:
        synth.judge(tmp_path / "changed", town / "town.csv", **PRICE, ledger=ledger.path)
    assert failed.value.__notes__ == ["No budget was spent."]
    visits = opened(tmp_path / "visits.sqlite", unit={"name": "visit", "max_rows": 1})
    with at_no_cost(visits), pytest.raises(Mistake, match="protects one visit with one row"):
        synth.judge(town / "old", town / "town.csv", **PRICE, ledger=visits.path)


def test_the_file_of_another_population_is_refused(town: Path, ledger: Ledger, tmp_path: Path) -> None:
    other = opened(ledger.path, population="village")
    schema = load_schema(SCHEMA | {"population": "village"})
    synth.synthesize(
        town / "town.csv", schema, epsilon=1, delta=1e-9, method="independent", ledger=other.path
    )
    with at_no_cost(ledger), pytest.raises(Mistake, match="as population 'village'"):
        synth.judge(town / "old", town / "town.csv", **PRICE, ledger=ledger.path)
    synth.judge(town / "old", town / "town.csv", **PRICE, ledger=ledger.path, other_people=True)


def test_a_run_that_fails_is_closed_and_what_it_asked_stays_charged(
    town: Path, ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.stage == "ingest":
            assert ledger.balance("town-2024").reserved == UNITS
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        synth.judge(town / "old", town / "town.csv", **PRICE, ledger=ledger.path, report=interrupt)
    assert "rho 0 stays spent" in stopped.value.__notes__[0]
    (tmp_path / "empty.csv").write_text("age\n1\n")
    with pytest.raises(Refusal, match="column") as refused:  # before anything is reserved
        synth.judge(town / "old", tmp_path / "empty.csv", **PRICE, ledger=ledger.path)
    assert not hasattr(refused.value, "__notes__")
    line = ledger.balance("town-2024")
    assert (line.spent, line.reserved) == (0, 0) and all(run.closed for run in ledger.runs())
    monkeypatch.setattr(pipeline, "verdict_of", None)
    with pytest.raises(TypeError) as broken:
        synth.judge(town / "old", town / "town.csv", **PRICE, ledger=ledger.path)
    assert "stays spent" in broken.value.__notes__[0]
    assert UNITS - 10 <= ledger.balance("town-2024").spent <= UNITS


def test_a_database_is_judged_without_predictions(
    town: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f'engine = "duckdb"\npath = "{town / "town.duckdb"}"\ntable = "people"\n'
    monkeypatch.setenv("MARGINALIA_CONNECTION_HERE", place)
    with at_no_cost(ledger), pytest.raises(Mistake, match="returns only counts"):
        synth.judge(town / "old", "database:here", **PRICE, target="status", ledger=ledger.path)
    made = synth.judge(town / "old", "database:here", **PRICE, ledger=ledger.path)
    exact = exact_errors(town / "old", town / "town.csv")
    assert made.verdict.predicted == ()
    for one in made.verdict.tables:
        assert abs(one.error.estimate - exact[one.clique]) < 5 * one.error.sd + 1e-4, one


def test_a_release_of_version_0_2_is_judged(ledger: Ledger, tmp_path: Path) -> None:
    package = Path(__file__).parents[1] / "version_0_2.zip"
    release = open_bundle(package)
    ledger.open_population(
        release.schema.population, units=10**14, reason="a test", protects=release.schema.protects
    )
    names = [column.name for column in release.schema.columns]
    (tmp_path / "t.csv").write_text("\n".join([",".join(names), *[",".join(["1"] * len(names))] * 500]))
    made = synth.judge(package, tmp_path / "t.csv", epsilon=20, delta=1e-9, ledger=ledger.path)
    assert made.verdict.is_of_this_table and made.verdict.means["columns"].estimate > 0.1
