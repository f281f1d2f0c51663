"""Test the ledger: charge, answer, store, replay, with several processes and with killed processes."""

import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

import synth
from synth.core.accounting import GAUSSIAN, ZCDP, Limit
from synth.core.errors import BudgetRefused, Code, MarginaliaError, Mistake, Refusal
from synth.private.ledger import Ask, Balance, Ledger
from tests.ledgers import PERSON, opened

ROOT = Path(synth.__file__).parents[1]


LINE = Balance.opened("p", Limit(units=1000, gaussian_units=1000, mixed_units=1000, delta_units=50))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A budget of 1000 with delta 50, and a run of 600 with delta 20."""
    return opened(tmp_path / "ledger.sqlite", 1000, run=600, delta=50, run_delta=20)


def ask(ledger: Ledger, units: int = 100, *, step: int = 0, answer: bytes = b"noisy", **more: Any) -> bytes:
    more = {"part": "m", "query": {"ask": "total"}} | more
    return ledger.ask("r", step=step, units=units, answer=lambda: answer, **more)


def code_of(refused: pytest.ExceptionInfo[Refusal]) -> Code:
    assert refused.value.__cause__ is None
    return refused.value.code


def test_a_question_is_charged_answered_and_stored(ledger: Ledger) -> None:
    assert ask(ledger, 100, delta_units=3) == b"noisy"
    assert ledger.balance("p") == replace(
        LINE, reserved=500, spent=100, delta_reserved=17, delta_spent=3, protects=PERSON, law=ZCDP
    )
    (stored,) = ledger.answers("r")
    assert (stored.part, stored.step, stored.query, stored.blob) == ("m", 0, {"ask": "total"}, b"noisy")
    assert (stored.units, stored.delta_units) == (100, 3)


@pytest.mark.parametrize("change", [{"query": {"ask": "else"}}, {"units": 99}, {"delta_units": 1}])
def test_another_question_at_the_same_step_is_a_mismatch(ledger: Ledger, change: dict[str, Any]) -> None:
    ask(ledger)
    with pytest.raises(Refusal) as refused:
        ask(ledger, **({"units": 100} | change))
    assert code_of(refused) is Code.ANSWER_MISMATCH
    assert ledger.balance("p").spent == 100


def test_a_charge_without_answer_is_not_refunded_by_the_close(ledger: Ledger) -> None:
    with pytest.raises(Refusal) as refused:
        ledger.ask("r", part="m", step=0, query={}, units=100, answer=lambda: "text")  # type: ignore[arg-type,return-value]
    assert code_of(refused) is Code.INTERNAL
    ledger.close_run("r")
    assert ledger.balance("p") == replace(LINE, spent=100, protects=PERSON, law=ZCDP)
    with pytest.raises(Refusal) as refused:
        ledger.ask("r", part="m", step=0, query={}, units=100, answer=lambda: b"late")
    assert code_of(refused) is Code.RUN_CLOSED


def test_delta_is_a_currency_of_its_own(ledger: Ledger) -> None:
    ask(ledger, 1, delta_units=15)
    with pytest.raises(BudgetRefused, match="requested delta 6e-18, left 5e-18, missing 1e-18") as refused:
        ask(ledger, 1, step=1, delta_units=6)
    assert refused.value.currency == "delta"
    with pytest.raises(BudgetRefused) as refused:
        ledger.open_run("p", "s", units=1, delta_units=31, label="", protects=PERSON)
    assert (refused.value.requested, refused.value.left, refused.value.missing) == (31, 30, 1)


def test_opening_a_run_again_is_the_same_run(ledger: Ledger) -> None:
    ledger.open_run("p", "r", units=600, delta_units=20, label="first", protects=PERSON)
    assert ledger.balance("p").reserved == 600
    ledger.open_population("q", units=1000, reason="test", protects=PERSON)
    for population, units, delta in (("p", 601, 20), ("p", 600, 21), ("q", 600, 20)):
        with pytest.raises(Refusal) as refused:
            ledger.open_run(population, "r", units=units, delta_units=delta, label="first", protects=PERSON)
        assert code_of(refused) is Code.ANSWER_MISMATCH


def test_a_population_without_a_line_is_named(ledger: Ledger) -> None:
    with pytest.raises(Mistake, match="'pp' has no lifetime budget"):
        ledger.open_run("pp", "s", units=1, label="", protects=PERSON)
    with pytest.raises(Mistake, match="'pp' has no lifetime budget"):
        ledger.raise_limit("pp", 10, "why")
    assert ledger.balance("pp").limit is None and ledger.balance("pp").left == 0
    with pytest.raises(Mistake, match="no run 'x'"):
        ledger.close_run("x")


def test_a_line_is_opened_once_and_then_only_raised_with_a_reason(ledger: Ledger) -> None:
    ledger.open_population("p", units=1000, delta_units=50, reason="again", protects=PERSON)
    with pytest.raises(Mistake, match="another limit"):
        ledger.open_population("p", units=2000, delta_units=50, reason="sneaky", protects=PERSON)
    for units, reason in ((1000, "same"), (999, "lower"), (2000, " ")):
        with pytest.raises(Mistake):
            ledger.raise_limit("p", units, reason)
    ledger.raise_limit("p", 2000, "second wave", delta_units=60)
    assert (ledger.balance("p").limit, ledger.balance("p").delta_limit) == (2000, 60)
    (line,) = ledger.listing()
    assert [(e["units"], e["delta_units"], e["reason"]) for e in line["limits"]] == [
        (1000, 50, "test"),
        (1000, 10, "second wave"),
    ]
    for name, units, reason in ((" ", 1, "x"), ("q", 0, "x"), ("q", 10**18 + 1, "x"), ("q", 1, "")):
        with pytest.raises(Mistake):
            ledger.open_population(name, units=units, reason=reason, protects=PERSON)
    assert ledger.populations() == ("p",)


@pytest.mark.parametrize(
    "wrong",
    [
        {"units": 0},
        {"units": -1},
        {"units": 10**19},
        {"units": 1, "delta_units": -1},
        {"step": -1},
        {"step": 2**70},
    ],
)
def test_impossible_queries_are_refused_before_the_database(ledger: Ledger, wrong: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as refused:
        ask(ledger, **({"units": 1} | wrong))
    assert code_of(refused) is Code.QUERY_INVALID
    with pytest.raises(Refusal):
        ledger.ask("unknown", part="m", step=0, query={}, units=1, answer=bytes)


def test_the_file_is_its_owners_only(ledger: Ledger) -> None:
    ask(ledger)
    assert {oct(f.stat().st_mode & 0o777) for f in ledger.path.parent.glob("ledger.sqlite*")} == {"0o600"}


def test_whatever_sqlite_complains_about_is_one_refusal(tmp_path: Path, ledger: Ledger) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("this is no database, and it says SECRET " * 40)
    foreign = tmp_path / "foreign.sqlite"
    other = sqlite3.connect(foreign)
    other.execute("CREATE TABLE mine (x)")
    other.close()
    for path in (text, foreign, tmp_path, text / "below"):
        with pytest.raises(Refusal) as refused:
            Ledger(path)
        assert code_of(refused) is Code.LEDGER_UNAVAILABLE and "SECRET" not in str(refused.value)
    ledger.close()
    with pytest.raises(Refusal) as refused:
        ask(ledger)
    assert code_of(refused) is Code.LEDGER_UNAVAILABLE


def test_threads_share_a_ledger(ledger: Ledger) -> None:
    threads = [threading.Thread(target=ask, args=(ledger, 5), kwargs={"step": i}) for i in range(30)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert ledger.balance("p").spent == 150 and len(ledger.answers("r")) == 30 and ledger.verify()


def test_a_fork_does_not_use_its_parents_connection(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(Refusal):
        ask(ledger)


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start another Python process."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


RACER = """
import sys, time
from pathlib import Path
from synth.core.errors import BudgetRefused
from synth.core.accounting import GAUSSIAN, ZCDP, Limit
from synth.private.ledger import Ledger, Patience
from synth.core.schema import ProtectedChange
path, run, go = sys.argv[1:]
print("ready", flush=True)
while not Path(go).exists():
    time.sleep(0.001)
ledger = Ledger(Path(path), patience=Patience(seconds=600))
limit = Limit(units=1000, gaussian_units=1100, mixed_units=700, promise=(1.0, 1e-9))
ledger.open_population("p", units=limit, reason="race", protects=ProtectedChange(max_rows=1))
try:
    one = ProtectedChange(max_rows=1)
    law = GAUSSIAN if run in ("run0", "run1") else ZCDP
    ledger.open_run("p", run, units=600, label=run, law=law, protects=one)
    print("won")
except BudgetRefused as refused:
    print("lost", refused.requested, refused.left, refused.missing)
"""


def test_of_many_releases_racing_for_the_last_budget_exactly_one_wins(tmp_path: Path) -> None:
    """The processes also race to create the file and to open the budget. Two of them are Gaussian."""
    go = tmp_path / "go"
    racers = [start(RACER, tmp_path / "l.sqlite", f"run{i}", go) for i in range(5)]
    for racer in racers:
        assert racer.stdout is not None and racer.stdout.readline() == "ready\n"
    go.touch()
    said = sorted(racer.communicate(timeout=600)[0].strip() for racer in racers)
    ledger = Ledger(tmp_path / "l.sqlite")
    (winner,) = ledger.runs()
    rival = ["lost 600 500 100"] if winner.law == GAUSSIAN else []
    assert said == ["lost 600 400 200"] * (4 - len(rival)) + rival + ["won"]
    assert ledger.balance("p").reserved == 600 and len(ledger.runs()) == 1 and ledger.verify()


NEWCOMER = """
import sys, time
from pathlib import Path
from synth.core.errors import Mistake
from synth.private.ledger import Ledger, Patience
from synth.core.schema import ProtectedChange
path, run, go = sys.argv[1:]
ledger = Ledger(Path(path), patience=Patience(seconds=600))
ledger.balance("p").check_unused()
print("ready", flush=True)
while not Path(go).exists():
    time.sleep(0.001)
try:
    for _ in "twice":  # a run that is resumed is not a second one
        ledger.open_run("p", run, units=1, label=run, protects=ProtectedChange(max_rows=1), is_first=True)
    print("won")
except Mistake as mistake:
    print(mistake)
"""


def test_of_two_first_releases_of_new_people_one_is_refused(tmp_path: Path) -> None:
    """Both processes found no release of the population before either reserved its budget."""
    opened(tmp_path / "l.sqlite", 1000)
    go = tmp_path / "go"
    racers = [start(NEWCOMER, tmp_path / "l.sqlite", f"run{i}", go) for i in range(2)]
    for racer in racers:
        assert racer.stdout is not None and racer.stdout.readline() == "ready\n"
    go.touch()
    refused, won = sorted(racer.communicate(timeout=600)[0].strip() for racer in racers)
    assert won == "won" and "'p' has a release already" in refused


RESUMER = """
import os, sys
from pathlib import Path
from synth.core.errors import BudgetRefused
from synth.core.accounting import GAUSSIAN, ZCDP
from synth.private.ledger import Ask, Ledger, Patience, batch
from synth.core.schema import ProtectedChange
path, run, heard = sys.argv[1:]
batch.HELD_BYTES = 24
ledger = Ledger(Path(path), patience=Patience(seconds=600))
one = ProtectedChange(max_rows=1)
ledger.open_run("p", run, units=400_000, label=run, law=GAUSSIAN if run == "a" else ZCDP, protects=one)
size = 1 if run == "a" else 5
with open(f"{heard}/{run}.{os.getpid()}", "ab", buffering=0) as out:
    for first in range(0, 10**6, size):
        asks = [Ask(units=1000 + step % 7, query={"ask": "measure", "law": "gaussian", "step": step},
                    answer=lambda: os.urandom(8)) for step in range(first, first + size)]
        try:
            blobs = ledger.ask_all(run, part="m", step=first, asks=asks)
        except BudgetRefused:
            break
        for step, blob in enumerate(blobs, start=first):
            out.write(f"{step} {blob.hex()}\\n".encode())
"""


@pytest.mark.long
def test_killed_at_any_point_nothing_is_overspent_lost_or_answered_twice(tmp_path: Path) -> None:
    """A Gaussian run and another, which asks five at once and stores two or three of them together; two
    processes each, SIGKILL a few times a second; then both in peace."""
    path, heard = tmp_path / "l.sqlite", tmp_path / "heard"
    heard.mkdir()
    limit = Limit(units=800_000, gaussian_units=900_000, mixed_units=800_000, promise=(1.0, 1e-9))
    ledger = opened(path, limit)
    workers = [start(RESUMER, path, run, heard) for run in ("a", "b", "a", "b")]
    ends: set[int] = set()
    rng, kills, began = random.Random(), 0, time.monotonic()
    while (passed := time.monotonic() - began) < 4 or kills <= 5:
        assert passed < 600, "a loaded machine is slow, but not that slow"
        time.sleep(rng.uniform(0.0, 0.3))
        i = rng.randrange(4)
        if workers[i].poll() is None:
            workers[i].kill()
            kills += 1
        workers[i].communicate()
        ends.add(workers[i].returncode)
        workers[i] = start(RESUMER, path, "ab"[i % 2], heard)
    for worker in workers:
        worker.kill()
        worker.communicate()
        ends.add(worker.returncode)
    assert ends <= {0, -9}, "a rival may be slow, but never an error"
    assert ledger.verify()
    for run in "ab":
        resumed = start(RESUMER, path, run, heard)
        resumed.communicate(timeout=600)
        assert resumed.returncode == 0
    assert ledger.verify()
    for run in "ab":
        stated: dict[str, set[str]] = {}
        for file in heard.glob(f"{run}.*"):
            for line in file.read_text().splitlines():
                step, blob = line.split()
                stated.setdefault(step, set()).add(blob)
        stored = {str(a.step): {a.blob.hex()} for a in ledger.answers(run)}
        assert stated == stored, "every process heard the stored answer and no other"
    for entry in ledger.runs():
        assert 400_000 - 5 * 1007 < entry.spent <= entry.units
        assert entry.spent == sum(a.units for a in ledger.answers(entry.run)), (
            "no charge is left without answer"
        )
    assert ledger.balance("p").spent <= 800_000


class AnyOrder(RuleBasedStateMachine):
    """For any calls in any order, the ledger agrees with three sums that the test keeps."""

    runs = Bundle("runs")

    @initialize(units=st.integers(1, 200))
    def begin(self, units: int) -> None:
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "l.sqlite"
        self.ledger = opened(self.path, units)
        self.limit, self.reserved = units, {}
        self.spent: dict[str, dict[int, int]] = {}
        self.stated: dict[tuple[str, int], bytes] = {}
        self.closed: set[str] = set()

    def committed(self) -> int:
        return sum(
            sum(self.spent[run].values()) if run in self.closed else units
            for run, units in self.reserved.items()
        )

    @rule(more=st.integers(1, 50))
    def raise_limit(self, more: int) -> None:
        self.limit += more
        self.ledger.raise_limit("p", self.limit, "model")

    @rule(target=runs, name=st.sampled_from("abcd"), units=st.integers(1, 120))
    def open_run(self, name: str, units: int) -> str:
        fits = self.committed() + units <= self.limit
        try:
            self.ledger.open_run("p", name, units=units, label="", protects=PERSON)
        except BudgetRefused as refused:
            assert name not in self.reserved and not fits
            assert refused.left == self.limit - self.committed()
        except Refusal:
            assert self.reserved[name] != units
        else:
            assert self.reserved.get(name, units) == units and (fits or name in self.reserved)
            self.reserved.setdefault(name, units)
            self.spent.setdefault(name, {})
        return name

    @rule(
        run=runs, first=st.integers(0, 3), units=st.lists(st.integers(1, 60), max_size=3), dies=st.booleans()
    )
    def ask(self, run: str, first: int, units: list[int], dies: bool) -> None:
        def answer() -> bytes:
            if dies:
                raise ZeroDivisionError
            return os.urandom(4)

        spent = self.spent.get(run, {})
        prices = dict(enumerate(units, start=first))
        new = {step: price for step, price in prices.items() if step not in spent}
        asks = [Ask(query={}, units=price, answer=answer) for price in units]
        try:
            blobs = self.ledger.ask_all(run, part="m", step=first, asks=asks)
        except ZeroDivisionError:
            assert any((run, step) not in self.stated for step in prices) and run not in self.closed
            spent.update(new)
        except MarginaliaError:
            left = self.reserved.get(run, 0) - sum(spent.values())
            is_other = any(spent.get(step, price) != price for step, price in prices.items())
            assert run not in self.reserved or run in self.closed or sum(new.values()) > left or is_other
        else:
            for step, blob in zip(prices, blobs, strict=True):
                assert self.stated.setdefault((run, step), blob) == blob
            assert all(spent.get(step, price) == price for step, price in prices.items())
            spent.update(new)

    @rule(run=runs)
    def close_run(self, run: str) -> None:
        if run in self.reserved:
            self.ledger.close_run(run)
            self.closed.add(run)

    @rule()
    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = Ledger(self.path)
        assert self.ledger.verify()

    @invariant()
    def sums_agree(self) -> None:
        if hasattr(self, "ledger"):
            balance = self.ledger.balance("p")
            assert balance.limit == self.limit and balance.left == self.limit - self.committed() >= 0
            assert balance.spent == sum(sum(steps.values()) for steps in self.spent.values())

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            assert self.ledger.verify()
            self.ledger.close()
            self.folder.cleanup()


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=8, stateful_step_count=25, deadline=None)
