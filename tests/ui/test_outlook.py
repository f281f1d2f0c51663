"""What can be said of a run before it is started."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synth.mechanisms import MECHANISMS
from synth.mechanisms.aim import AIM
from synth.mechanisms.independent import Independent
from synth.ui import declared
from synth.ui.outlook import PATIENCE, Matter, advise, domain_of, size_of

TABLE = declared.read(declared.demo())


def test_rules_and_columns_are_the_least_a_model_needs() -> None:
    bare = replace(TABLE, rules=replace(TABLE.rules, rules=()))
    assert size_of(bare, AIM()).forced <= size_of(TABLE, AIM()).forced < 10_000
    assert size_of(TABLE, AIM()).forced >= sum(domain_of(TABLE).sizes) / 2


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
    found = MECHANISMS[name]().outlook(domain_of(TABLE), k=2)
    if found is not None:
        assert 0 < found.fastest <= found.slowest and found.model_mb > 0


def test_advice_keeps_what_matters_and_knows_what_it_cannot_keep() -> None:
    assert not MECHANISMS[advise(TABLE, matter=Matter.COLUMNS, patience="now").method].keeps_relations
    for patience in PATIENCE:
        found = advise(TABLE, matter=Matter.TRIPLES, patience=patience)
        assert MECHANISMS[found.method].keeps_relations
    assert advise(TABLE, matter=Matter.PAIRS, patience="night").in_time
    assert advise(replace(TABLE, axes=()), matter=Matter.PAIRS, patience="night").method in MECHANISMS
