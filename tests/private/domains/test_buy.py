"""Test that the open domains of a schema are estimated through a real session and ledger."""

from bisect import bisect_left
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from synth.core.accounting import UNITS_PER_DELTA
from synth.core.discretisation import resolve_axes
from synth.core.errors import BudgetRefused
from synth.core.schema import Binning, Column, Kind, Outside, Provenance, Schema, Unit
from synth.private.account import Account
from synth.private.domains.buy import buy_domains, buy_groupings
from synth.private.entropy import Rehearsal
from synth.private.ledger import Ledger
from synth.private.session import PrivateSession
from synth.private.table import PrivateTable
from synth.rules import parse_rules
from tests.ledgers import opened
from tests.private.queries.tables import tail

TOWNS = tuple(f"town{i}" for i in range(30))
COLUMNS = (
    Column(name="job", kind=Kind.CATEGORY, buy=True),
    Column(name="age", kind=Kind.INTEGER, buy=True, binning=Binning.PRIVTREE),
    Column(name="pay", kind=Kind.DECIMAL, min=0, max=100, binning=Binning.PRIVTREE),
    Column(name="town", kind=Kind.CATEGORY, values=TOWNS, merge_rare=True),
    Column(name="sex", kind=Kind.CATEGORY, values=("f", "m")),
)
SCHEMA = Schema(name="t", population="p", unit=Unit(max_rows=2), columns=COLUMNS)
UNITS = 10**12
DELTA = UNITS_PER_DELTA // 10**6


def table(rows: int = 8000) -> PrivateTable:
    rng = np.random.default_rng(1)
    texts = {
        "job": [*("baker", "nurse") * (rows // 2 - 1), "spy-1", "spy-2"],
        "age": [str(a) for a in rng.integers(18, 60, rows)],
        "pay": [f"{v:.2f}" for v in rng.exponential(3, rows)],
        "town": [TOWNS[min(int(t), 29)] for t in rng.exponential(1.5, rows)],
        "sex": ["f", "m"] * (rows // 2),
    }
    return PrivateTable.of(texts, SCHEMA)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return opened(tmp_path / "ledger.sqlite", 10 * UNITS, run=2 * UNITS, delta=DELTA, run_delta=DELTA)


def session(ledger: Ledger, seed: int = 1) -> tuple[PrivateSession, Account]:
    made = PrivateSession(table(), SCHEMA, ledger, "r", entropy=Rehearsal(seed))
    return made, made.account("preprocess", UNITS)


def test_everything_is_bought_within_the_account_and_replayed_for_free(ledger: Ledger) -> None:
    rules = parse_rules(["if age is 0 to 30 then pay is 0 to 50"], SCHEMA)
    outcomes = []
    for seed in (1, 2):
        made, account = session(ledger, seed)
        estimated = buy_domains(made, SCHEMA, account, delta_units=DELTA)
        axes = resolve_axes(estimated, rules)
        groupings = buy_groupings(made, axes, account, schema=estimated, rules=rules)
        assert account.spent == UNITS
        assert ledger.balance("p").spent == UNITS
        outcomes.append((estimated, axes, groupings))
    assert outcomes[0] == outcomes[1]
    estimated, axes, groupings = outcomes[0]
    job, age = estimated.columns[:2]
    assert (job.values, job.outside_rule) == (("baker", "nurse"), Outside.OTHER)
    assert (age.min, age.max, age.provenance) == (16, 63, Provenance.ESTIMATED)
    assert estimated.columns[2:] == COLUMNS[2:]
    assert [g.column for g in groupings] == ["age", "pay", "town"]
    sizes = {g.column: g.size for g in groupings}
    assert 3 < sizes["pay"] < 200
    assert 3 < sizes["town"] < 15
    pay = axes[2]
    at_50 = bisect_left(pay.edges, 50.0)
    group_of = groupings[1].group_of
    assert group_of[at_50 - 1] != group_of[at_50]


def test_prices_are_even_shares_of_the_account(ledger: Ledger) -> None:
    made, account = session(ledger)
    buy_domains(made, SCHEMA, account, delta_units=DELTA)
    assert account.spent == 2 * (UNITS // 5)
    assert [e.units for e in ledger.answers("r")] == [UNITS // 5] * 2


def test_delta_is_shared_by_the_lists_and_written_down(ledger: Ledger) -> None:
    made, account = session(ledger)
    buy_domains(made, SCHEMA, account, delta_units=DELTA)
    query = next(e.query for e in ledger.answers("r") if e.query["ask"] == "values")
    assert query["delta"] == 1e-6
    assert query["rows"] == 2
    assert query["l2_squared"] == 4


@pytest.mark.parametrize("lists", [1, 2, 3])
def test_thresholds_of_all_lists_together_keep_to_the_delta_of_the_run(ledger: Ledger, lists: int) -> None:
    """What a unit alone with its texts can make appear, from the queries as they were asked; each list must
    keep to what it was charged, and all of them to what was reserved."""
    names = [f"job{i}" for i in range(lists)]
    columns = tuple(Column(name=name, kind=Kind.CATEGORY, buy=True) for name in names)
    schema = Schema(name="t", population="p", unit=Unit(max_rows=2), columns=columns)
    texts = dict.fromkeys(names, ["baker", "nurse"] * 4000)
    made = PrivateSession(PrivateTable.of(texts, schema), schema, ledger, "r")
    buy_domains(made, schema, made.account("preprocess", UNITS // 1000), delta_units=DELTA)
    requested = ledger.answers("r")
    assert [answer.query["clique"] for answer in requested] == [[name] for name in names]
    appears = []
    for answer in requested:
        variance = Fraction(4 * 10**12, 2 * answer.units)
        alone = (tail(variance, answer.query["threshold"] - rows) for rows in (1, 2))
        appears.append(max(1 - (1 - chance) ** texts for chance, texts in zip(alone, (2, 1), strict=True)))
        assert appears[-1] <= answer.delta_units / UNITS_PER_DELTA
    assert DELTA / 3 < sum(appears) * UNITS_PER_DELTA <= DELTA
    assert sum(answer.delta_units for answer in requested) <= DELTA


def test_nothing_is_asked_beyond_the_account(ledger: Ledger) -> None:
    made, account = session(ledger)
    account.spent = account.units - 3
    with pytest.raises(BudgetRefused):
        buy_domains(made, SCHEMA, account, delta_units=DELTA)
    assert ledger.balance("p").spent == 0


def test_what_a_rule_is_about_does_not_merge(ledger: Ledger) -> None:
    schema = Schema(name="t", population="p", unit=Unit(max_rows=2), columns=COLUMNS[3:])
    rules = parse_rules(["if sex is f then town is not town29"], schema)
    made, account = session(ledger)
    axes = resolve_axes(schema, rules)
    assert buy_groupings(made, axes, account, schema=schema, rules=rules) == ()
