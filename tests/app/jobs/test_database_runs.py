"""Runs on a table in a real Postgres: what its end in the middle leaves, and what is found of the table
anywhere."""

import json
import random
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from synth.app.jobs.spec import RunSpec
from synth.app.jobs.store import Job
from synth.app.jobs.work import release
from synth.cli import main
from synth.core.errors import Code, Refusal
from synth.core.progress import silent
from synth.private.ledger import Ledger
from synth.release.verify import verify
from tests.app.jobs.conftest import spec_of

CANARY = "canary-9c1d"
TABLE, COLUMN = f"people-{CANARY}", f"note-{CANARY}"
SCHEMA: dict[str, Any] = {
    "name": "register",
    "population": "register",
    "unit": {"max_rows": 2, "id_column": "who"},
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 10},
        {"name": "ward", "kind": "category", "values": ["a", "b", "c"]},
        {"name": "rents", "kind": "category", "values": [True, False]},
        {"name": "who", "kind": "drop"},
    ],
}


@pytest.fixture
def filled(postgres: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A table with canaries in its name, in a column's name, and in cells outside the schema."""
    draw = random.Random(3)
    wards = ["a", "b", "c", f"{CANARY}-ward"]
    rows = [
        (f"{CANARY}-{i // 2}", draw.randrange(120), draw.choice(wards), draw.random() < 0.3, f"{CANARY}-{i}")
        for i in range(3000)
    ]
    postgres.fill(TABLE, f'who text, age integer, ward text, rents boolean, "{COLUMN}" text', rows)
    file = tmp_path / "elsewhere" / "connections.toml"
    file.parent.mkdir()
    said = postgres.settings(TABLE, engine="postgres", password=f"{CANARY}-password")
    lines = [f"{name} = {json.dumps(value)}" for name, value in said.items()]
    file.write_text("\n".join(["[register]", *lines]))
    file.chmod(0o600)
    monkeypatch.setenv("MARGINALIA_CONNECTIONS", str(file))
    return postgres


@pytest.fixture
def spec(tmp_path: Path) -> RunSpec:
    facts = {"run": "r-1", "data": "database:register", "schema": SCHEMA, "population": "register"}
    return spec_of(tmp_path, **facts, lifetime_epsilon=20.0, method="mst", rows=300, seed=5)


def charges(spec: RunSpec) -> tuple[list[tuple[str, int]], list[dict[str, Any]]]:
    """What a run was charged for, in order, and what it was answered."""
    with closing(Ledger(Path(spec.ledger))) as ledger:
        charged = [(one.text, one.units) for one in ledger.charges(spec.run, "mechanism")]
        (run,) = [entry for entry in ledger.runs() if entry.run == spec.run]
        assert run.spent == sum(units for _, units in charged)
        return charged, [vars(answer) for answer in ledger.answers(spec.run)]


def ending_at(question: int, end: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have something happen just before the n-th query of a run."""
    from synth.private.reading.postgres_session import PostgresSession

    requested, rows = [0], PostgresSession.rows

    def counted(self: PostgresSession, counts: Any) -> Any:
        requested[0] += 1
        if requested[0] == question:
            end()
        return rows(self, counts)

    monkeypatch.setattr(PostgresSession, "rows", counted)


@pytest.mark.long
@pytest.mark.parametrize(("question", "answers"), [(1, 0), (4, 0), (6, 3)])
def test_a_database_that_ends_in_the_middle_costs_nothing_twice(
    question: int, answers: int, filled: Any, spec: RunSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(tmp_path / "job")
    job.folder.mkdir()
    with monkeypatch.context() as patch:
        ending_at(question, filled.stop, patch)
        try:
            with pytest.raises(Refusal) as caught:
                release(spec, silent, job=job)
        finally:
            filled.start()
    assert caught.value.code is Code.DATABASE_LOST and caught.value.__context__ is None
    assert not Path(spec.out).exists()
    charged, answered = charges(spec) if question > 1 else ([], [])
    assert len(answered) == answers
    assert question == 1 or len(charged) > answers  # charged, and then there was no database
    release(spec, silent, job=job)
    again, all_answered = charges(spec)
    assert again[: len(charged)] == charged and len(again) == len(all_answered)
    assert all_answered[: len(answered)] == answered and verify(spec.out).ok
    whole = replace(spec, run="r-2", out=spec.out + "2")
    release(whole, silent)
    at_once, _ = charges(whole)  # which pairs are measured, and so each one's part, follows from the noise
    assert sum(units for _, units in at_once) == sum(units for _, units in again)


@pytest.mark.long
def test_nothing_of_the_table_but_counts_is_found_anywhere(
    filled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In the home with the job's folder, in the ledger, in the bundle, in what is printed: no cell, no name
    of the table, of its host, or of a column that is not declared."""
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA))
    line = ["release", "--data", "database:register", "--schema", str(schema), "--epsilon", "1"]
    line += ["--delta", "1e-9", "--lifetime-epsilon", "10", "--method", "mst", "--yes"]
    assert main([*line, "--out", str(tmp_path / "out")]) == 0
    assert main(["where"]) == 0
    filled.execute(f'ALTER TABLE "{TABLE}" ALTER age TYPE text')
    assert main([*line, "--out", str(tmp_path / "out2")]) != 0  # a refusal tells as little
    stated = capfd.readouterr()
    secrets = (CANARY, str(filled.folder))
    assert not [secret for secret in secrets if secret in stated.out + stated.err]
    files = [p for p in tmp_path.rglob("*") if p.is_file() and "elsewhere" not in p.parts]
    assert any("jobs" in path.parts for path in files) and len(files) > 20
    for path in files:
        content = path.read_bytes()
        assert not [secret for secret in secrets if secret.encode() in content], path
