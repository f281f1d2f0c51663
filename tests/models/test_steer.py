from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.donors import Condition
from synth.models.steer import steered

DOMAIN = Domain(("a", "b", "c", "d"), (6, 4, 5, 3))


@dataclass(frozen=True)
class Wish:
    masks: dict[str, np.ndarray]
    wanted: float


def wish(wanted: float, **codes: list[int]) -> Wish:
    masks = {name: np.isin(np.arange(DOMAIN.size([name])), some) for name, some in codes.items()}
    return Wish(masks, wanted)


def records(rows: int, rng: np.random.Generator) -> np.ndarray:
    """Return columns that depend on each other in pairs."""
    a = rng.integers(0, 6, rows)
    b = np.minimum(a // 2 + rng.integers(0, 2, rows), 3)
    c = (a + b + rng.integers(0, 2, rows)) % 5
    return np.stack([a, b, c, rng.integers(0, 3, rows)], axis=1)


def meeting(codes: np.ndarray, requested: Wish) -> np.ndarray:
    return np.all([mask[codes[:, DOMAIN.axis(name)]] for name, mask in requested.masks.items()], axis=0)


def is_met(codes: np.ndarray, requested: Wish) -> bool:
    return int(meeting(codes, requested).sum()) == round(requested.wanted * len(codes))


def columns(codes: np.ndarray) -> list[list[int]]:
    return [np.bincount(codes[:, i], minlength=n).tolist() for i, n in enumerate(DOMAIN.sizes)]


def breaking(codes: np.ndarray, zeros: list[Zero]) -> np.ndarray:
    """Return which records are in a forbidden cell."""
    return np.any([z.forbidden[tuple(codes[:, i] for i in DOMAIN.axes(z.clique))] for z in zeros], axis=0)


@pytest.mark.parametrize("wanted", [0.02, 0.1, 0.2])
def test_a_share_of_two_columns_is_met_by_swaps_that_leave_every_column_as_it_is(wanted: float) -> None:
    codes = records(5000, np.random.default_rng(1))
    requested = wish(wanted, a=[0, 1, 2], d=[0])
    out = steered(codes, DOMAIN, [requested], rng=np.random.default_rng(2))
    assert is_met(out, requested)
    assert columns(out) == columns(codes)


@pytest.mark.parametrize("wanted", [0.0, 0.05, 0.9, 1.0])
def test_a_share_of_one_column_is_met_where_no_swap_could(wanted: float) -> None:
    codes = records(2000, np.random.default_rng(1))
    requested = wish(wanted, b=[1, 2])
    out = steered(codes, DOMAIN, [requested], rng=np.random.default_rng(2))
    assert is_met(out, requested)
    assert np.array_equal(np.delete(out, 1, axis=1), np.delete(codes, 1, axis=1))


def test_a_value_that_no_record_has_can_be_asked_for() -> None:
    codes = np.zeros((400, 4), dtype=np.int64)
    requested = wish(0.25, a=[5], b=[2, 3])
    assert is_met(steered(codes, DOMAIN, [requested], rng=np.random.default_rng(0)), requested)


def test_pairs_of_other_columns_stay_and_the_cheapest_swaps_are_chosen() -> None:
    """The tables change by less than half as much as with random suitable swaps."""
    codes, rng = records(6000, np.random.default_rng(1)), np.random.default_rng(2)
    requested = wish(0.25, a=[0, 1, 2], d=[0])
    out = steered(codes, DOMAIN, [requested], rng=rng)
    careless = codes.copy()
    one = np.flatnonzero((careless[:, 0] < 3) & (careless[:, 3] != 0))
    two = np.flatnonzero((careless[:, 0] >= 3) & (careless[:, 3] == 0))
    missing = round(0.25 * 6000) - int(meeting(codes, requested).sum())
    one, two = rng.permutation(one)[:missing], rng.permutation(two)[:missing]
    careless[one, 0], careless[two, 0] = codes[two, 0], codes[one, 0]
    assert is_met(careless, requested) and is_met(out, requested)

    def moved(after: np.ndarray) -> float:
        pairs = [p for p in combinations(range(4), 2) if p != (0, 3)]
        tables = (
            [
                np.histogram2d(t[:, a], t[:, b], bins=[np.arange(n + 1) - 0.5 for n in (6, 5)])[0]
                for a, b in pairs
            ]
            for t in (codes, after)
        )
        return sum(np.abs(before - now).sum() for before, now in zip(*tables, strict=True))

    assert moved(out) < moved(careless) / 2


def test_several_shares_are_met_together() -> None:
    codes = records(4000, np.random.default_rng(3))
    wishes = [wish(0.3, a=[0, 1, 2], b=[0, 1]), wish(0.15, a=[0, 1], d=[1]), wish(0.4, c=[0, 1])]
    out = steered(codes, DOMAIN, wishes, rng=np.random.default_rng(4))
    assert all(is_met(out, requested) for requested in wishes)


def test_shares_that_exclude_each_other_end_and_neither_is_passed() -> None:
    codes = records(1000, np.random.default_rng(3))
    wishes = [wish(0.8, a=[0, 1]), wish(0.7, a=[4, 5])]
    out = steered(codes, DOMAIN, wishes, rng=np.random.default_rng(4))
    first, second = (meeting(out, requested).mean() for requested in wishes)
    assert first <= 0.8 and second <= 0.7 and first + second == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_no_record_comes_into_a_forbidden_cell(seed: int) -> None:
    rng = np.random.default_rng(seed)
    zeros = [Zero(("a", "b"), rng.random((6, 4)) < 0.3), Zero(("b", "c", "d"), rng.random((4, 5, 3)) < 0.2)]
    codes = records(3000, rng)
    codes = codes[~breaking(codes, zeros)]
    if not len(codes):
        return
    some = [sorted(rng.choice(n, size=rng.integers(1, n), replace=False).tolist()) for n in DOMAIN.sizes]
    names = rng.permutation(DOMAIN.names)[: rng.integers(1, 4)].tolist()
    requested = wish(rng.random(), **{name: some[DOMAIN.axis(name)] for name in names})
    out = steered(codes, DOMAIN, [requested], rng=rng, zeros=zeros)
    assert not breaking(out, zeros).any() and out.shape == codes.shape
    gap = [
        abs(meeting(table, requested).sum() - round(requested.wanted * len(table))) for table in (codes, out)
    ]
    assert gap[1] <= gap[0]


def test_rules_in_the_way_of_a_share_are_kept_and_it_is_met() -> None:
    forbidden = np.zeros((6, 4), dtype=bool)
    forbidden[0, 1:] = True  # a is 0 only where b is 0
    codes = records(4000, np.random.default_rng(5))
    codes = codes[~forbidden[codes[:, 0], codes[:, 1]]]
    requested, zeros = wish(0.3, a=[0, 3], d=[0, 1]), [Zero(("a", "b"), forbidden)]
    out = steered(codes, DOMAIN, [requested], rng=np.random.default_rng(6), zeros=zeros)
    assert is_met(out, requested) and not breaking(out, zeros).any()


def test_no_change_makes_a_record_violate_a_condition_on_several_columns() -> None:
    codes = records(2000, np.random.default_rng(1))
    apart = Condition(columns=(0, 3), holds=lambda some: some[:, 0] + some[:, 3] != 2)
    codes = codes[apart.holds(codes)]
    requested = wish(0.3, a=[0, 1, 2], d=[0])
    plain = steered(codes, DOMAIN, [requested], rng=np.random.default_rng(2))
    assert not apart.holds(plain).all()
    out = steered(codes, DOMAIN, [requested], rng=np.random.default_rng(2), condition=apart)
    assert is_met(out, requested) and apart.holds(out).all()
