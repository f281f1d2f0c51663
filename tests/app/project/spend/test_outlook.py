"""What a run will take, before it is started."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synth.app.project import declared
from synth.app.project.spend.outlook import forced_cells, size_of
from synth.core.axis import domain_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.aim import AIM
from synth.mechanisms.independent import Independent

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


def test_nothing_is_forced_while_a_list_is_still_to_be_bought() -> None:
    assert forced_cells(replace(TABLE, axes=())) == 0 < forced_cells(TABLE)
