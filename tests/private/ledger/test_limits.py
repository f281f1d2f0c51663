"""Test that the reported limits of a budget agree with the database, for any history."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.accounting import GAUSSIAN, ZCDP, Law, Limit, limit_beside_lists, limit_for
from synth.core.errors import BudgetRefused, Code, Mistake, Refusal
from synth.private.ledger import Ledger
from tests.ledgers import PERSON, opened
from tests.refusals import refused

LIMIT = Limit(units=100, gaussian_units=120, mixed_units=80, promise=(1.0, 0.99e-9), delta_units=10**7)
GAUSSIAN_QUESTION = {"ask": "measure", "law": "gaussian"}
EVENT = st.tuples(
    st.sampled_from("abc"), st.sampled_from(["open", "open", "ask", "close"]), st.integers(1, 70)
)


def requested(ledger: Ledger, run: str, units: int, *, step: int = 0, law: Law = GAUSSIAN) -> None:
    query = GAUSSIAN_QUESTION if law == GAUSSIAN else {"ask": "choose"}
    ledger.ask(run, part="m", step=step, query=query, units=units, answer=lambda: b"")


@settings(max_examples=15, deadline=None)
@given(events=st.lists(st.tuples(EVENT, st.booleans()), max_size=12))
def test_what_is_left_is_what_the_database_lets_through(
    events: list[tuple[tuple[str, str, int], bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The rules exist twice, in SQL and in Python. They must agree for any history."""
    ledger = opened(tmp_path_factory.mktemp("l") / "l.sqlite", LIMIT)
    laws: dict[str, bool] = {}
    steps: dict[str, int] = {}
    for (run, what, units), is_gaussian in events:
        try:
            if what == "open" and run not in laws:
                before, law = ledger.balance("p"), GAUSSIAN if is_gaussian else ZCDP
                ledger.open_run("p", run, units=units, label="", law=law, protects=PERSON)
                laws[run] = is_gaussian
                assert units <= before.left_under(law)
            elif what == "ask" and run in laws:
                steps[run] = steps.get(run, -1) + 1
                requested(ledger, run, units, step=steps[run], law=GAUSSIAN if laws[run] else ZCDP)
            elif what == "close" and run in laws:
                ledger.close_run(run)
        except (BudgetRefused, Refusal):
            pass
        balance = ledger.balance("p")
        for kind in (True, False):
            name, left = "gaussian" if kind else None, balance.left_under(GAUSSIAN if kind else ZCDP)
            assert not fits(ledger.path, left + 1, name)
            assert left == 0 or fits(ledger.path, left, name)
        others = any(u for r, u in committed(ledger).items() if not laws[r])
        assert (balance.law == GAUSSIAN) <= (not others or not balance.committed)
    assert ledger.verify()
    ledger.close()


def fits(path: Path, units: int, law: str | None) -> bool:
    """Return whether the database accepts such a run, which is then rolled back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN")
        last = db.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        terms = [law, None, None, None, None, "person", 1, "add-or-remove-one-unit", 0]
        entry = [last[0] + 1, "run", "p", "probe", "", 0, units, 0, "", "", "", last[1], *terms, "f" * 64]
        try:
            db.execute(f"INSERT INTO entry VALUES ({', '.join('?' * len(entry))})", entry)
        except sqlite3.IntegrityError as error:
            assert "within the limit" in str(error)
            return False
        finally:
            db.execute("ROLLBACK")
        return True


def committed(ledger: Ledger) -> dict[str, int]:
    return {run.run: run.spent if run.closed else run.units for run in ledger.runs()}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return opened(tmp_path / "l.sqlite", LIMIT)


def test_a_raise_keeps_every_limit_and_its_promise(ledger: Ledger) -> None:
    with pytest.raises(Mistake, match="not above"):
        ledger.raise_limit("p", LIMIT, "nothing more")
    higher = limit_for(1.5, 1e-9)
    ledger.raise_limit("p", higher, "a second year")
    line = ledger.balance("p")
    assert line.left_under(GAUSSIAN) == higher.gaussian_units == line.limit
    ledger.raise_limit("p", higher.units + 7, "a little more, in rho")
    assert ledger.balance("p").left_under(GAUSSIAN) == higher.gaussian_units + 7
    stated = ledger.listing()[0]["limits"]
    assert [(entry["epsilon"], entry["delta"]) for entry in stated] == [
        (1.0, 1e-9),
        (1.5, 1e-9),
        (None, None),
    ]
    with pytest.raises(Mistake, match="another limit"):
        ledger.open_population("p", units=100, reason="again", protects=PERSON)
    ledger.open_population("p", units=LIMIT, reason="the same call twice is one", protects=PERSON)


def test_no_raise_promises_less_than_is_committed(tmp_path: Path) -> None:
    """Less epsilon at a larger delta is more for a line of one kind and may be less for a mixed one."""
    first = limit_for(1.0, 1e-9)
    ledger = opened(tmp_path / "l.sqlite", first)
    half = first.mixed_units // 2
    ledger.open_run("p", "a", units=half, label="", law=GAUSSIAN, protects=PERSON)
    requested(ledger, "a", half)
    ledger.open_run("p", "b", units=first.mixed_units - half, label="", protects=PERSON)
    requested(ledger, "b", first.mixed_units - half, law=ZCDP)
    lower = ledger.balance("p").raised(0.58, 1e-3)
    assert lower.units > first.units and lower.gaussian_units > first.gaussian_units
    with pytest.raises(Mistake, match="not above"):
        ledger.raise_limit("p", lower, "less epsilon, more delta")
    assert ledger.balance("p").lifetime == (1.0, 1e-9)
    ledger.raise_limit("p", ledger.balance("p").raised(0.61, 1e-3), "enough for what there may be")
    line = ledger.balance("p")
    assert line.claim(line.committed) <= line.lifetime[0] == 0.61


def test_limits_that_do_not_follow_from_their_promise_do_not_verify(tmp_path: Path) -> None:
    """All of delta to the three limits and lists on top of it is another promise, and told as one."""
    honest, greedy = limit_for(1.0, 1e-9), limit_beside_lists(1.0, 1e-9, delta_units=10**7)
    assert opened(tmp_path / "honest", honest).verify()
    names = ("gaussian_units", "units", "mixed_units")
    wrong = [replace(honest, **{name: getattr(honest, name) * 101 // 100}) for name in names]
    for number, limit in enumerate([*wrong, replace(greedy, promise=honest.promise)]):
        with refused(Code.LEDGER_BROKEN):
            opened(tmp_path / str(number), limit).verify()
