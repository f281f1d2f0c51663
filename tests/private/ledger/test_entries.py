"""Test the chain: its entries, its sums, and the detection of changes."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from synth.core.errors import Code, Refusal
from synth.private.ledger import Ledger
from synth.private.ledger.entries import canonical, hash_of
from synth.private.ledger.rules import COLUMNS
from tests.ledgers import PERSON, opened, tamper
from tests.refusals import refused


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a ledger with two runs, of which one is closed, and three answers."""
    ledger = opened(tmp_path / "ledger.sqlite", 1000)
    ledger.raise_limit("p", 2000, "more")
    for run, units in (("one", 300), ("two", 400)):
        ledger.open_run("p", run, units=units, label=run, protects=PERSON)
        ledger.ask(run, part="m", step=0, query={"b": 1, "a": run}, units=100, answer=lambda: b"first")
    ledger.ask("one", part="n", step=0, query={"a": 2}, units=50, answer=lambda: b"second")
    ledger.close_run("one")
    ledger.close()
    return ledger.path


def relink(path: Path) -> None:
    """Recompute every hash, as a careful attacker would."""
    db = sqlite3.connect(path)
    names = ", ".join(COLUMNS)
    rows = [list(r) for r in db.execute(f"SELECT {names} FROM entry ORDER BY seq")]
    changes, previous = [], ""
    for seq, row in enumerate(rows, start=1):
        row[0], row[COLUMNS.index("previous")] = seq, previous
        previous = row[-1] = hash_of(row[:-1])
        changes.append(row)
    db.close()
    values = ", ".join(
        "(" + ", ".join("NULL" if v is None else "'" + str(v).replace("'", "''") + "'" for v in r) + ")"
        for r in changes
    )
    tamper(path, "DELETE FROM entry", f"INSERT INTO entry ({names}) VALUES {values}")


def is_broken(path: Path) -> bool:
    with pytest.raises(Refusal) as caught:
        Ledger(path).verify()
    return caught.value.code is Code.LEDGER_BROKEN


def test_an_honest_ledger_verifies(path: Path) -> None:
    assert Ledger(path).verify() is True


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET units = 1 WHERE kind = 'charge'",
        "UPDATE entry SET units = 99999 WHERE kind = 'population'",
        "UPDATE entry SET text = '{}' WHERE kind = 'charge'",
        "UPDATE entry SET text = 'a better reason' WHERE kind = 'raise'",
        "UPDATE entry SET at = '1999-01-01' WHERE seq = 1",
        "UPDATE entry SET hash = printf('%064d', seq) WHERE seq = 4",
        "DELETE FROM entry WHERE seq = 5",
        "DELETE FROM entry WHERE kind = 'population'",
        "DELETE FROM answer WHERE seq = (SELECT min(seq) FROM answer)",
        "UPDATE answer SET blob = x'00'",
        "INSERT INTO answer VALUES (1, x'00')",
        "CREATE TABLE more (x)",
        "DROP INDEX one_charge",
    ],
)
def test_tampering_shows(path: Path, statement: str) -> None:
    tamper(path, statement)
    assert is_broken(path)


@pytest.mark.parametrize(
    "rule", ["within the limit", "within the reservation", "no update of entry", "a charge is added up"]
)
def test_a_missing_rule_shows(path: Path, rule: str) -> None:
    db = sqlite3.connect(path)
    db.execute(f'DROP TRIGGER "{rule}"')
    db.close()
    assert is_broken(path)


@pytest.mark.parametrize(
    "statement",
    ["UPDATE spent SET units = 0", "DELETE FROM spent", "INSERT INTO spent VALUES ('three', 2, 0, 0)"],
)
def test_sums_that_are_not_those_of_the_charges_open_no_ledger(path: Path, statement: str) -> None:
    held = Ledger(path)
    tamper(path, statement)
    for use in (lambda: Ledger(path), held.verify):
        with refused(Code.LEDGER_BROKEN):
            use()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET units = 5000 WHERE kind = 'run'",
        "UPDATE entry SET units = 100 WHERE kind = 'close'",
        "UPDATE entry SET units = 301 WHERE kind = 'charge' AND run = 'one' AND part = 'm'",
        "UPDATE entry SET population = 'q' WHERE kind = 'charge'",
        "DELETE FROM entry WHERE kind = 'population'",
    ],
)
def test_a_forgery_with_right_hashes_must_still_obey_the_rules(path: Path, statement: str) -> None:
    tamper(path, statement)
    relink(path)
    assert is_broken(path)


def test_a_perfect_forgery_is_found_by_a_receipt(path: Path) -> None:
    receipt = Ledger(path).receipt("one")
    assert Ledger(path).verify(receipt) is True
    tamper(path, "UPDATE entry SET text = 'another label' WHERE kind = 'run'")
    relink(path)
    assert Ledger(path).verify() is True
    with refused(Code.LEDGER_BROKEN):
        Ledger(path).verify(receipt)


def test_an_older_copy_is_found_by_a_receipt(path: Path) -> None:
    older = path.with_name("older.sqlite")
    older.write_bytes(path.read_bytes())
    ledger = Ledger(path)
    ledger.ask("two", part="m", step=1, query={}, units=1, answer=lambda: b"")
    ledger.close_run("two")
    receipt = ledger.receipt("two")
    assert ledger.verify(receipt) and Ledger(older).verify()
    with pytest.raises(Refusal):
        Ledger(older).verify(receipt)
    with pytest.raises(Refusal):
        ledger.verify({"not": "a receipt"})


def test_changed_bytes_are_not_handed_out(path: Path) -> None:
    tamper(path, "UPDATE answer SET blob = x'00'")
    ledger = Ledger(path)
    reads: list[Callable[[], object]] = [
        lambda: ledger.answers("one"),
        lambda: ledger.ask("two", part="m", step=0, query={"b": 1, "a": "two"}, units=100, answer=bytes),
    ]
    for read in reads:
        with refused(Code.LEDGER_BROKEN):
            read()


def test_a_receipt_does_not_move_when_others_go_on(path: Path) -> None:
    ledger = Ledger(path)
    before = ledger.receipt("one")
    ledger.ask("two", part="m", step=1, query={}, units=77, answer=lambda: b"")
    ledger.raise_limit("p", 3000, "and more")
    assert ledger.receipt("one") == before == json.loads(json.dumps(before))
    assert before["parts"] == {
        "m": {"units": 100, "delta_units": 0, "questions": 1},
        "n": {"units": 50, "delta_units": 0, "questions": 1},
    }
    assert (before["reserved_units"], before["spent_units"], before["is_closed"]) == (300, 150, True)
    assert before["population_limit_units"] == 2000
    assert (before["population_spent_units"], before["population_reserved_units"]) == (250, 300)


def test_one_question_has_one_text() -> None:
    assert canonical({"b": 1, "a": [1, 2]}) == canonical({"a": [1, 2], "b": 1}) == '{"a":[1,2],"b":1}'
    for odd in ({"a": {1, 2}}, {"a": float("nan")}, {"a": b""}):
        with pytest.raises(Refusal) as caught:
            canonical(odd)
        assert caught.value.code is Code.QUERY_INVALID and caught.value.__cause__ is None
