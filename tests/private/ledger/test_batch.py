"""Test batches of queries: entries as for single queries, one charge for all, and kills at any point."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import synth
from synth.core.accounting import GAUSSIAN
from synth.core.errors import BudgetRefused, Code
from synth.private.ledger import Ask, Ledger
from synth.private.ledger import batch as batches
from tests.ledgers import opened
from tests.refusals import refused

ROOT = Path(synth.__file__).parents[1]


def line(path: Path) -> Ledger:
    """A budget of 1000 with delta 50, and a run of 600 with delta 20."""
    return opened(path, 1000, run=600, delta=50, run_delta=20)


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let only the size end a portion, so that a slow machine does not matter."""
    monkeypatch.setattr(batches, "HELD_SECONDS", float("inf"))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return line(tmp_path / "ledger.sqlite")


def query(i: int) -> dict[str, Any]:
    return {"ask": "measure", "clique": [f"c{i}"]}


def batch(n: int, units: int = 10, *, answer: Callable[[int], bytes] = lambda i: b"%d" % i) -> list[Ask]:
    """Return queries 0 to n - 1, of which the i-th costs `units + i`."""
    return [Ask(query=query(i), units=units + i, answer=lambda i=i: answer(i)) for i in range(n)]


def requested(ledger: Ledger, asks: Sequence[Ask], step: int = 0) -> tuple[bytes, ...]:
    return ledger.ask_all("r", part="m", step=step, asks=asks)


def on_disk(ledger: Ledger, kind: str) -> list[tuple[int, int]]:
    """Return the steps and costs of the entries of a kind, as another connection reads them."""
    with closing(sqlite3.connect(ledger.path)) as other:
        return other.execute("SELECT step, units FROM entry WHERE kind = ? ORDER BY seq", (kind,)).fetchall()


def test_a_batch_stands_in_the_books_as_if_asked_one_by_one(tmp_path: Path) -> None:
    together, alone = (line(tmp_path / name) for name in ("together.sqlite", "alone.sqlite"))
    asks = [*batch(5), Ask(query={"ask": "values"}, units=1, delta_units=7, answer=lambda: b"list")]
    blobs = requested(together, asks)
    for step, ask in enumerate(asks):
        stated = {"query": ask.query, "units": ask.units, "delta_units": ask.delta_units}
        assert alone.ask("r", part="m", step=step, answer=ask.answer, **stated) == blobs[step]
    assert blobs == (b"0", b"1", b"2", b"3", b"4", b"list")
    rows = []
    for ledger in (together, alone):
        with closing(sqlite3.connect(ledger.path)) as db:
            db.row_factory = sqlite3.Row
            entries = [dict(row) for row in db.execute("SELECT * FROM entry LEFT JOIN answer USING (seq)")]
        moving = ("seq", "at", "previous", "hash")
        rows.append(sorted(str({k: v for k, v in e.items() if k not in moving}) for e in entries))
    assert rows[0] == rows[1] and len(rows[0]) == 2 + 2 * len(asks)
    receipts = [ledger.receipt("r") for ledger in (together, alone)]
    assert [receipt.pop("commitment") for receipt in receipts] and receipts[0] == receipts[1]
    assert together.verify() and [vars(a) for a in together.answers("r")] == [
        vars(a) for a in alone.answers("r")
    ]


def test_all_charges_are_on_disk_before_the_first_answer(ledger: Ledger) -> None:
    seen = []

    def answer(i: int) -> bytes:
        seen.append((len(on_disk(ledger, "charge")), len(on_disk(ledger, "answer"))))
        return b"%d" % i

    blobs = requested(ledger, batch(4, answer=answer))
    assert seen == [(4, 0)] * 4
    with closing(sqlite3.connect(ledger.path)) as other:
        stored = other.execute("SELECT blob FROM answer ORDER BY seq").fetchall()
    assert stored == [(blob,) for blob in blobs]


def test_many_bytes_are_stored_in_portions(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "HELD_BYTES", 2)
    seen = []

    def answer(i: int) -> bytes:
        seen.append((len(on_disk(ledger, "charge")), len(on_disk(ledger, "answer"))))
        return b"%d" % i

    assert requested(ledger, batch(5, answer=answer)) == (b"0", b"1", b"2", b"3", b"4")
    assert seen == [(5, 0), (5, 0), (5, 2), (5, 2), (5, 4)]
    assert ledger.verify() and len(ledger.answers("r")) == 5


def test_what_took_long_is_stored_before_the_next(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "HELD_SECONDS", 0.0)
    seen: list[int] = []
    requested(ledger, batch(3, answer=lambda i: seen.append(len(on_disk(ledger, "answer"))) or b""))  # type: ignore[func-returns-value]
    assert seen == [0, 1, 2]


def test_a_batch_that_does_not_fit_charges_nothing(ledger: Ledger) -> None:
    requested(ledger, batch(1, 400))
    with pytest.raises(BudgetRefused) as caught:
        requested(ledger, batch(3, 100), step=1)
    assert (caught.value.requested, caught.value.left, caught.value.missing) == (303, 200, 103)
    assert on_disk(ledger, "charge") == [(0, 400)]
    lists = [Ask(query=query(i), units=1, delta_units=11, answer=bytes) for i in range(2)]
    with pytest.raises(BudgetRefused) as caught:
        requested(ledger, lists, step=1)
    assert (caught.value.currency, caught.value.requested, caught.value.left) == ("delta", 22, 20)
    assert on_disk(ledger, "charge") == [(0, 400)]


@pytest.mark.parametrize(
    "odd",
    [
        Ask(query=query(1), units=0, answer=bytes),
        Ask(query=query(1), units=0, delta_units=1, answer=bytes),
        Ask(query=query(1), units=-5, answer=bytes),
        Ask(query={"x": float("nan")}, units=5, answer=bytes),
    ],
)
def test_one_impossible_question_refuses_the_batch(ledger: Ledger, odd: Ask) -> None:
    with refused(Code.QUERY_INVALID):
        requested(ledger, [*batch(1), odd])
    assert on_disk(ledger, "charge") == []


def test_one_question_of_another_law_refuses_the_batch_of_a_gaussian_run(tmp_path: Path) -> None:
    ledger = opened(tmp_path / "l.sqlite", 1000, run=600, law=GAUSSIAN)
    fitting = Ask(query={**query(0), "law": "gaussian"}, units=5, answer=lambda: b"fits")
    with refused(Code.QUERY_INVALID):
        requested(ledger, [fitting, *batch(1)])
    assert on_disk(ledger, "charge") == []
    assert requested(ledger, [fitting]) == (b"fits",)


def never(i: int) -> bytes:
    raise AssertionError(f"question {i} was asked again")


def test_a_batch_is_replayed_for_nothing_also_after_the_close(ledger: Ledger) -> None:
    requested(ledger, batch(3))
    ledger.close_run("r")
    assert requested(ledger, batch(3, answer=never)) == (b"0", b"1", b"2")
    with refused(Code.RUN_CLOSED):
        requested(ledger, batch(4, answer=never))
    assert len(on_disk(ledger, "charge")) == 3


def test_one_other_question_or_price_is_a_mismatch_and_charges_nothing(ledger: Ledger) -> None:
    requested(ledger, batch(2))
    other = Ask(query=query(1), units=12, answer=bytes)
    for asks in ([batch(1)[0], other, *batch(1)], batch(3)[1:]):
        with refused(Code.ANSWER_MISMATCH):
            requested(ledger, asks)
        assert len(on_disk(ledger, "charge")) == 2


def test_after_a_failure_a_charged_rest_is_answered(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "HELD_BYTES", 2)
    with pytest.raises(ZeroDivisionError):
        requested(ledger, batch(5, answer=lambda i: b"%d" % i if i < 3 else b"%d" % (1 // 0)))
    assert len(on_disk(ledger, "charge")) == 5 and [s for s, _ in on_disk(ledger, "answer")] == [0, 1]
    again: list[int] = []
    blobs = requested(ledger, batch(5, answer=lambda i: again.append(i) or b"new %d" % i))  # type: ignore[func-returns-value]
    assert blobs == (b"0", b"1", b"new 2", b"new 3", b"new 4") and again == [2, 3, 4]
    assert len(on_disk(ledger, "charge")) == 5 and ledger.balance("p").spent == sum(range(10, 15))


def test_a_run_closed_while_its_answers_are_computed_gets_none(ledger: Ledger) -> None:
    def answer(i: int) -> bytes:
        Ledger(ledger.path).close_run("r")
        return b"late"

    with refused(Code.RUN_CLOSED):
        requested(ledger, batch(3, answer=answer))
    assert on_disk(ledger, "answer") == [] and ledger.verify()


def test_of_two_batches_the_first_stored_counts(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process answers all queries while this process answers its third and has stored two."""
    monkeypatch.setattr(batches, "HELD_BYTES", 4)
    other = Ledger(ledger.path)

    def answer(i: int) -> bytes:
        if i == 2:
            requested(other, batch(4, answer=lambda j: b"t%d" % j))
        return b"m%d" % i

    mine = requested(ledger, batch(4, answer=answer))
    assert mine == (b"m0", b"m1", b"t2", b"t3") == requested(other, batch(4, answer=never))
    assert len(on_disk(ledger, "charge")) == len(on_disk(ledger, "answer")) == 4 and ledger.verify()


ASKER = """
import os, signal, sys, time
from pathlib import Path
from synth.private.ledger import Ask, Ledger, Patience, batch
path, dies_at, held, go = sys.argv[1:]
batch.HELD_BYTES, batch.HELD_SECONDS = int(held), float("inf")
print("ready", flush=True)
while go != "now" and not Path(go).exists():
    time.sleep(0.001)
def answer(i):
    if i == int(dies_at):
        os.kill(os.getpid(), signal.SIGKILL)
    return os.urandom(8)
ledger = Ledger(Path(path), patience=Patience(seconds=600))
asks = [Ask(query={"ask": "measure", "clique": [f"c{i}"]}, units=10 + i, answer=lambda i=i: answer(i))
        for i in range(20)]
print(" ".join(blob.hex() for blob in ledger.ask_all("r", part="m", step=0, asks=asks)))
"""


def start(
    ledger: Ledger, *, dies_at: int = -1, held: int = 1 << 26, go: object = "now"
) -> subprocess.Popen[str]:
    """Another process makes twenty queries in a batch and is killed at one of them."""
    command = [sys.executable, "-c", ASKER, str(ledger.path), str(dies_at), str(held), str(go)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_killed_while_answering_nothing_is_charged_or_answered_twice(ledger: Ledger) -> None:
    """The kill is at the first query, in the middle, or after only some answers were stored."""
    prices = [(i, 10 + i) for i in range(20)]
    for dies_at, held, answered in ((0, 1 << 26, 0), (12, 1 << 26, 0), (12, 40, 10), (19, 40, 15)):
        victim = start(ledger, dies_at=dies_at, held=held)
        victim.communicate(timeout=600)
        assert victim.returncode == -signal.SIGKILL
        assert on_disk(ledger, "charge") == prices
        assert [step for step, _ in on_disk(ledger, "answer")] == list(range(answered))
        assert ledger.verify()
    kept = [a.blob for a in ledger.answers("r")]
    said = start(ledger).communicate(timeout=600)[0].split()[1:]
    stored = ledger.answers("r")
    assert said == [a.blob.hex() for a in stored] and [a.blob for a in stored][: len(kept)] == kept
    assert len(stored) == len(on_disk(ledger, "answer")) == 20 and on_disk(ledger, "charge") == prices
    assert ledger.balance("p").spent == sum(units for _, units in prices) and ledger.verify()
