"""Test the noise and the grid of histograms of magnitudes."""

import itertools
import math

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN, ZCDP
from synth.core.schema import Column, Kind, Schema, Unit
from synth.private.entropy import Rehearsal
from synth.private.queries import MagnitudesQuery, magnitude_grid
from synth.private.table import PrivateTable


def test_noise_of_magnitudes_has_its_price() -> None:
    schema = Schema(
        name="t", population="t", unit=Unit(max_rows=1), columns=(Column(name="x", kind=Kind.DECIMAL),)
    )
    table = PrivateTable.of({"x": []}, schema)
    query = MagnitudesQuery(column="x", kind=Kind.DECIMAL, l2_squared=2, units=10**10)
    noise = [np.frombuffer(query.answer(table, entropy=Rehearsal(s)), dtype="<i8") for s in range(10)]
    assert np.var(noise) == pytest.approx(2 / (2 * 0.01), rel=6.2 * math.sqrt(2 / np.size(noise)))


def test_magnitudes_of_a_gaussian_run_say_so_and_get_rounded_noise() -> None:
    schema = Schema(
        name="t", population="t", unit=Unit(max_rows=1), columns=(Column(name="x", kind=Kind.DECIMAL),)
    )
    table, stated = PrivateTable.of({"x": []}, schema), {}
    for law in (GAUSSIAN, ZCDP):
        query = MagnitudesQuery(column="x", kind=Kind.DECIMAL, l2_squared=1, units=8 * 10**12, law=law)
        noise = [np.frombuffer(query.answer(table, entropy=Rehearsal(s)), dtype="<i8") for s in range(40)]
        stated[law == GAUSSIAN] = query.facts().get("law"), float((np.array(noise) != 0).mean())
    assert stated[True][0] == "gaussian" and stated[False][0] is None
    assert stated[True][1] > 0.036 > 0.003 > stated[False][1], "sigma is 1/4 for both"


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.DECIMAL, Kind.DATE])
def test_grids_are_public_increasing_and_hold_zero_or_new_years(kind: Kind) -> None:
    grid = magnitude_grid(kind)
    assert all(a < b for a, b in itertools.pairwise(grid))
    assert 0.0 in grid
    if kind is Kind.INTEGER:
        assert all(e == int(e) for e in grid)
