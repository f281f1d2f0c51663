import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from synth.core.accounting import GAUSSIAN, ZCDP, limit_for
from synth.core.errors import BudgetRefused, Cancelled, Code, Mistake, Refusal
from synth.core.evidence import Evidence
from synth.core.measurements.logistic import Score, started
from synth.core.measurements.moments import Block
from synth.core.progress import Progress
from synth.core.schema import Neighbours, ProtectedChange, Schema
from synth.core.zeros import Zero
from synth.dictionaries import load_schema
from synth.pipeline import judge, regenerate, release
from synth.private.entropy import Rehearsal
from synth.private.ledger import Ledger
from synth.private.reading.vault import Vault
from synth.release import bundle
from synth.release.checks.bounds import Support
from synth.release.codes import columns_on
from synth.release.opened import open_bundle
from synth.release.plan import Plan
from synth.release.synthesis import Synthesis
from synth.release.verify import verify
from synth.rules import parse_rules
from tests.ledgers import PERSON
from tests.town import RULE, SCHEMA, write


def plan(epsilon: float = 50.0, delta: float = 1e-6, **more: object) -> Plan:
    schema: Schema = load_schema(SCHEMA)
    arguments = {"method": "aim", "seed": 3, **more}
    return Plan(schema=schema, rules=parse_rules([RULE], schema), epsilon=epsilon, delta=delta, **arguments)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population(
        "town-2024", units=10**15, delta_units=10**14, reason="test", protects=ProtectedChange(max_rows=1)
    )
    return ledger


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path / "town.csv")


def stated(made: Synthesis, zeros: tuple[Zero, ...] | None = None) -> Evidence:
    """What a model is fitted to, without choices, scores and what was held back."""
    codebook = made.evidence.codebook
    codebook = codebook if zeros is None else replace(codebook, zeros=zeros)
    return replace(made.evidence, codebook=codebook, answers=made.evidence.measurements)


def run(plan: Plan, data: Path, ledger: Ledger, name: str = "r", **more: object) -> Synthesis:
    return release(plan, data=data, ledger=ledger, run=name, **more)  # type: ignore[arg-type]


def test_from_table_to_table_with_everything_bought(data: Path, ledger: Ledger) -> None:
    made = run(plan(), data, ledger)
    assert list(made.table.columns) == ["age", "status", "income", "job", "ward"]
    assert set(made.checks.violations.values()) == {0}
    assert {g.column for g in made.evidence.codebook.groupings} == {"income", "ward"}
    assert set(made.table["job"].dropna()) <= {"baker", "smith", "Other"}, "one lone value stays private"
    assert not made.table["status"].isna().any()
    assert abs(len(made.table) - 801) < 100
    assert made.evidence.domain.sizes[made.evidence.domain.axis("ward")] < 31


@pytest.mark.parametrize("rows", [230, 231, 40])
def test_a_public_number_of_rows_is_the_one_that_was_typed(tmp_path: Path, ledger: Ledger, rows: int) -> None:
    """However many rows the file has, and however many of them the cap leaves, nobody is told."""
    lines = "".join(f"{i % 100},p{i // 4 if i < 60 else i}\n" for i in range(rows))
    (tmp_path / "units.csv").write_text("age,who\n" + lines)
    columns = [SCHEMA["columns"][0], {"name": "who", "kind": "drop"}]
    unit = {"max_rows": 2, "id_column": "who"}
    schema = load_schema({**SCHEMA, "columns": columns, "unit": unit, "rows_public": 210})
    requested = Plan(
        schema=schema, rules=parse_rules([], schema), epsilon=5, delta=1e-9, method="independent"
    )
    ledger.declare("town-2024", schema.protects, "two rows for each, and a public number of them")
    made = run(requested, tmp_path / "units.csv", ledger, name=str(rows))
    assert (len(made.table), made.evidence.total) == (210, 210)
    assert made.privacy.neighbours is Neighbours.REPLACE


def test_the_receipt_adds_up_and_nothing_stays_reserved(data: Path, ledger: Ledger) -> None:
    p = plan()
    made = run(p, data, ledger)
    balance = ledger.balance("town-2024")
    assert made.privacy.spent_units == balance.spent == sum(s.units for s in made.privacy.spends)
    assert balance.reserved == 0 and balance.spent <= p.units
    assert balance.delta_spent == p.delta_units > 0
    by_part = {
        part: sum(s.units for s in made.privacy.spends if s.part == part)
        for part in ("preprocess", "mechanism")
    }
    assert by_part["preprocess"] <= 0.1 * p.units
    assert by_part["mechanism"] >= 0.89 * p.units
    assert made.privacy.rehearsal is False


def test_an_interrupted_run_resumes_and_pays_nothing_twice(data: Path, ledger: Ledger) -> None:
    heard = 0

    def stop_later(progress: Progress) -> None:
        nonlocal heard
        heard += progress.stage == "rounds"
        if heard == 3:
            raise Cancelled("stopped by the steward")

    with pytest.raises(Cancelled):
        run(plan(), data, ledger, report=stop_later)
    kept = [(s.part, s.step, s.blob) for s in ledger.answers("r")]
    spent = ledger.balance("town-2024").spent
    assert 0 < spent < plan().units
    made = run(plan(), data, ledger)
    again = [(s.part, s.step, s.blob) for s in ledger.answers("r")]
    assert again[: len(kept)] == kept or set(kept) <= set(again)
    assert ledger.balance("town-2024").spent <= plan().units
    repeated = run(plan(), data, ledger)
    assert repeated.table.equals(made.table)


def test_answers_in_coarser_codes_are_kept_and_refitted(data: Path, ledger: Ledger, tmp_path: Path) -> None:
    p = plan(method="mst", compress=True)
    made = run(p, data, ledger)
    assert made.generator == "pgm" and any(m.groups for m in made.evidence.measurements)
    assert set(made.checks.violations.values()) == {0} and not made.checks.blocked
    assert len(made.checks.residuals) == len(made.evidence.measurements)
    again = regenerate(p, stated(made), made.privacy)
    assert again.table.equals(made.table)
    with pytest.raises(Mistake, match="more relations than one graphical model"):
        regenerate(plan(method="grove", generator="pgm"), stated(made), made.privacy)
    folder = bundle.write(made, tmp_path / "release")
    assert not verify(folder).problems
    opened = open_bundle(folder).evidence.measurements
    assert [m.groups for m in opened] == [m.groups for m in made.evidence.measurements]


def test_another_generator_and_merged_rare_values(data: Path, ledger: Ledger, tmp_path: Path) -> None:
    p = plan(method="mst", generator="refined", compress=True)
    made = run(p, data, ledger)
    assert (made.method, made.generator, made.compress) == ("mst", "refined", True)
    assert any(m.groups for m in made.evidence.measurements) and not made.checks.blocked
    assert made.privacy.spent_units <= p.units
    opened = open_bundle(bundle.write(made, tmp_path / "release"))
    assert not verify(tmp_path / "release").problems
    assert opened.plan().compress and opened.statement["method"]["parameters"]["compress"] is True
    for generator in ("refined", "pgm"):
        again = regenerate(opened.plan(generator=generator, seed=3), opened.evidence, opened.privacy)
        assert again.table.equals(made.table) == (generator == "refined")


def test_a_bundle_names_torch_only_where_it_was_used(data: Path, ledger: Ledger, tmp_path: Path) -> None:
    p = plan(method="independent", preprocess_share=0.2)
    made = run(p, data, ledger)
    pairs = plan(method="mixture", generator="particles", generator_options={"particles": 200, "epochs": 2})
    moved = run(pairs, data, ledger, "particles")
    again = regenerate(replace(pairs, generator="copula", generator_options={}), stated(moved), moved.privacy)
    for name, one, took_part in (("plain", made, False), ("moved", moved, True), ("again", again, False)):
        folder = bundle.write(one, tmp_path / name)
        software = open_bundle(folder).statement["software"]
        assert ("torch" in software) is took_part
        assert software["scipy"] == version("scipy") and software.get("torch") in (None, version("torch"))
        assert not verify(folder).problems
        page = next(folder.rglob("privacy_report.html")).read_text(encoding="utf-8")
        assert ("torch" in page) is took_part


def test_a_table_made_again_keeps_the_bounds_of_what_nobody_measured(data: Path, ledger: Ledger) -> None:
    made = run(plan(epsilon=2.0), data, ledger)
    again, alone = (
        regenerate(plan(epsilon=2.0, rows=60, seed=8), stated(made), made.privacy, first=first)
        for first in (made, None)
    )
    inferred = [b.clique for b in made.checks.bounds if b.kind is Support.INFERRED]
    assert inferred
    assert [b.clique for b in again.checks.bounds if b.kind is Support.INFERRED] == inferred
    assert {b.kind for b in alone.checks.bounds if b.clique in inferred} == {Support.NONE}


def test_a_price_beyond_the_line_is_refused_before_a_row_is_read(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synth.pipeline.open_table", None)
    ledger = Ledger(tmp_path / "small.sqlite")
    ledger.open_population(
        "town-2024", units=10**6, delta_units=10**14, reason="test", protects=ProtectedChange(max_rows=1)
    )
    with pytest.raises(BudgetRefused):
        run(plan(), data, ledger)
    assert ledger.balance("town-2024").reserved == 0


def test_a_header_that_does_not_fit_is_refused_before_anything_is_reserved(
    data: Path, ledger: Ledger
) -> None:
    top, rows = data.read_text().split("\n", 1)
    for wrong, code in (
        (top.replace("status", "state"), Code.HEADER_MISMATCH),
        (f"{top},status", Code.HEADER_REPEATED),
        (top.replace(",", ";"), Code.HEADER_SINGLE),
    ):
        data.write_text(f"{wrong}\n{rows}")
        with pytest.raises(Refusal) as refused:
            run(plan(), data, ledger)
        assert refused.value.code is code and not ledger.runs()


def test_a_ledger_whose_chain_is_broken_stops_the_release(data: Path, ledger: Ledger) -> None:
    """Somebody with a database tool took a charge back: nothing more is reserved or asked on top of it."""
    run(plan(method="independent"), data, ledger, "first")
    with closing(sqlite3.connect(ledger.path)) as db, db:
        triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            db.execute(f'DROP TRIGGER "{name}"')
        db.execute("UPDATE entry SET units = 1 WHERE kind = 'charge'")
        for _, sql in triggers:
            db.execute(sql)
    heard: list[Progress] = []
    with pytest.raises(Refusal) as refused:
        run(plan(method="independent"), data, ledger, "second", report=heard.append)
    assert refused.value.code is Code.LEDGER_BROKEN
    assert [r.run for r in ledger.runs()] == ["first"] and heard == []


def test_the_verdict_is_paid_for_and_never_fitted_to(data: Path, ledger: Ledger, tmp_path: Path) -> None:
    p = plan(verdict=0.2, method="independent")
    made = run(p, data, ledger)
    verdict = made.checks.verdict
    assert verdict is not None and verdict.is_of_this_table and set(verdict.means) >= {"columns", "pairs"}
    units = sum(s.units for s in made.privacy.spends if s.part == "verdict")
    assert 0.2 * p.units - 5 <= units <= 0.2 * p.units and ledger.balance("town-2024").reserved == 0
    assert made.evidence.scores == made.evidence.numbers == ()
    assert run(p, data, ledger).checks.to_json() == made.checks.to_json(), (
        "a run that goes on judges the same"
    )
    place = bundle.write(made, tmp_path / "release")
    assert verify(place).ok
    opened = open_bundle(place)
    other = regenerate(opened.plan(seed=9), opened.evidence, opened.privacy, first=opened)
    assert other.checks.verdict is not None and not other.checks.verdict.is_of_this_table
    assert other.checks.verdict.means["pairs"].apart > 0
    forged = bundle.write(replace(made, codes=other.codes, table=other.table), tmp_path / "forged")
    assert any("rows that differ" in problem for problem in verify(forged).problems)


def test_sums_for_means_are_paid_for_published_and_never_fitted_to(
    data: Path, ledger: Ledger, tmp_path: Path
) -> None:
    p = plan(means=("income ~ age + status[married]", "age by status"), means_share=0.3, method="independent")
    made = run(p, data, ledger)
    units = [s.units for s in made.privacy.spends if s.part == "means"]
    assert (
        len(units) == 2 and max(units) - min(units) <= 1 and 0.3 * p.units - 5 <= sum(units) <= 0.3 * p.units
    )
    frame = pd.read_csv(data)
    slope, means = made.evidence.numbers
    age, married = 2 * frame["age"] - 99, 2 * (frame["status"] == "married") - 1
    income = 2 * np.minimum((frame["income"] * 4096 / 1000).astype(int), 4095) - 4095
    z = np.column_stack([np.ones(len(frame), dtype=int), age, married, income])
    truth = [int(z[:, i] @ z[:, j]) for i, j in slope.requested["entries"]]
    largest = np.array([1, 99, 1, 4095])
    reach = [8 * slope.sigma * largest[i] * largest[j] for i, j in slope.requested["entries"]]
    assert (np.abs(slope.values - truth) <= reach).all(), "every value is read, not its bin"
    first = frame[frame["status"] == "single"]["age"]
    assert abs(means.values[0, 0] - len(first)) <= 8 * means.sigma
    assert abs(means.values[0, 1] - (2 * first - 99).sum()) <= 8 * 99 * means.sigma
    again = run(p, data, ledger)
    assert [a.values.tolist() for a in again.evidence.numbers] == [a.values.tolist() for a in (slope, means)]
    place = bundle.write(made, tmp_path / "release")
    opened = open_bundle(place)
    assert verify(place).ok and opened.plan().means == p.means and opened.plan().means_share == 0.3
    assert "income ~ age + status[married]: 9 sums of products" in opened.statement["means"][0]
    assert "age by status" in (place / "README.md").read_text()
    other = regenerate(opened.plan(seed=9), opened.evidence, opened.privacy, first=opened)
    assert verify(bundle.write(other, tmp_path / "other")).ok
    forged = bundle.write(replace(made, means=()), tmp_path / "forged")
    assert any("disagree on which means" in problem for problem in verify(forged).problems)


def test_scores_start_at_the_drawn_rows_and_an_interrupted_run_keeps_its_start(
    data: Path, ledger: Ledger, tmp_path: Path
) -> None:
    means = ("logistic status[married] ~ age + income", "income by status")
    without = plan(means=means, method="independent")
    with pytest.raises(Mistake, match="does not model relations between columns"):
        run(without, data, ledger)
    p = plan(means=means, means_share=0.3, method="grove")

    def stop(progress: Progress) -> None:
        if progress.fact == "measuring logistic regressions":
            raise Cancelled("stopped by the steward")

    with pytest.raises(Cancelled):
        run(p, data, ledger, report=stop)
    made, again = (run(p, data, ledger) for _ in range(2))
    assert [a.values.tolist() for a in made.evidence.numbers] == [
        a.values.tolist() for a in again.evidence.numbers
    ]
    units = [s.units for s in made.privacy.spends if s.part == "means"]
    assert len(units) == 2 and max(units) - min(units) <= 1
    assert ledger.balance("town-2024").reserved == 0
    _, answer = made.evidence.numbers
    score = Score.of(answer.requested)
    assert score == started(score.block, columns_on(made.table, p.sums[1]))
    frame = pd.read_csv(data)
    income = np.minimum((frame["income"] * 4096 / 1000).astype(int), 4095).to_numpy()
    codes = {"age": frame["age"].to_numpy(), "status": np.array(frame["status"] == "married").astype(int)}
    married = replace(score.block.terms[-1], cells=2, code=1)
    own = replace(score, block=Block((*score.block.terms[:-1], married)))
    reach = 8 * answer.sigma * np.array(score.scales)
    assert (np.abs(answer.values - own.sums(codes | {"income": income})) <= reach).all()
    place = bundle.write(made, tmp_path / "release")
    opened = open_bundle(place)
    assert verify(place).ok and opened.plan().means == p.means
    assert "for means." in opened.statement["means"][0]
    assert opened.statement["means"][1].startswith("logistic status[married] ~ age + income: 9 sums at a fit")
    other = regenerate(opened.plan(seed=9), opened.evidence, opened.privacy, first=opened)
    assert verify(bundle.write(other, tmp_path / "other")).ok, "a further table has other rows"
    forged = bundle.write(replace(made, codes=other.codes, table=other.table), tmp_path / "forged")
    assert any("does not start from a fit" in problem for problem in verify(forged).problems)


RICH = "the share of records where income is above 120 and age is at least 45"
DECLARED = {"sentence": "the share of records where status is married should be 40%", "because": "a census"}


def steered_plan(*entries: object, **more: object) -> Plan:
    schema: Schema = load_schema(SCHEMA)
    return replace(plan(**more), rules=parse_rules([RULE, *entries], schema))  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["grove", "aim", "independent"])
def test_declared_and_measured_shares_are_met_with_rules(data: Path, ledger: Ledger, method: str) -> None:
    p = steered_plan(f"{RICH} should be as in the table", DECLARED, method=method)
    made = run(p, data, ledger)
    frame = pd.read_csv(data)
    true = ((frame["income"] > 120) & (frame["age"] >= 45)).mean()
    estimated, declared = made.checks.shares
    assert declared.wanted == 0.4 and estimated.sigma is not None
    assert abs(estimated.noisy - true) < 6 * estimated.sigma < 0.05
    table = made.table
    assert estimated.is_met(len(table)) and declared.is_met(len(table))
    found = ((table["income"] > 120) & (table["age"] >= 45)).fillna(False).mean()
    assert found == pytest.approx(estimated.reached, abs=1e-12)
    assert (table["status"] == "married").mean() == pytest.approx(declared.reached, abs=1e-12)
    assert not any(made.checks.violations.values()) and list(made.checks.violations) == [
        RULE,
        "status is not blank",
    ]
    (answer,) = made.evidence.shares
    assert answer.units == p.shares_units == int(0.01 * p.units) and answer.part == "shares"
    assert answer not in made.evidence.measurements and answer.counts.shape == (2, 2)
    assert made.privacy.spent_units <= p.units


def test_another_table_meets_the_same_shares_for_free(data: Path, ledger: Ledger) -> None:
    p = steered_plan(f"{RICH} should be as in the table", DECLARED)
    made = run(p, data, ledger)
    again = regenerate(replace(p, rows=333, seed=9, generator="independent"), made.evidence, made.privacy)
    for first, other in zip(made.checks.shares, again.checks.shares, strict=True):
        assert other.wanted == first.wanted and other.is_met(333)
    assert not any(again.checks.violations.values())


def test_a_hidden_share_is_met_and_costs_nothing(data: Path, ledger: Ledger) -> None:
    made = run(steered_plan(f"{RICH} should be hidden as 0.5"), data, ledger)
    (share,) = made.checks.shares
    assert share.origin == "hidden" and share.is_met(len(made.table))
    assert made.evidence.shares == () and "shares" not in {s.part for s in made.privacy.spends}


def test_a_share_inside_a_code_is_refused_before_a_reservation(data: Path, ledger: Ledger) -> None:
    p = steered_plan("the share of records where income is below 1000 should be as in the table")
    with pytest.raises(Mistake, match="ends inside the bin"):
        run(p, data, ledger)
    assert ledger.runs() == ()


def test_predictable_noise_is_only_for_public_files(data: Path, ledger: Ledger) -> None:
    with pytest.raises(Mistake, match="public"):
        run(plan(), data, ledger, entropy=Rehearsal(1))
    with pytest.raises(Mistake, match="public"):  # before anything of its plan but the schema is used
        judge(SimpleNamespace(schema=plan().schema), data=data, ledger=ledger, run="r", entropy=Rehearsal(1))
    assert ledger.runs() == ()


def test_two_runs_share_no_noise_even_under_one_cap(data: Path, ledger: Ledger, tmp_path: Path) -> None:
    """The same file, plan, modelling seed and vault: every table of ten cells or more is another one. Sigma
    is above 2.5 in each; then two are alike by chance in fewer than 1e-8 runs of this test."""
    vault = Vault(tmp_path / "keys")
    for method in ("grove", "mst"):
        answers = []
        for name in ("one", "two"):
            run(plan(epsilon=3.0, method=method), data, ledger, f"{method} {name}", vault=vault)
            answers += [a for a in ledger.answers(f"{method} {name}") if a.query["ask"] == "measure"]
        tables = [a.blob for a in answers if len(a.blob) >= 10 * 8]
        assert len(tables) > 4 and len(set(tables)) == len(tables)


def test_compared_columns_are_in_order_inside_wide_bins(tmp_path: Path, ledger: Ledger) -> None:
    bins = {"kind": "integer", "min": 0, "max": 99, "bins": 4}
    columns = [{"name": "joined", **bins}, {"name": "left", **bins}]
    schema = load_schema({**SCHEMA, "columns": columns})
    rows = [f"{a},{a + 3}" for a in range(0, 96)] * 5
    (tmp_path / "stays.csv").write_text("\n".join(["joined,left", *rows]) + "\n")
    rules = parse_rules(["joined is at most left"], schema)
    requested = Plan(schema=schema, rules=rules, epsilon=50.0, delta=1e-6)
    made = run(requested, tmp_path / "stays.csv", ledger)
    assert made.checks.violations == {rules.sentences[0]: 0}


def test_gaussian_and_other_releases_share_a_line_and_each_tells_its_law(data: Path, tmp_path: Path) -> None:
    """The first may take all of the promise. After it, a run that an earlier version began in zCDP finds what
    the mix allows, and ends in zCDP."""
    columns = [c for c in SCHEMA["columns"] if c["name"] not in ("income", "job")]
    schema = load_schema({**SCHEMA, "columns": [*columns, {"name": "income", "kind": "drop"},
                                                  {"name": "job", "kind": "drop"}]})  # fmt: skip
    usual = {"schema": schema, "rules": parse_rules([], schema), "delta": 1e-9}
    gaussian = Plan(epsilon=1.0, method="independent", **usual)  # type: ignore[arg-type]
    other = Plan(epsilon=1.0, method="mst", reserved=ZCDP, **usual)  # type: ignore[arg-type]
    begun = {"units": other.units, "label": "by an earlier version", "law": ZCDP, "protects": PERSON}
    ledger = Ledger(tmp_path / "line.sqlite")
    ledger.open_population(
        "town-2024", units=limit_for(1.0, 1e-9), reason="test", protects=ProtectedChange(max_rows=1)
    )
    first = run(gaussian, data, ledger)
    assert first.privacy.law == GAUSSIAN and all(m.law == GAUSSIAN for m in first.evidence.measurements)
    assert first.privacy.units == gaussian.units > other.units
    assert ledger.balance("town-2024").law == GAUSSIAN and ledger.balance("town-2024").left < 10
    folder = bundle.write(first, tmp_path / "first")
    assert not verify(folder).problems
    stated = open_bundle(folder).statement
    assert stated["claim"]["law"] == "gaussian" and stated["history"]["is_gaussian"]
    assert open_bundle(folder).privacy.law == GAUSSIAN
    with pytest.raises(BudgetRefused):
        ledger.open_run("town-2024", "second", **begun)  # type: ignore[arg-type]
    ledger.raise_limit("town-2024", limit_for(3.0, 1e-9), "a second release")
    ledger.open_run("town-2024", "second", **begun)  # type: ignore[arg-type]
    second = run(replace(other, reserved=None), data, ledger, "second")
    assert second.privacy.law == ZCDP and not any(m.law == GAUSSIAN for m in second.evidence.measurements)
    stated = open_bundle(bundle.write(second, tmp_path / "second")).statement
    assert stated["claim"]["law"] == "zcdp" and not stated["history"]["is_gaussian"]
    assert stated["history"]["limit_units"] == limit_for(3.0, 1e-9).mixed_units
    assert not verify(tmp_path / "second").problems and ledger.verify()


def test_a_run_does_not_wait_for_libraries_that_it_may_not_need() -> None:
    late = ["torch", "sklearn", "scipy.stats", "numba", "streamlit", "plotly", "matplotlib"]
    code = f"import sys, synth.pipeline; print([name for name in {late} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
