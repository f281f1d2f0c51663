"""What can be said of a run before it is started."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from synth.axis import domain_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.aim import AIM
from synth.mechanisms.base import Occasion
from synth.mechanisms.independent import Independent
from synth.project import declared
from synth.project.declared import Declared
from synth.project.outlook import PATIENCE, Advice, Matter, advise, size_of

TABLE = declared.read(declared.demo())


def test_rules_and_columns_are_the_least_a_model_needs() -> None:
    bare = replace(TABLE, rules=replace(TABLE.rules, rules=()))
    assert size_of(bare, AIM()).forced <= size_of(TABLE, AIM()).forced < 10_000
    assert size_of(TABLE, AIM()).forced >= sum(domain_of(TABLE.axes).sizes) / 2


def test_pairs_over_the_limit_are_named_the_widest_first() -> None:
    found = size_of(TABLE, AIM(capacity_mb=0.002))
    assert found.limit == 262 and found.too_wide
    assert [cells for *_, cells in found.too_wide] == sorted((c for *_, c in found.too_wide), reverse=True)
    assert found.too_wide[0] == found.widest and found.too_wide[-1][2] > 262
    assert found.is_near
    assert size_of(TABLE, AIM()).too_wide == () and not size_of(TABLE, AIM()).is_near
    assert size_of(TABLE, Independent()).too_wide == ()


@pytest.mark.parametrize("name", MECHANISMS)
def test_an_outlook_is_in_order_and_grows_with_the_table(name: str) -> None:
    found = MECHANISMS[name]().outlook(domain_of(TABLE.axes), k=2)
    if found is not None:
        assert 0 < found.fastest <= found.slowest and found.model_mb > 0


def asked(table: Declared, matter: Matter, patience: str, epsilon: float = 1.0) -> Advice:
    return advise(table, matter=matter, patience=patience, epsilon=epsilon)


def test_advice_keeps_what_matters_and_knows_what_it_cannot_keep() -> None:
    assert not MECHANISMS[asked(TABLE, Matter.COLUMNS, "now").method].keeps_relations
    for patience in PATIENCE:
        found = asked(TABLE, Matter.TRIPLES, patience)
        assert MECHANISMS[found.method].keeps_relations and found.k == 3
    assert asked(TABLE, Matter.PAIRS, "night").in_time
    assert asked(replace(TABLE, axes=()), Matter.PAIRS, "night").method in MECHANISMS


def wide(columns: int) -> Declared:
    """A table of so many columns with six values each."""
    entries = [{"name": f"c{i}", "kind": "category", "values": list("abcdef")} for i in range(columns)]
    schema = {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": entries}
    return declared.read(replace(declared.demo(), schema=schema, rules=()))


@pytest.mark.parametrize("columns", [1, 2, 5, 15, 16, 31, 60, 120, 300])
def test_no_card_warns_of_what_its_method_is_advised_for(columns: int) -> None:
    table = wide(columns)
    for matter, patience, epsilon in product(Matter, PATIENCE, (0.05, 0.1, 0.3, 0.5, 1.0, 10.0)):
        found = asked(table, matter, patience, epsilon)
        k = {Matter.COLUMNS: 1, Matter.PAIRS: 2, Matter.TRIPLES: 3}[matter]
        occasion = Occasion(columns=columns, k=k, seconds=PATIENCE[patience], epsilon=epsilon)
        warns = {name: kind().is_avoided(occasion) for name, kind in MECHANISMS.items()}
        assert warns[found.method] == found.is_avoided
        suits = [n for n, kind in MECHANISMS.items() if kind.keeps_relations or matter is Matter.COLUMNS]
        assert not found.is_avoided or all(warns[name] for name in suits)


def test_a_card_that_warns_of_something_says_when() -> None:
    always = [name for name, kind in MECHANISMS.items() if "is_avoided" not in vars(kind)]
    assert always == ["mwem"], "which budgets have been tried is not known to anybody but the steward"
    assert all(kind.avoid for kind in MECHANISMS.values())
