"""Test the rules of the database with invalid statements, which bypass the checks in Python."""

import json
import math
import random
import sqlite3
from collections import Counter
from contextlib import suppress
from itertools import product
from typing import Any

import pytest

from synth.core.accounting import GAUSSIAN, SAMPLED
from synth.core.accounting.guarantee import rho_of
from synth.core.accounting.sampled import order_for
from synth.core.schema import Neighbours, ProtectedChange
from synth.private.ledger.guarantees import as_columns
from synth.private.ledger.rules import CHANGE, LARGEST, LAW_TABLES, STATEMENTS, _logarithm, laws_in, sums_hold


class Chain:
    """Write entries directly. By default, they are linked correctly."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        for statement in STATEMENTS:
            self.db.execute(statement)

    def add(self, kind: str, *, verb: str = "INSERT", **values: Any) -> None:
        seq, last = self.db.execute("SELECT count(*), coalesce(max(hash), '') FROM entry").fetchone()
        run = "" if kind in ("population", "raise") else "r"
        names = {"kind": kind, "population": "p", "run": run, "part": "m", "text": "why"}
        names |= {"digest": "", "at": "", "previous": last, "hash": f"{seq + 1:064d}"}
        numbers = {"seq": seq + 1, "step": 0, "units": 0, "delta_units": 0}
        entry = names | numbers | values
        columns, places = ", ".join(entry), ", ".join("?" * len(entry))
        self.db.execute(f"{verb} INTO entry ({columns}) VALUES ({places})", list(entry.values()))

    def refuses(self, rule: str, kind: str, **values: Any) -> None:
        with pytest.raises(sqlite3.IntegrityError, match=rule):
            self.add(kind, **values)

    def count(self) -> int:
        return int(self.db.execute("SELECT count(*) FROM entry").fetchone()[0])


@pytest.fixture
def chain() -> Chain:
    """A budget of 100, a run of 60 with delta 7, and a charge of 50 at step 0."""
    chain = Chain()
    chain.add("population", units=100, delta_units=9)
    chain.add("run", units=60, delta_units=7)
    chain.add("charge", units=50)
    return chain


PROMISE = {"gaussian_units": 120, "mixed_units": 80, "epsilon": 1.0, "delta": 1e-9}
REQUESTED = '{"ask":"measure","law":"gaussian"}'

FORBIDDEN: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "within the reservation": [
        ("charge", {"step": 1, "units": 11}),
        ("charge", {"step": 1, "units": 1, "delta_units": 8}),
        ("charge", {"step": 1, "units": LARGEST}),
    ],
    "within the limit": [
        ("run", {"run": "s", "units": 41}),
        ("run", {"run": "s", "units": 1, "delta_units": 3}),
        ("run", {"run": "s", "units": LARGEST}),
    ],
    "one reservation for a run": [("run", {"units": 1})],
    "one charge for a question": [("charge", {"units": 1})],
    "no question for nothing": [("charge", {"step": 1}), ("charge", {"step": 1, "delta_units": 1})],
    "a reservation before a question": [("close", {"run": "unknown"})],
    "a reservation before a question|within the reservation": [("charge", {"run": "unknown", "units": 1})],
    "a reservation before a question|a line before anything": [
        ("charge", {"population": "q", "step": 1, "units": 1})
    ],
    "a charge before an answer": [("answer", {"step": 1}), ("answer", {"part": "other"})],
    "answers are paid already": [("answer", {"units": 1})],
    "a close frees the rest": [
        ("close", {"units": 60, "delta_units": 7}),
        ("close", {"units": 11, "delta_units": 7}),
        ("close", {"units": 9, "delta_units": 7}),
        ("close", {"units": 10, "delta_units": 8}),
    ],
    "one line for a population": [("population", {"units": 1000})],
    "a line before anything else": [
        ("run", {"population": "q", "run": "s"}),
        ("raise", {"population": "q", "units": 1}),
    ],
    "limits have reasons": [
        ("raise", {"units": 1, "text": ""}),
        ("population", {"population": "q", "units": 1, "text": ""}),
    ],
    "limits have a limit": [
        ("raise", {"units": LARGEST}),
        ("raise", {"delta_units": LARGEST}),
        ("raise", {"units": 1, **PROMISE, "gaussian_units": LARGEST}),
    ],
    "the Gaussian limit is the largest": [
        ("population", {"population": "q", "units": 121, **PROMISE}),
        ("population", {"population": "q", "units": 79, **PROMISE}),
        ("population", {"population": "q", "units": 100, **PROMISE, "mixed_units": 0}),
    ],
    "lists only where the law allows them": [
        ("run", {"run": "s", "units": 1, "law": "sampled", "delta_units": 1})
    ],
    "a run under a known law": [
        ("run", {"run": "s", "units": 1, "law": "laplace"}),
        ("run", {"run": "s", "units": 1, "law": "mixed"}),
    ],
    "a close is under the law of its run": [("close", {"units": 10, "delta_units": 7, "law": "gaussian"})],
    "in order": [
        ("charge", {"step": 1, "units": 1, "seq": 9}),
        ("charge", {"step": 1, "units": 1, "seq": 3}),
    ],
    "in one chain": [("charge", {"step": 1, "units": 1, "previous": "0" * 64})],
    "CHECK": [
        ("charge", {"step": 1, "units": -1}),
        ("charge", {"step": -1, "units": 1}),
        ("charge", {"step": 1, "units": 3, "delta_units": -1}),
        ("charge", {"step": 1, "units": 1, "law": "gaussian"}),
        ("run", {"run": "s", "units": 1, "law": "zcdp"}),
        ("run", {"run": "s", "units": 1, **PROMISE}),
        ("raise", {"units": 1, "gaussian_units": 1}),
        ("raise", {"units": 1, **PROMISE, "delta": 1.0}),
        ("raise", {"units": 1, **PROMISE, "gaussian_units": -1}),
        ("raise", {"units": -1}),
        ("raise", {"units": 1, "run": "r"}),
        ("refund", {"units": 1}),
    ],
    "NOT NULL": [("charge", {"step": 1, "units": None}), ("charge", {"step": None, "units": 1})],
    "cannot store": [("charge", {"step": 1, "units": 0.5}), ("charge", {"step": 1, "units": "lots"})],
}


@pytest.mark.parametrize("verb", ["INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE"])
@pytest.mark.parametrize(
    ("rule", "kind", "values"),
    [(rule, kind, values) for rule, cases in FORBIDDEN.items() for kind, values in cases],
    ids=str,
)
def test_the_database_refuses(chain: Chain, rule: str, kind: str, values: dict[str, Any], verb: str) -> None:
    before = chain.db.execute("SELECT * FROM entry").fetchall()
    if verb == "INSERT":
        chain.refuses(rule, kind, **values)
    else:
        with suppress(sqlite3.IntegrityError):
            chain.add(kind, verb=verb, **values)
    assert chain.db.execute("SELECT * FROM entry").fetchall() == before


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("charge", {"step": 1, "units": 10, "delta_units": 7}),
        ("charge", {"part": "other", "units": 1, "delta_units": 7}),
        ("run", {"run": "s", "units": 40, "delta_units": 2}),
        ("close", {"units": 10, "delta_units": 7}),
        ("raise", {"units": 1}),
        ("answer", {}),
        ("population", {"population": "q", "units": LARGEST}),
    ],
)
def test_the_database_allows_what_just_fits(chain: Chain, kind: str, values: dict[str, Any]) -> None:
    chain.add(kind, **values)
    assert chain.count() == 4


def test_a_close_ends_a_run_and_frees_only_what_was_not_charged(chain: Chain) -> None:
    chain.add("close", units=10, delta_units=7)
    for kind, values in (
        ("charge", {"step": 1, "units": 1}),
        ("answer", {}),
        ("close", {"units": 10, "delta_units": 7}),
    ):
        chain.refuses("nothing after the close", kind, **values)
    chain.refuses("within the limit", "run", run="s", units=51)
    chain.add("run", run="s", units=50)


def test_a_raise_makes_room(chain: Chain) -> None:
    chain.add("raise", units=25)
    chain.refuses("within the limit", "run", run="s", units=66)
    chain.add("run", run="s", units=65)


def test_another_population_has_its_own_line(chain: Chain) -> None:
    chain.add("population", population="q", units=5)
    chain.refuses("within the limit", "run", population="q", run="s", units=6)
    chain.refuses("a reservation before a question", "charge", population="q", run="r", step=1, units=1)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET units = 1 WHERE kind = 'charge'",
        "UPDATE entry SET units = 1000 WHERE kind = 'population'",
        "DELETE FROM entry WHERE kind = 'charge'",
        "DELETE FROM entry",
        "UPDATE answer SET blob = x'00'",
        "DELETE FROM answer",
    ],
)
def test_nothing_is_ever_changed_or_removed(chain: Chain, statement: str) -> None:
    chain.add("answer")
    chain.db.execute("INSERT INTO answer VALUES (4, x'2a')")
    with pytest.raises(sqlite3.IntegrityError, match=r"^no (update|delete)"):
        chain.db.execute(statement)


def test_no_new_entry_takes_the_place_of_an_old_one_or_of_the_key(chain: Chain) -> None:
    """REPLACE deletes rows without the rules for deletion, unless SQLite is configured to apply them."""
    chain.refuses("every hash once", "raise", verb="INSERT OR REPLACE", hash=f"{3:064d}")
    assert chain.count() == 3
    chain.db.execute("INSERT INTO secret VALUES (1, zeroblob(32))")
    with pytest.raises(sqlite3.IntegrityError, match="one key for good"):
        chain.db.execute("INSERT OR REPLACE INTO secret VALUES (1, zeroblob(32))")


def test_bytes_belong_to_an_answer_and_are_written_once(chain: Chain) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="answers belong to entries"):
        chain.db.execute("INSERT INTO answer VALUES (3, x'2a')")
    chain.add("answer")
    chain.db.execute("INSERT INTO answer VALUES (4, x'2a')")
    for verb in ("INSERT", "INSERT OR REPLACE"):
        with pytest.raises(sqlite3.IntegrityError, match="answers belong to entries"):
            chain.db.execute(f"{verb} INTO answer VALUES (4, x'2b')")
    chain.refuses("one answer for a question", "answer")


@pytest.fixture
def line() -> Chain:
    """A budget of 100, with 120 while all queries are Gaussian and 80 once they are mixed."""
    chain = Chain()
    chain.add("population", units=100, **PROMISE)
    return chain


def gaussian(run: str, units: int, *charges: int) -> list[tuple[str, dict[str, Any]]]:
    requested = [
        ("charge", {"run": run, "units": u, "step": step, "text": REQUESTED})
        for step, u in enumerate(charges)
    ]
    return [("run", {"run": run, "units": units, "law": "gaussian"}), *requested]


def other(run: str, units: int, *charges: int) -> list[tuple[str, dict[str, Any]]]:
    requested = [("charge", {"run": run, "units": u, "step": step}) for step, u in enumerate(charges)]
    return [("run", {"run": run, "units": units}), *requested]


def closed(run: str, units: int, law: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    return [("close", {"run": run, "units": units, "law": law})]


HISTORIES = {
    "nothing yet, Gaussian": ([], True, 120),
    "nothing yet, other": ([], False, 100),
    "all Gaussian": (gaussian("a", 50, 50), True, 70),
    "Gaussian first, then another": (gaussian("a", 50, 50), False, 30),
    "Gaussian beyond the mixed limit": (gaussian("a", 90, 90), False, 0),
    "other first": (other("a", 50, 50), True, 50),
    "other only": (other("a", 50, 50), False, 50),
    "mixed, Gaussian again": (gaussian("a", 20, 20) + other("b", 20, 20), True, 40),
    "mixed, another again": (gaussian("a", 20, 20) + other("b", 20, 20), False, 40),
    "reserved together before any question": (gaussian("a", 20) + other("b", 20), True, 60),
    "reserved together, Gaussian asks first": (gaussian("a", 20) + other("b", 20), False, 60),
    "the other was there at the first question and left": (
        other("b", 60) + gaussian("a", 40, 10) + closed("b", 60),
        True,
        60,
    ),
    "the other left before the first question": (
        other("b", 60) + closed("b", 60) + gaussian("a", 40, 10),
        True,
        80,
    ),
    "the other came late and left unasked": (
        gaussian("a", 40, 10) + other("b", 40) + closed("b", 40),
        True,
        80,
    ),
    "the other came late and stays": (gaussian("a", 40, 10) + other("b", 30), True, 10),
    "a Gaussian run that left": (gaussian("a", 120) + closed("a", 120, "gaussian"), False, 100),
}


@pytest.mark.parametrize(("history", "is_gaussian", "left"), HISTORIES.values(), ids=HISTORIES)
def test_a_mixed_line_has_the_limit_of_its_history(
    line: Chain, history: list[tuple[str, dict[str, Any]]], is_gaussian: bool, left: int
) -> None:
    for kind, values in history:
        line.add(kind, **values)
    law = "gaussian" if is_gaussian else None
    line.refuses("within the limit", "run", run="next", units=left + 1, law=law)
    if left:
        line.add("run", run="next", units=left, law=law)


@pytest.mark.parametrize(
    "text",
    [
        '{"ask":"measure"}',
        '{"ask":"choose"}',
        '{"ask":"train","law":"gaussian","most":1000000}',
        '{"ask":"measure","law":"discrete"}',
        '{"law":"gaussian"}',
        "[]",
        "not json",
    ],
)
def test_a_gaussian_run_is_never_charged_for_anything_else(line: Chain, text: str) -> None:
    for kind, values in gaussian("a", 20):
        line.add(kind, **values)
    with pytest.raises(sqlite3.DatabaseError, match=r"asks what its law allows|malformed|training is priced"):
        line.add("charge", run="a", units=1, text=text)
    line.refuses("within the reservation", "charge", run="a", units=1, delta_units=1, text=REQUESTED)
    line.add("charge", run="a", units=1, text=REQUESTED)


def test_a_gaussian_run_closes_as_one(line: Chain) -> None:
    for kind, values in gaussian("a", 20, 5):
        line.add(kind, **values)
    line.refuses("under the law of its run", "close", run="a", units=15)
    line.add("close", run="a", units=15, law="gaussian")


def test_a_line_without_a_promise_has_one_limit_for_all(chain: Chain) -> None:
    chain.refuses("within the limit", "run", run="s", units=41, law="gaussian")
    chain.add("run", run="s", units=40, law="gaussian")


def test_a_raise_with_a_promise_makes_room_for_each_kind(line: Chain) -> None:
    line.add("raise", units=10, **PROMISE | {"gaussian_units": 20, "mixed_units": -5})
    line.refuses("within the limit", "run", run="a", units=141, law="gaussian")
    line.add("run", run="a", units=30, law="gaussian")
    line.add("charge", run="a", units=30, text=REQUESTED)
    line.refuses("within the limit", "run", run="b", units=46)
    line.add("run", run="b", units=45)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO law VALUES ('laplace', 'gaussian_units')",
        "INSERT OR REPLACE INTO law VALUES ('gaussian', 'units')",
        "INSERT INTO law_ask VALUES ('gaussian', 'choose')",
        "INSERT OR IGNORE INTO law_ask VALUES ('gaussian', 'values')",
        "UPDATE law SET own_limit = 'gaussian_units'",
        "UPDATE law_ask SET ask = 'choose' WHERE ask = 'score'",
        "DELETE FROM law WHERE name = 'zcdp'",
        "DELETE FROM law_ask",
    ],
)
def test_nobody_changes_what_a_law_allows(chain: Chain, statement: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=r"no (insert|update|delete) of law"):
        chain.db.execute(statement)
    assert laws_in(chain.db) == LAW_TABLES


def test_the_tables_of_laws_say_what_the_registry_does(chain: Chain) -> None:
    assert chain.db.execute("SELECT * FROM law ORDER BY name").fetchall() == [
        ("gaussian", "gaussian_units"),
        ("sampled", "units"),
        ("zcdp", "units"),
    ]
    asks = [ask for (ask,) in chain.db.execute("SELECT ask FROM law_ask WHERE law = 'gaussian' ORDER BY ask")]
    assert asks == [
        "choose",
        "embedding",
        "hits",
        "interaction",
        "logistic",
        "magnitudes",
        "mean_score",
        "measure",
        "moments",
        "score",
        "sides",
        "tree",
        "values",
        "votes",
    ]
    asks = [ask for (ask,) in chain.db.execute("SELECT ask FROM law_ask WHERE law = 'sampled' ORDER BY ask")]
    assert asks == [
        "hits",
        "interaction",
        "logistic",
        "magnitudes",
        "mean_score",
        "measure",
        "moments",
        "score",
        "train",
    ]


def spent(chain: Chain) -> dict[str, tuple[int, int]]:
    return {run: (units, delta) for run, _, units, delta in chain.db.execute("SELECT * FROM spent")}


def charged(chain: Chain) -> dict[str, tuple[int, int]]:
    """Return the same, from the entries only."""
    sums: dict[str, tuple[int, int]] = {}
    rows = chain.db.execute("SELECT kind, run, units, delta_units FROM entry ORDER BY seq")
    for kind, run, units, delta in rows:
        if kind in ("run", "charge"):
            before = sums.get(run, (0, 0))
            sums[run] = (before[0] + units, before[1] + delta) if kind == "charge" else (0, 0)
    return sums


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE spent SET units = 0",
        "UPDATE spent SET units = units + 1",
        "UPDATE spent SET units = units - 50, seq = seq + 1",
        "UPDATE spent SET seq = seq",
        "UPDATE spent SET seq = 2, units = 0",
        "UPDATE spent SET seq = 3, units = units + 50",
        "UPDATE spent SET seq = seq + 1",
        "UPDATE spent SET delta_units = 7",
        "UPDATE spent SET run = 'other'",
        "UPDATE OR REPLACE spent SET units = 0",
        "DELETE FROM spent",
        "INSERT INTO spent VALUES ('s', 2, 0, 0)",
        "INSERT INTO spent VALUES ('r', 2, 0, 0)",
        "INSERT OR REPLACE INTO spent VALUES ('r', 2, 0, 0)",
        "INSERT INTO spent VALUES ('r', 2, 0, 0) ON CONFLICT (run) DO UPDATE SET units = 0",
        "INSERT INTO spent VALUES ('s', 3, -50, 0)",
    ],
)
def test_nobody_changes_what_a_run_has_spent(chain: Chain, statement: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=r"sums (begin|follow)|no delete of spent"):
        chain.db.execute(statement)
    assert spent(chain) == {"r": (50, 0)} and sums_hold(chain.db)
    chain.refuses("within the reservation", "charge", step=1, units=11)


@pytest.mark.parametrize("verb", ["INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE", "INSERT OR FAIL"])
def test_sums_follow_the_charges_whatever_is_tried(verb: str) -> None:
    """Two runs, charges that fit and charges that do not, closes, and changes that are taken back."""
    rng, most = random.Random(3), 0
    for _ in range(40):
        chain = Chain()
        chain.add("population", units=200, delta_units=50)
        for run in ("r", "s"):
            chain.add("run", run=run, units=100, delta_units=20)
        for step in range(30):
            run, price = rng.choice("rst"), {"units": rng.randrange(25), "delta_units": rng.randrange(6)}
            chain.db.execute("BEGIN")
            with suppress(sqlite3.IntegrityError):
                chain.add("charge", verb=verb, run=run, step=step, **price)
            if rng.random() < 0.05:
                left = [r - s for r, s in zip((100, 20), spent(chain).get(run, (0, 0)), strict=True)]
                with suppress(sqlite3.IntegrityError):
                    chain.add("close", verb=verb, run=run, units=left[0], delta_units=left[1])
            chain.db.execute(rng.choice(["COMMIT", "COMMIT", "ROLLBACK"]))
        assert spent(chain) == charged(chain) and sums_hold(chain.db)
        assert all(units <= 100 and delta <= 20 for units, delta in charged(chain).values())
        most = max(most, *(units for units, _ in charged(chain).values()))
    assert most > 90


def test_a_charge_that_is_not_added_up_is_not_written(chain: Chain) -> None:
    """As if somebody's ON CONFLICT clause had passed over the sum: here its row is gone."""
    for rule in ("no delete of spent", "the sum holds the charge before"):
        chain.db.execute(f'DROP TRIGGER "{rule}"')
    chain.db.execute("DELETE FROM spent")
    assert not sums_hold(chain.db)
    chain.refuses("every charge is in the sum", "charge", step=1, units=1)
    assert chain.count() == 3


def test_no_charge_and_no_close_follows_a_charge_that_is_not_in_the_sum(chain: Chain) -> None:
    """A writer's own trigger may pass over ours for the charge that it is about."""
    passing = "CREATE TEMP TRIGGER passing AFTER INSERT ON entry WHEN NEW.kind = 'charge'"
    chain.db.execute(f"{passing} BEGIN SELECT RAISE(IGNORE); END")
    chain.add("charge", step=1, units=9)
    assert not sums_hold(chain.db)
    for kind, values in (("charge", {"step": 2, "units": 9}), ("close", {"units": 10, "delta_units": 7})):
        chain.refuses("the sum holds the charge before", kind, **values)


@pytest.mark.parametrize(
    "change", ["units = units - 1", "delta_units = 1", "seq = 2", "seq = 4", "run = 's'"]
)
def test_sums_that_were_changed_without_the_rules_do_not_hold(chain: Chain, change: str) -> None:
    assert sums_hold(chain.db)
    chain.db.execute('DROP TRIGGER "sums follow the charges"')
    chain.db.execute(f"UPDATE spent SET {change}")
    assert not sums_hold(chain.db)


def trained(most: object, **more: object) -> str:
    return json.dumps({"ask": "train", "most": most, **more})


@pytest.mark.parametrize("law", [None, "gaussian"])
@pytest.mark.parametrize("text", [trained(10**9), trained(10**9, law="sampled")])
def test_no_run_trains_but_one_under_the_law_that_names_it(chain: Chain, law: str | None, text: str) -> None:
    chain.add("run", run="s", units=20, law=law)
    chain.refuses(
        r"only a law that names them|asks what its law allows", "charge", run="s", units=1, text=text
    )
    assert spent(chain)["s"] == (0, 0)


def sampled_run() -> Chain:
    chain = Chain()
    chain.add("population", units=10**12)
    chain.add("run", units=10**12, law=SAMPLED.written)
    return chain


@pytest.mark.parametrize("units", [1, 10**3, 10**6, 10**8, 3 * 10**9, 10**11])
def test_training_is_charged_only_at_an_order_that_its_price_covers(units: int) -> None:
    """As `Sampled.covers`, also for what comes on top of earlier charges."""
    for before in (0, 1, units, 7 * units):
        chain = sampled_run()
        if before:
            chain.add("charge", units=before, text='{"ask":"measure","law":"sampled"}')
        enough = math.ceil(order_for(rho_of(before + units)))
        assert not SAMPLED.covers({"ask": "train", "most": enough - 1}, before + units)
        chain.refuses(
            "the order at which it is read",
            "charge",
            step=1,
            units=units,
            text=trained(enough - 1, law="sampled"),
        )
        chain.add("charge", step=1, units=units, text=trained(enough, law="sampled"))


@pytest.mark.parametrize("most", [1, 0, -(10**9), 1e9, "1000000000", None, True, [10**9]])
def test_training_up_to_no_order_is_not_charged(most: object) -> None:
    chain = sampled_run()
    chain.refuses("the order at which it is read", "charge", units=10**11, text=trained(most, law="sampled"))


def test_a_gaussian_question_needs_no_order() -> None:
    assert GAUSSIAN.covers({"ask": "measure"}, 1)
    sampled_run().add("charge", units=1, text='{"ask":"measure","law":"sampled"}')


def test_the_logarithm_in_the_rules_is_that_of_the_law() -> None:
    rng, db = random.Random(1), sqlite3.connect(":memory:")
    for number in [
        1,
        2,
        3,
        4,
        7,
        8,
        2**61,
        *(rng.randrange(1, 2 ** rng.randrange(2, 62)) for _ in range(200)),
    ]:
        (value,) = db.execute(f"SELECT {_logarithm(str(number))}").fetchone()
        assert value == pytest.approx(math.log(number), rel=1e-13, abs=1e-13)


def test_the_database_accepts_a_run_exactly_where_its_budget_covers_the_change() -> None:
    """For all pairs of a budget and a run: the rule in SQL is `ProtectedChange.covers`."""
    changes = [
        ProtectedChange(unit=unit, max_rows=rows, neighbours=relation, is_capped=is_capped)
        for unit, rows, relation, is_capped in product(
            ("person", "home"), (1, 2, 3), Neighbours, (False, True)
        )
    ]
    decided = Counter[bool]()
    for line in changes:
        chain = Chain()
        chain.add("population", units=100, **dict(zip(CHANGE, as_columns(line), strict=True)))
        for number, change in enumerate(changes):
            values = {"run": str(number), "units": 1, **dict(zip(CHANGE, as_columns(change), strict=True))}
            decided[line.covers(change)] += 1
            if line.covers(change):
                chain.add("run", **values)
            else:
                chain.refuses("a run is within what its line protects", "run", **values)
    assert min(decided.values()) > 20
