# ruff: noqa: RUF001 (letters that look alike are what some tests are about)

"""Test the guarantee of a budget: its protected change, its name, and its end."""

import sqlite3
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from synth.core.accounting import limit_for
from synth.core.errors import Code, Mistake
from synth.core.schema import Neighbours, ProtectedChange
from synth.private.ledger import Ledger
from synth.private.ledger.guarantees import as_columns
from tests.ledgers import tamper
from tests.refusals import refused

PERSON = ProtectedChange(max_rows=20)
VISIT = ProtectedChange(max_rows=1, unit="visit")
OTHERS = {
    "another unit": VISIT,
    "another relation": replace(PERSON, neighbours=Neighbours.REPLACE),
    "fewer rows on trust": replace(PERSON, max_rows=1),
    "more rows": replace(PERSON, max_rows=21, is_capped=True),
    "fewer rows of a fixed number": ProtectedChange(
        max_rows=1, neighbours=Neighbours.REPLACE, is_capped=True
    ),
    "another unit, capped": replace(VISIT, is_capped=True),
}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "l.sqlite")
    ledger.open_population("Town 2024", units=limit_for(4.0, 1e-9), protects=PERSON, reason="test")
    return ledger


def reserve(ledger: Ledger, run: str, protects: ProtectedChange, *, population: str = "Town 2024") -> None:
    ledger.open_run(population, run, units=100, label="", protects=protects)


def ask(ledger: Ledger, run: str) -> None:
    ledger.ask(run, part="m", step=0, query={"ask": "choose"}, units=7, answer=lambda: b"")


def in_the_database(path: Path, kind: str, protects: ProtectedChange | None, **more: Any) -> None:
    """Write an entry without any check in Python."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        seq, last = db.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        change = zip(("unit", "max_rows", "neighbours", "is_capped"), as_columns(protects), strict=True)
        blank = dict.fromkeys(("part", "digest", "at"), "") | {"step": 0, "units": 0, "delta_units": 0}
        entry = {**blank, "seq": seq + 1, "kind": kind, "population": "Town 2024", "run": "", "text": "why"}
        entry |= {"previous": last, "hash": "f" * 64, **dict(change), **more}
        places = ", ".join("?" * len(entry))
        db.execute(f"INSERT INTO entry ({', '.join(entry)}) VALUES ({places})", list(entry.values()))


@pytest.mark.parametrize("protects", OTHERS.values(), ids=OTHERS)
def test_a_line_takes_no_release_about_another_change(ledger: Ledger, protects: ProtectedChange) -> None:
    """Of three releases of one file for one population, only the first is accepted."""
    reserve(ledger, "first", PERSON)
    with pytest.raises(Mistake, match=r"protects one person with at most 20 rows.*No budget was spent"):
        reserve(ledger, "second", protects)
    with pytest.raises(sqlite3.IntegrityError, match="a run is within what its line protects"):
        in_the_database(ledger.path, "run", protects, run="second", units=1)
    assert [run.run for run in ledger.runs()] == ["first"] and ledger.verify()


def test_the_database_takes_no_run_that_says_nothing(ledger: Ledger) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="a run is within what its line protects"):
        in_the_database(ledger.path, "run", None, run="second", units=1)


def test_a_table_whose_rows_the_room_caps_at_fewer_is_covered(ledger: Ledger) -> None:
    reserve(ledger, "visits", replace(PERSON, is_capped=True))
    reserve(ledger, "people", replace(PERSON, max_rows=1, is_capped=True))
    reserve(ledger, "again", replace(PERSON, unit=" PERSON "))
    with pytest.raises(Mistake, match="names the ID column that caps them"):
        reserve(ledger, "trust", replace(PERSON, max_rows=1))
    assert len(ledger.runs()) == 3 and ledger.verify()


def test_the_same_run_again_is_about_the_same_change(ledger: Ledger) -> None:
    reserve(ledger, "first", PERSON)
    reserve(ledger, "first", PERSON)
    with refused(Code.ANSWER_MISMATCH):
        reserve(ledger, "first", VISIT)


def test_a_line_is_declared_anew_while_nothing_is_committed_and_never_after(ledger: Ledger) -> None:
    ledger.declare("town 2024", replace(PERSON, max_rows=30), "the busiest has thirty")
    reserve(ledger, "first", replace(PERSON, max_rows=30))
    with pytest.raises(Mistake, match="cannot be changed"):
        ledger.declare("Town 2024", PERSON, "after all")
    with pytest.raises(sqlite3.IntegrityError, match="a line protects one change"):
        in_the_database(ledger.path, "declare", PERSON)
    ledger.declare("Town 2024", replace(PERSON, max_rows=30), "the same twice is one")
    ledger.close_run("first")
    ledger.declare("Town 2024", PERSON, "nothing was asked")
    assert ledger.balance("Town 2024").protects == PERSON and ledger.verify()
    with pytest.raises(Mistake, match="no lifetime budget"):
        ledger.declare("village", PERSON, "why")


def test_what_a_line_protects_is_part_of_its_chain(ledger: Ledger) -> None:
    tamper(ledger.path, "UPDATE entry SET max_rows = 2 WHERE kind = 'population'")
    with refused(Code.LEDGER_BROKEN):
        ledger.verify()


def test_a_line_is_found_however_its_name_is_written_and_told_as_typed_first(ledger: Ledger) -> None:
    for name in ("town 2024", "  TOWN\u00a02024", "Ｔown   2024"):
        reserve(ledger, name, PERSON, population=name)
        assert ledger.balance(name).population == "Town 2024"
    assert len(ledger.runs("tOWN 2024")) == 3 and ledger.populations() == ("Town 2024",)
    ledger.open_population("TOWN 2024", units=limit_for(4.0, 1e-9), protects=PERSON, reason="twice is one")
    ledger.raise_limit("town 2024", limit_for(5.0, 1e-9), "more")
    assert ledger.populations() == ("Town 2024",) and len(ledger.listing()[0]["limits"]) == 2


@pytest.mark.parametrize(
    "name", ["Тown 2024", "Town 2O24", "town-2024", "Tôwn 2024", "Town_2024.", "T0wn 2024", "‘Town’ 2024"]
)
def test_no_line_is_opened_under_a_name_that_looks_like_another(ledger: Ledger, name: str) -> None:
    with pytest.raises(Mistake, match="looks like 'Town 2024'"):
        ledger.open_population(name, units=5, protects=PERSON, reason="test")
    assert ledger.balance(name).limit is None


def test_names_of_an_older_ledger_may_differ_in_case_alone(ledger: Ledger) -> None:
    in_the_database(ledger.path, "population", PERSON, population="town 2024", units=5)
    assert ledger.balance("town 2024").limit == 5 and ledger.balance("Town 2024").limit != 5
    with pytest.raises(Mistake, match="exactly"):
        ledger.balance("TOWN 2024")


def test_a_limit_raised_after_a_question_lapses_the_earlier_claim(ledger: Ledger) -> None:
    ledger.raise_limit("Town 2024", limit_for(5.0, 1e-9), "before anything was asked")
    reserve(ledger, "first", PERSON)
    ask(ledger, "first")
    before = ledger.receipt("first")
    assert before["population_lapsed"] == [] and ledger.balance("Town 2024").lapsed == ()
    ledger.raise_limit("Town 2024", limit_for(8.0, 1e-9), "the answers called for more")
    (lapsed,) = ledger.balance("Town 2024").lapsed
    assert (lapsed.epsilon, lapsed.delta) == (5.0, 1e-9)
    assert lapsed.units == pytest.approx(limit_for(5.0, 1e-9).units, abs=1)
    assert ledger.receipt("first") == before, "a receipt stands at its run's last entry"
    reserve(ledger, "second", PERSON)
    stated = ledger.receipt("second")
    assert stated["population_lapsed"] == [asdict(lapsed)] and stated["population_protects"]["max_rows"] == 20
    ledger.raise_limit("Town 2024", limit_for(8.0, 1e-9).units + 1000, "a little, in rho")
    assert [claim.epsilon for claim in ledger.balance("Town 2024").lapsed] == [5.0, 8.0]
    assert ledger.verify(stated)
