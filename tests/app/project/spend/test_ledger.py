"""What the ledger page says is what the ledger holds; what it exports is safe to open."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.project import opening
from synth.app.project import store as projects
from synth.app.project.spend import ledger as ledgers
from synth.app.project.store import Limits
from synth.core.errors import Mistake
from synth.private.ledger import Ledger
from tests.ledgers import PERSON, tamper

WHOLE = 2 * 10**12


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger(path)
    ledger.open_population("town", units=WHOLE, reason="council, 3 March", protects=PERSON)
    ledger.open_run("town", "run-1", units=WHOLE // 2, label="=cmd|calc", protects=PERSON)
    ledger.ask("run-1", part="a", step=0, query={"q": 1}, units=WHOLE // 8, answer=lambda: b"x")
    ledger.open_population("clinic", units=WHOLE, reason="board", protects=PERSON)
    ledger.close()
    return path


def test_lines_and_entries_are_what_the_ledger_holds(place: Path) -> None:
    lines, entries = ledgers.read(place)
    assert [line.population for line in lines] == ["town", "clinic"] == list(ledgers.populations(place))
    town = lines[0].parts()
    assert town == pytest.approx({"spent": 1 / 8, "reserved": 3 / 8, "left": 1 / 2})
    assert "council, 3 March" in lines[0].reasons[0]
    (entry,) = entries
    assert (entry.run, entry.state, entry.share) == ("run-1", "open", 1 / 8)
    assert entry.epsilon == lines[0].balance.claim(WHOLE // 8)
    assert entry.table == "=cmd|calc"
    project = opening.begin("Harbour survey", rehearsal=False)
    projects.save(replace(project, runs=("run-1",)))
    assert ledgers.read(place)[1][0].table == "Harbour survey"


def test_the_file_has_every_column_and_no_formula(place: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(ledgers.as_csv(ledgers.read(place)[1]))))
    assert rows[0]["run"] == "run-1"
    assert rows[0]["table"] == "'=cmd|calc"


def test_a_limit_rises_with_a_reason_and_never_falls(place: Path) -> None:
    with pytest.raises(Mistake, match="why"):
        ledgers.raise_limit(place, population="clinic", epsilon=30.0, reason=" ")
    ledgers.raise_limit(place, population="clinic", epsilon=30.0, reason="board, 4 May")
    line = ledgers.read(place)[0][1]
    assert line.balance.lifetime == (30.0, 2e-9), "what lists may use stays on top"
    assert "board, 4 May" in line.reasons[1]
    with pytest.raises(Mistake, match="not above"):
        ledgers.raise_limit(place, population="clinic", epsilon=1.0, reason="thrift")


def test_no_limit_rises_beyond_what_a_project_says_of_its_organisation(place: Path) -> None:
    project = opening.begin("t", rehearsal=False, limits=Limits(lifetime=15.0))
    projects.save(replace(project, schema=project.schema | {"population": " CLINIC "}))
    projects.save(opening.begin("u", rehearsal=False))
    with pytest.raises(Mistake, match=r"Epsilon 20 exceeds .* limit of 15 for clinic"):
        ledgers.raise_limit(place, population="clinic", epsilon=20.0, reason="board")
    ledgers.raise_limit(place, population="clinic", epsilon=15.0, reason="board")


def test_a_record_that_was_changed_is_noticed(place: Path) -> None:
    assert ledgers.is_whole(place)
    tamper(place, "UPDATE entry SET units = units - 1 WHERE kind = 'charge'")
    assert not ledgers.is_whole(place)
