from typing import Any

import pytest

from synth.core.accounting import GAUSSIAN, ZCDP, rho_of
from synth.core.accounting.gaussian import gaussian_epsilon_from
from synth.core.accounting.zcdp import epsilon_from
from synth.core.errors import Mistake
from synth.dictionaries import load_schema
from synth.mechanisms import MECHANISMS
from synth.release.plan import Plan, check_counted, law_of
from synth.rules import parse_rules

COLUMNS: list[dict[str, Any]] = [
    {"name": "left", "kind": "integer", "min": 0, "max": 99, "bins": 10},
    {"name": "right", "kind": "integer", "min": 0, "max": 99, "bins": 10},
]


def plan(columns: list[dict[str, Any]] = COLUMNS, rules: tuple[str, ...] = (), **more: Any) -> Plan:
    schema = load_schema({"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": columns})
    requested = {"epsilon": 1.0, "delta": 1e-6, **more}
    return Plan(schema=schema, rules=parse_rules(list(rules), schema), **requested)


def test_the_price_keeps_the_promise_and_wastes_nothing() -> None:
    exact, zcdp = plan(method="aim"), plan(method="aim", reserved=ZCDP)
    assert exact.law == plan().law == GAUSSIAN and zcdp.law == ZCDP
    assert 0.998 < gaussian_epsilon_from(rho_of(exact.units), 1e-6) <= 1.0
    assert 0.999 < epsilon_from(rho_of(zcdp.units), 1e-6) <= 1.0
    assert zcdp.units < exact.units


@pytest.mark.parametrize(
    "column",
    [
        {"name": "job", "kind": "category", "buy": True},
        {"name": "pay", "kind": "decimal", "min": 0, "max": 9, "binning": "privtree"},
        {"name": "pay", "kind": "decimal", "buy": True, "bins": 8},
        {"name": "job", "kind": "category", "values": ["a", "b"], "merge_rare": True},
    ],
)
def test_no_estimated_domain_needs_another_accounting_rule(column: dict[str, object]) -> None:
    assert plan([*COLUMNS, column]).law == GAUSSIAN


def test_bought_lists_take_their_part_of_delta_out_of_the_price() -> None:
    estimated = plan([*COLUMNS, {"name": "job", "kind": "category", "buy": True}])
    assert estimated.delta_of_lists == 1e-13 and plan().delta_of_lists == 0
    assert estimated.units == plan().units, "every price leaves this part of delta out"
    assert gaussian_epsilon_from(rho_of(estimated.units), 1e-6 - estimated.delta_of_lists) <= 1.0
    assert 0 < estimated.preprocess_units < estimated.units and plan().preprocess_units == 0


def test_a_target_is_one_of_the_columns_that_are_synthesised() -> None:
    dropped = {"name": "id", "kind": "drop"}
    assert plan(method="blend", options={"target": "left"}).mechanism().target == "left"  # type: ignore[attr-defined]
    for name in ("id", "lift"):
        with pytest.raises(Mistake, match=rf"Target \(target\) is '{name}'.*left, right"):
            plan([*COLUMNS, dropped], method="blend", options={"target": name})


def test_a_column_that_a_rule_compares_cannot_grow_a_tree() -> None:
    tree = [{**COLUMNS[0], "binning": "privtree", "bins": None}, COLUMNS[1]]
    with pytest.raises(Mistake, match=r"'left'.*uniform bins"):
        plan(tree, ("left is at most right",))


def test_only_training_has_another_accounting_rule() -> None:
    schema = plan().schema
    kinds = {name: law_of(schema, name) == GAUSSIAN for name in ("grove", "aim", "magic", "ctgan", "tabddpm")}
    assert kinds == {"grove": True, "aim": True, "magic": True, "ctgan": False, "tabddpm": False}


def test_a_delta_too_small_for_lists_is_refused_before_anything_is_charged() -> None:
    with pytest.raises(Mistake, match="Delta 1e-15 is too small to estimate the values of"):
        plan([*COLUMNS, {"name": "job", "kind": "category", "buy": True}], delta=1e-15)


SHARE = "the share of records where left is below {} should be as in the table"


def test_every_share_that_is_bought_has_its_part_of_the_price() -> None:
    two = plan(
        rules=(
            SHARE.format(33),
            SHARE.format(5),
            "the share of records where right is 3 should be hidden as 1%",
        )
    )
    assert two.rules.measured_shares == 2 and two.shares_units == 2 * int(0.01 * two.units)
    assert plan().shares_units == 0 and two.law == GAUSSIAN


def test_more_shares_than_leave_the_method_a_tenth_are_refused() -> None:
    plan(rules=tuple(SHARE.format(n) for n in range(1, 10)), shares_part=0.1)
    with pytest.raises(Mistake, match="10 target proportions"):
        plan(rules=tuple(SHARE.format(n) for n in range(1, 11)), shares_part=0.1)


def test_means_have_their_part_of_the_price_and_are_checked_before_it_is_reserved() -> None:
    requested = plan(means=("left ~ right", "right"), means_share=0.3)
    assert requested.means_units == int(0.3 * requested.units) and plan().means_units == 0
    with pytest.raises(Mistake, match="'middle', which is not a column"):
        plan(means=("left ~ middle",))
    with pytest.raises(Mistake, match="whose values are to be estimated"):
        plan([*COLUMNS, {"name": "job", "kind": "category", "buy": True}], means=("left by job",))
    with pytest.raises(Mistake, match="leave the method less than"):
        plan(means=("left",), means_share=0.5, verdict=0.4, rules=(SHARE.format(1),))
    with pytest.raises(Mistake, match=r"'left ~ right' needs the values.*export the table as Parquet"):
        check_counted(plan().schema, MECHANISMS["aim"](), ("left ~ right",))


@pytest.mark.parametrize("method", ["merf", "tabpe", "ballot", "tabddpm"])
def test_a_database_is_asked_for_counts_and_by_no_method_for_rows(method: str) -> None:
    check_counted(plan().schema, MECHANISMS["aim"]())
    with pytest.raises(Mistake, match=r"only counts.*export the table as Parquet"):
        check_counted(plan().schema, MECHANISMS[method]())


def test_of_a_database_nothing_is_bought_that_needs_its_cells() -> None:
    merged = {"name": "job", "kind": "category", "values": ["a", "b"], "merge_rare": True}
    tree = {"name": "pay", "kind": "decimal", "min": 0, "max": 9, "binning": "privtree"}
    check_counted(plan([merged, tree]).schema, MECHANISMS["aim"]())
    for column in (
        {"name": "job", "kind": "category", "buy": True},
        {"name": "pay", "kind": "decimal", "buy": True, "bins": 8},
    ):
        with pytest.raises(Mistake, match=f"The values of '{column['name']}' are to be estimated"):
            check_counted(plan([column]).schema, MECHANISMS["aim"]())
