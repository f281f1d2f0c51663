"""Test domains that are derived from noisy results."""

import json

import numpy as np
import pytest

from synth.core.discretisation import axis_of
from synth.core.errors import Mistake, NothingFound
from synth.core.schema import Column, Kind, Outside, Provenance, Schema, Unit
from synth.dictionaries import problems
from synth.private.domains.domains import with_range, with_values
from synth.private.entropy import Rehearsal
from synth.private.queries import MagnitudesQuery
from synth.private.table import PrivateTable


def listed(*texts: str, **fields: object) -> Column:
    column = Column(name="c", kind=Kind.CATEGORY, buy=True, **fields)  # type: ignore[arg-type]
    return with_values(column, json.dumps(texts).encode())


def test_bought_values_are_texts_or_whole_numbers() -> None:
    assert listed("b", "a").values == ("b", "a")
    assert listed("10", "9", "-1").values == (-1, 9, 10)
    assert listed("07", "1").values == ("07", "1")
    assert listed("1", "x").provenance is Provenance.ESTIMATED
    assert not listed("1").buy


@pytest.mark.parametrize(
    ("texts", "label", "spelled"),
    [
        (("a", "Other"), "Other", "Other (other)"),
        (("Other", "a", "Other (other)"), " Other ", "Other (other) (other)"),
        (("7", "8"), "7", "7 (other)"),
        (("a", "other"), "Other", "Other"),
    ],
)
def test_a_value_equal_to_a_label_gives_another_label(
    texts: tuple[str, ...], label: str, spelled: str
) -> None:
    column = listed(*texts, outside=Outside.OTHER, other_label=label)
    axis = axis_of(column)  # raised here, after the list was charged
    assert axis.other == spelled and list(map(str, axis.labels)) == list(texts)
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(column,))
    assert problems(schema) == ()


def test_nothing_listed_is_told_with_a_way_out() -> None:
    with pytest.raises(NothingFound, match=r"'c'.*larger budget"):
        listed()


def estimated(texts: list[str], kind: Kind, rho: float = 0.05, seed: int = 1, **fields: object) -> Column:
    column = Column(name="x", kind=kind, buy=True, **fields)  # type: ignore[arg-type]
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(column,))
    query = MagnitudesQuery(column="x", kind=kind, l2_squared=1, units=round(rho * 10**12))
    answer = query.answer(PrivateTable.of({"x": texts}, schema), entropy=Rehearsal(seed))
    return with_range(column, query, answer)


def test_range_covers_the_mass_and_ignores_loners() -> None:
    rng = np.random.default_rng(1)
    ages = [str(a) for a in rng.integers(17, 90, 20000)] + ["4000000", "-999", "", "nan"]
    column = estimated(ages, Kind.INTEGER, bins=10)
    assert (column.min, column.max) == (16, 95)
    assert column.provenance is Provenance.ESTIMATED
    assert len(axis_of(column).edges) == 11
    decimals = estimated([f"{v:.3f}" for v in rng.exponential(1, 20000)], Kind.DECIMAL)
    assert decimals.min == 0.0
    assert isinstance(decimals.max, float)
    assert 4 <= decimals.max <= 12
    dates = estimated([f"{y}-05-17" for y in rng.integers(1990, 2021, 20000)], Kind.DATE)
    assert (dates.min, dates.max) == ("1990-01-01", "2020-12-31")


def test_a_tail_that_no_cell_of_shows_is_covered_as_a_whole() -> None:
    rng = np.random.default_rng(3)
    amounts = [*rng.integers(0, 192, 7_500).tolist(), *rng.integers(192, 2_304, 1_400).tolist()]
    covered = []
    for seed in range(12):
        column = estimated([str(a) for a in amounts], Kind.INTEGER, rho=3.1e-4, seed=seed)  # sigma 40
        # at most two bands, each a factor of two, beyond the cell of the largest amount, which ends at 2,560
        assert column.min == 0 and isinstance(column.max, int) and column.max < 4 * 2_560
        covered.append(sum(a <= column.max for a in amounts) / len(amounts))
    assert float(np.median(covered)) > 0.95 and min(covered) > 0.88  # .84 by single cells


def test_a_spread_tail_gets_bands_and_the_bins_of_the_range_stay() -> None:
    rng = np.random.default_rng(5)
    values = np.where(rng.random(30_000) < 0.75, 0.0, rng.exponential(0.6, 30_000))
    values[:1_080] = np.minimum(2 * np.exp(rng.exponential(1.3, 1_080)), 155)  # 3.6%, up to 155
    above = []
    for seed in range(6):
        column = estimated([f"{v:.4f}" for v in values], Kind.DECIMAL, rho=1.5e-3, seed=seed)
        assert isinstance(column.max, float)
        above.append(float((values > column.max).mean()))
        axis = axis_of(column)
        assert axis.cells >= 32 and np.diff(axis.edges)[-1] >= np.diff(axis.edges)[0]
    assert max(above) < 0.01  # a range without bands left out 3.6%


def test_noise_beside_a_range_stretches_it_almost_never() -> None:
    ends = {estimated(["100"] * 5_000, Kind.INTEGER, rho=3.1e-4, seed=seed).max for seed in range(60)}
    assert ends == {111}  # the cell from 96 to 111 alone, each time with a chance of 98% at least


def test_noise_alone_almost_never_makes_a_range() -> None:
    found = 0
    for seed in range(60):
        try:
            estimated([], Kind.INTEGER, seed=seed)
            found += 1
        except Mistake as mistake:
            assert "larger budget" in str(mistake)
    assert found <= 9  # each with probability at most 1%: 1e-8
