import json
import sqlite3

import pytest

from synth.cli import main
from synth.core.accounting import GAUSSIAN, limit_for
from synth.core.errors import Code, Refusal
from synth.core.schema import ProtectedChange
from synth.private.ledger import Ledger

UNIT = ["--unit", "person", "--max-rows", "1"]
OPEN = ["ledger", "open", "town", *UNIT, "--epsilon", "2", "--reason", "a first line"]


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.sqlite")


def printed(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_line_is_opened_shown_and_raised_with_a_reason(ledger, capsys):
    assert main([*OPEN, "--json"]) == 0
    assert printed(capsys)[0]["limit"] == limit_for(2, 1e-9).gaussian_units
    assert main(["ledger", "raise", "town", "--epsilon", "3", "--reason", "the board agreed"]) == 0
    assert ledger.balance("town").limit == limit_for(3, 1e-9).gaussian_units
    capsys.readouterr()
    assert main(["ledger", "show", "town"]) == 0
    assert "lifetime limit epsilon 3 at delta 1e-9" in capsys.readouterr().out


def test_what_a_line_and_a_run_claim_is_said_with_its_law(ledger, capsys):
    main(OPEN)
    question = {"ask": "measure", "law": "gaussian"}
    units = limit_for(1, 1e-9).gaussian_units
    ledger.open_run("town", "r1", units=units, label="t", law=GAUSSIAN, protects=ProtectedChange(max_rows=1))
    ledger.ask("r1", part="m", step=0, query=question, units=units, answer=lambda: b"7")
    ledger.close_run("r1")
    capsys.readouterr()
    assert main(["ledger", "show", "town"]) == 0
    said = capsys.readouterr().out
    assert "Spent 26.8% (0.1819-GDP, epsilon 1)" in said and "with private training may use" in said
    assert "Odds of all releases so far: at most 53.7 right guesses in 100, and 7.2 of 100" in said
    assert (
        "At the lifetime limit, without private training: at most 57 right guesses in 100, and 9.8 of 100"
        in said
    )
    assert main(["ledger", "runs"]) == 0
    assert "GDP" in capsys.readouterr().out
    ledger.open_run("town", "r2", units=9, label="t", protects=ProtectedChange(max_rows=1))
    assert main(["ledger", "show", "town"]) == 0
    said = capsys.readouterr().out
    assert "Spent 26.8% (zCDP, epsilon 1.188)" in said, "the same basis for the same cost"
    assert "lost 27.1%, remaining 46.1%" in said and "GDP" not in said and "training may use" not in said
    assert "At the lifetime limit: at most 64.5 right guesses in 100" in said, "the sum of both cases"


def test_a_raise_after_a_question_is_told_as_the_end_of_the_earlier_promise(ledger, capsys):
    main(OPEN)
    ledger.open_run("town", "r1", units=9, label="t", protects=ProtectedChange(max_rows=1))
    ledger.ask("r1", part="m", step=0, query={"ask": "choose"}, units=9, answer=lambda: b"7")
    capsys.readouterr()
    assert main(["ledger", "raise", "town", "--epsilon", "3", "--reason", "the board agreed"]) == 0
    said = capsys.readouterr().out
    assert "The guarantee of epsilon 2 at delta 1e-9 no longer holds" in said
    assert "From then on, all releases together have epsilon 3 at delta 1e-9" in said
    assert main(["ledger", "show", "--json"]) == 0
    assert [claim["epsilon"] for claim in printed(capsys)[0]["lapsed"]] == [2.0]


def test_a_line_is_declared_anew_while_nobody_has_used_it(ledger, capsys):
    main(OPEN)
    change = ["--unit", "Household", "--max-rows", "7", "--rows-public", "--reason", "the council's list"]
    assert main(["ledger", "declare", "TOWN", *change]) == 0
    assert "it protects one household with at most 7 rows, replaced by another" in capsys.readouterr().out
    assert main(["ledger", "declare", "town", *change[:3], "0", *change[4:]]) == 2
    assert "at least one row" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ledger", "raise", "town", "--epsilon", "1", "--reason", "less"], "not above"),
        (["ledger", "raise", "village", "--epsilon", "9", "--reason", "x"], "'village'"),
        (["ledger", "open", "town", *UNIT, "--epsilon", "5", "--reason", "again"], "another limit"),
        (["ledger", "open", "city", *UNIT, "--epsilon", "5", "--reason", ""], "reason"),
        (["ledger", "show", "village"], "Existing ones: town"),
        (["ledger", "discard", "nobody", "--yes"], "no run 'nobody'"),
        (["ledger", "verify", "--receipt", "no.json"], "'no.json'"),
    ],
)
def test_mistakes_are_told_in_a_sentence(arguments, said, capsys):
    main(OPEN)
    capsys.readouterr()
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


def test_runs_are_listed(ledger, capsys):
    main(OPEN)
    ledger.open_run("town", "r1", units=100, label="=cmd()", protects=ProtectedChange(max_rows=1))
    ledger.ask("r1", part="m", step=0, query={"ask": "x"}, units=40, answer=lambda: b"7")
    ledger.close_run("r1")
    capsys.readouterr()
    assert main(["ledger", "runs", "--json"]) == 0
    (run,) = printed(capsys)
    assert (run["run"], run["units"], run["spent"]) == ("r1", 100, 40)
    assert run["closed"]


@pytest.fixture
def orphan(ledger, capsys):
    """A run of the ledger that no job knows, with 40 of 100 units charged."""
    main(OPEN)
    ledger.open_run("town", "r1", units=100, label="t", protects=ProtectedChange(max_rows=1))
    ledger.ask("r1", part="m", step=0, query={"ask": "x"}, units=40, answer=lambda: b"7")
    capsys.readouterr()
    return "r1"


def test_a_run_that_no_job_knows_is_closed_and_keeps_its_charges(ledger, orphan, capsys):
    assert main(["ledger", "discard", orphan, "--yes", "--json"]) == 0
    assert printed(capsys)[-1]["units_spent"] == 40
    line = ledger.balance("town")
    assert (line.spent, line.reserved) == (40, 0) and ledger.verify()
    with pytest.raises(Refusal) as refused:
        ledger.ask(orphan, part="m", step=1, query={"ask": "x"}, units=1, answer=lambda: b"7")
    assert refused.value.code is Code.RUN_CLOSED
    assert main(["ledger", "discard", orphan, "--yes"]) == 2
    assert "already closed" in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "code"), [("r1", 0), ("no", 5), (None, 2)])
def test_a_run_without_a_job_is_closed_after_asking_alone(typed, code, ledger, orphan, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: typed is not None)
    monkeypatch.setattr("builtins.input", lambda: typed)
    assert main(["ledger", "discard", orphan]) == code
    said = capsys.readouterr().err
    assert "No job on this machine belongs to the run 'r1'" in said and ("stays spent" in said) is (
        typed is not None
    )
    assert bool(ledger.runs()[0].closed) is (typed == orphan) and ledger.balance("town").spent == 40


def test_verify_tells_a_sound_record_from_a_changed_one(ledger, tmp_path, capsys):
    main(OPEN)
    assert main(["ledger", "verify"]) == 0
    ledger.close()
    with sqlite3.connect(tmp_path / "ledger.sqlite") as db:
        (trigger,) = db.execute(
            "SELECT name FROM sqlite_master WHERE name LIKE 'no update%entry%'"
        ).fetchone()
        db.execute(f'DROP TRIGGER "{trigger}"')
        db.execute("UPDATE entry SET units = units * 2")
    db.close()
    capsys.readouterr()
    assert main(["ledger", "verify", "--json"]) == 7
    assert printed(capsys)[-1]["ok"] is False
