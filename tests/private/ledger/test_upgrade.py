"""Test ledgers of earlier versions (the dumps `version_1.sql` to `version_4.sql`) with the current rules."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from synth.core.accounting import GAUSSIAN, SAMPLED, ZCDP, limit_beside_lists, limit_for
from synth.core.errors import BudgetRefused, Code, Mistake, Refusal
from synth.core.schema import ProtectedChange
from synth.private.ledger import Ledger
from synth.private.ledger.blobs import Blobs
from synth.private.ledger.entries import is_sound
from synth.private.ledger.rules import LAW_TABLES, STATEMENTS, VERSION, laws_in, sums_hold
from tests.ledgers import PERSON, opened, tamper
from tests.refusals import refused

DUMPS = {version: Path(__file__).with_name(f"version_{version}.sql").read_text() for version in (1, 2, 3, 4)}
RECEIPT_OF_VERSION_4 = json.loads(Path(__file__).with_name("version_4.receipt.json").read_text())
RECEIPT_OF_VERSION_3 = json.loads(Path(__file__).with_name("version_3.receipt.json").read_text())
OLD = "seq, kind, population, run, part, step, units, delta_units, text, digest, at, previous, hash"


def old_ledger(path: Path, *changes: str, version: int = 1) -> Path:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(DUMPS[version])
        for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            if changes:
                db.execute(f'DROP TRIGGER "{name}"')
        for change in changes:
            db.execute(change)
        db.commit()
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return old_ledger(tmp_path / "ledger.sqlite")


def rows(path: Path) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as db:
        entries = db.execute(f"SELECT {OLD} FROM entry ORDER BY seq").fetchall()
        return entries, db.execute("SELECT * FROM answer ORDER BY seq").fetchall()


@pytest.mark.parametrize(("version", "sizes"), [(1, (15, 4)), (2, (15, 4)), (3, (15, 4)), (4, (17, 5))])
def test_entries_keep_hashes_and_verify(tmp_path: Path, version: int, sizes: tuple[int, int]) -> None:
    path = old_ledger(tmp_path / "l.sqlite", version=version)
    before = rows(path)
    ledger = Ledger(path)
    assert rows(path) == before and (len(before[0]), len(before[1])) == sizes
    head = {"entry": before[0][-1][0], "head": before[0][-1][-1]}
    assert ledger.verify(head), "a receipt of an earlier version is still on record"
    with pytest.raises(Refusal):
        ledger.verify(head | {"head": before[0][0][-1]})
    with closing(sqlite3.connect(path)) as db, closing(sqlite3.connect(":memory:")) as fresh:
        for statement in STATEMENTS:
            fresh.execute(statement)
        declared = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
        assert db.execute(declared).fetchall() == fresh.execute(declared).fetchall()
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
    Ledger(path).close()
    assert rows(path) == before, "once is enough"


def test_an_old_line_goes_on_with_one_limit_for_all(path: Path) -> None:
    ledger = Ledger(path)
    line = ledger.balance("patients")
    assert (line.limit, line.spent, line.reserved) == (1500, 320, 293)
    assert line.left == line.left_under(GAUSSIAN) == line.left_under(ZCDP) == 887
    assert line.law != GAUSSIAN
    with pytest.raises(Mistake, match="does not state its privacy unit"):
        ledger.open_run("patients", "third", units=1, label="", protects=PERSON)
    ledger.declare("patients", PERSON, "both releases had one row for each")
    ledger.declare("staff", PERSON, "so had this")
    with pytest.raises(BudgetRefused):
        ledger.open_run("patients", "third", units=888, label="", law=GAUSSIAN, protects=PERSON)
    ledger.open_run("patients", "third", units=887, label="", law=GAUSSIAN, protects=PERSON)
    assert ledger.balance("staff").left_under(GAUSSIAN) == 70


@pytest.mark.parametrize("version", [1, 2])
def test_a_known_run_resumes_and_a_new_one_waits_for_the_unit(tmp_path: Path, version: int) -> None:
    path = old_ledger(tmp_path / "l.sqlite", version=version)
    ledger, visit = Ledger(path), ProtectedChange(max_rows=3, unit="visit")
    (run,) = [run for run in ledger.runs() if run.run == "second"]
    again = {"units": run.units, "delta_units": run.delta_units, "label": run.label, "protects": visit}
    ledger.open_run(run.population, "second", **again, law=run.law)  # type: ignore[arg-type]
    assert ledger.balance(run.population).protects is None and ledger.verify()
    with (
        closing(sqlite3.connect(path)) as db,
        pytest.raises(sqlite3.IntegrityError, match="its line protects"),
    ):
        db.execute(
            "INSERT INTO entry (seq, kind, population, run, part, step, units, delta_units, text, digest, "
            "at, previous, unit, max_rows, neighbours, is_capped, hash) SELECT seq + 1, 'run', ?, 'new', '', "
            "0, 1, 0, '', '', '', hash, 'visit', 3, 'replace-one-unit', 0, ? FROM entry ORDER BY seq DESC "
            "LIMIT 1",
            (run.population, "f" * 64),
        )
    with pytest.raises(Mistake, match="reason"):
        ledger.declare(run.population, visit, " ")
    ledger.declare(run.population, visit, "all of them about visits")
    assert ledger.balance(run.population).protects == visit
    with pytest.raises(Mistake, match="cannot be changed"):
        ledger.declare(run.population, PERSON, "on second thoughts")
    with pytest.raises(Mistake, match="this release protects one person"):
        ledger.open_run(run.population, "second", **again | {"protects": PERSON}, law=run.law)  # type: ignore[arg-type]
    ledger.open_run(run.population, "second", **again, law=run.law)  # type: ignore[arg-type]
    ledger.open_run(run.population, "new", units=1, label="", protects=visit)
    assert ledger.verify(ledger.receipt("new"))


def test_open_runs_go_on_and_stored_answers_are_replayed(path: Path) -> None:
    ledger = Ledger(path)
    query = {"ask": "measure", "clique": ["a"]}
    replayed = ledger.ask("first", part="mechanism", step=1, query=query, units=101, answer=lambda: b"new")
    assert replayed == b"\x01" * 24
    unanswered = {"ask": "choose"}
    assert (
        ledger.ask("second", part="mechanism", step=0, query=unanswered, units=7, answer=lambda: b"2") == b"2"
    )
    assert ledger.verify()


def test_an_old_line_may_be_raised_to_a_promise(path: Path) -> None:
    ledger, limit = Ledger(path), limit_for(1.0, 1e-9)
    ledger.raise_limit("patients", limit, "now with a promise")
    assert ledger.balance("patients").left_under(GAUSSIAN) == limit.units - 613, "its first answers were not"
    ledger.raise_limit("staff", limit, "no answers yet")
    assert ledger.balance("staff").left_under(GAUSSIAN) == limit.gaussian_units
    assert ledger.verify()


def test_a_line_of_version_2_keeps_its_promise_and_its_raise(tmp_path: Path) -> None:
    ledger = Ledger(old_ledger(tmp_path / "l.sqlite", version=2))
    limit, line = limit_beside_lists(2.0, 1e-9, delta_units=10**9), ledger.balance("staff")
    assert line.limit == limit.gaussian_units and line.law == GAUSSIAN and line.spent == 2 * 10**8
    assert line.lifetime == (2.0, 2e-9), "what lists may use was on top of the promise, and is told"
    query = {"ask": "measure", "clique": ["b"], "law": "gaussian"}
    kept = ledger.ask("second", part="mechanism", step=1, query=query, units=10**8, answer=lambda: b"late")
    assert kept == b"late" and ledger.verify(ledger.receipt("second"))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET units = 5000 WHERE kind = 'run' AND run = 'first'",
        "DELETE FROM entry WHERE seq = 3",
        "UPDATE entry SET units = 1 WHERE kind = 'close'",
    ],
)
def test_an_old_ledger_that_breaks_the_rules_is_left_as_it_is(tmp_path: Path, change: str) -> None:
    path = old_ledger(tmp_path / "l.sqlite", change)
    before = rows(path)
    with refused(Code.LEDGER_BROKEN):
        Ledger(path)
    assert rows(path) == before


def test_a_changed_old_entry_is_found_by_its_hash(tmp_path: Path) -> None:
    path = old_ledger(tmp_path / "l.sqlite", "UPDATE entry SET text = 'other' WHERE kind = 'population'")
    with refused(Code.LEDGER_BROKEN):
        Ledger(path).verify()


def test_a_ledger_of_version_3_keeps_its_key_its_receipts_and_its_runs(tmp_path: Path) -> None:
    path = old_ledger(tmp_path / "l.sqlite", version=3)
    ledger = Ledger(path)
    assert ledger.verify(RECEIPT_OF_VERSION_3) and ledger.receipt("first") == RECEIPT_OF_VERSION_3
    line, limit = ledger.balance("staff"), limit_for(2.0, 1e-9)
    assert line.law == GAUSSIAN and line.limit == limit.gaussian_units and line.protects is not None
    query = {"ask": "measure", "clique": ["b"], "law": "gaussian"}
    kept = ledger.ask("second", part="mechanism", step=1, query=query, units=10**8, answer=lambda: b"late")
    assert kept == b"late" and ledger.verify(ledger.receipt("second"))


def test_a_ledger_that_was_filled_with_fewer_laws_is_filled_with_all(tmp_path: Path) -> None:
    """Simulate that the Gaussian law was added to the registry later."""
    path = old_ledger(tmp_path / "l.sqlite", version=3)
    Ledger(path).close()
    before = rows(path)
    tamper(path, "DELETE FROM law_ask", "DELETE FROM law WHERE name = 'gaussian'")
    ledger = Ledger(path)
    assert rows(path) == before and ledger.verify(RECEIPT_OF_VERSION_3)
    with closing(sqlite3.connect(path)) as db:
        assert laws_in(db) == LAW_TABLES


@pytest.mark.parametrize(
    "change", ["INSERT INTO law_ask VALUES ('gaussian', 'train')", "INSERT INTO law VALUES ('lax', 'units')"]
)
def test_a_ledger_with_laws_that_are_not_known_is_not_opened(tmp_path: Path, change: str) -> None:
    path = old_ledger(tmp_path / "l.sqlite", version=3)
    Ledger(path).close()
    tamper(path, change)
    before = rows(path)
    with refused(Code.LEDGER_UNAVAILABLE):
        Ledger(path)
    assert rows(path) == before
    assert not is_widened_ledger_sound(path)


def is_widened_ledger_sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        return is_sound(db, blobs=Blobs(path))


def test_a_ledger_of_version_4_goes_on_with_the_sums_of_its_charges(tmp_path: Path) -> None:
    path = old_ledger(tmp_path / "l.sqlite", version=4)
    ledger = Ledger(path)
    assert ledger.verify(RECEIPT_OF_VERSION_4) and ledger.receipt("first") == RECEIPT_OF_VERSION_4
    with closing(sqlite3.connect(path)) as db:
        assert sums_hold(db)
        sums = db.execute("SELECT run, units, delta_units FROM spent ORDER BY run").fetchall()
    assert sums == [("first", 150, 7), ("second", 250 * 10**6, 0), ("third", 0, 0)]
    line, stated = ledger.balance("staff"), {"ask": "train", "most": 364, "law": SAMPLED.written}
    assert line.spent == 250 * 10**6 and line.reserved == 850 * 10**6
    late = ledger.ask("second", part="m", step=2, query=stated, units=5 * 10**7, answer=lambda: b"late")
    assert late == b"late" and ledger.balance("staff").spent == line.spent, "it was charged before"
    with pytest.raises(BudgetRefused) as caught:
        ledger.ask("second", part="m", step=3, query=stated, units=750 * 10**6 + 1, answer=lambda: b"")
    assert caught.value.left == 750 * 10**6
    ledger.ask("second", part="m", step=3, query=stated, units=750 * 10**6, answer=lambda: b"")
    ledger.close_run("second")
    assert ledger.verify(ledger.receipt("second"))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET units = 10 WHERE seq = 14",
        """UPDATE entry SET text = '{"ask":"train","law":"sampled","most":363}' WHERE seq = 14""",
        """UPDATE entry SET text = '{"ask":"train"}' WHERE seq = 8""",
        "UPDATE entry SET units = 10000 WHERE seq = 8",
    ],
)
def test_a_ledger_of_version_4_with_what_is_refused_now_is_left_as_it_is(tmp_path: Path, change: str) -> None:
    path = old_ledger(tmp_path / "l.sqlite", change, version=4)
    before = rows(path)
    with refused(Code.LEDGER_BROKEN):
        Ledger(path)
    assert rows(path) == before


def test_a_ledger_with_fewer_kinds_of_gdp_queries_keeps_its_zcdp_runs_and_adds_gdp_selections(
    tmp_path: Path,
) -> None:
    """Version 0.9 reserved runs with selections in zCDP. They are never counted as GDP."""
    limit = limit_for(4.0, 1e-9)
    later = ("choose", "values", "tree", "votes", "sides", "embedding")
    for name, kind in (("zcdp", ZCDP), ("gdp", GAUSSIAN)):
        path = tmp_path / f"{name}.sqlite"
        ledger = opened(path, limit, run=10**9, law=kind)
        query = {"ask": "choose"} if kind == ZCDP else {"ask": "measure", "law": "gaussian"}
        ledger.ask("r", part="m", step=0, query=query, units=10**9, answer=lambda: b"0")
        receipt = ledger.receipt("r")
        ledger.close()
        tamper(path, f"DELETE FROM law_ask WHERE law = 'gaussian' AND ask IN {later}")
        ledger = Ledger(path)
        assert ledger.verify(receipt)
        line = ledger.balance("p")
        assert line.limit == (limit.units if kind == ZCDP else limit.gaussian_units)
        assert line.law == kind and line.spent == 10**9
        ledger.open_run("p", "s", units=10**9, label="", law=GAUSSIAN, protects=PERSON)
        chosen = {"ask": "choose", "law": "gaussian"}
        ledger.ask("s", part="m", step=0, query=chosen, units=10**9, answer=lambda: b"1")
        assert ledger.balance("p").law == kind and ledger.verify()
        ledger.close()
