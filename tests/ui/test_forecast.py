"""The expected error against the noise the room really adds."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from synth.measure.accounting import rho_from, units_of
from synth.measure.room import Sensitivity
from synth.schema import Column, Kind, Schema, Unit
from synth.ui.forecast import Z95, expect

SCHEMA = Schema(
    name="s",
    population="p",
    unit=Unit(max_rows=3),
    columns=tuple(Column(name=n, kind=Kind.CATEGORY, values=("x", "y")) for n in "abcd"),
)


@pytest.mark.parametrize("rows_public", [False, True])
def test_it_is_the_rooms_own_noise_at_that_price(rows_public: bool) -> None:
    schema = replace(SCHEMA, rows_public=rows_public)
    room = Sensitivity(rows=3, neighbours=schema.neighbours)
    for expected in expect(schema, epsilon=1.0, delta=1e-7):
        sigma = math.sqrt(room.variance(units_of(rho_from(1.0, 1e-7)) // expected.tables))
        assert expected.rows == pytest.approx(Z95 * sigma, rel=1e-6)


def test_more_tables_and_less_budget_mean_more_noise() -> None:
    tight, loose = expect(SCHEMA, epsilon=0.5, delta=1e-7), expect(SCHEMA, epsilon=2.0, delta=1e-7)
    assert [e.tables for e in tight] == [1, 4, 8]
    assert all(a.rows > 2 * b.rows for a, b in zip(tight, loose, strict=True))
    assert tight[0].rows < tight[1].rows < tight[2].rows
