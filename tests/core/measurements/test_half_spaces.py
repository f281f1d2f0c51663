"""Test on which side of a plane a record is: by hand, exactly, and independently of other records."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.half_spaces import FARTHEST, LARGEST_STEP, MOST, HalfSpaces, joined

DOMAIN = Domain(("a", "b", "c"), (3, 2, 2))
LINE = (0, 100, 255)
PLAIN = HalfSpaces(("a", "b", "c"), (LINE, (), ()), ((1, 1, -1, 0, 0), (-2, 0, 0, 3, 0)), (100, -200))
LABELLED = HalfSpaces(("a", "b", "c"), (LINE, (), ()), ((1, 1, -1),), (100,), label="c")
EVERY = np.array(list(product(*map(range, DOMAIN.sizes))))


def side(record: np.ndarray, spaces: HalfSpaces, k: int) -> int:
    """Compute the definition: places of ordered columns, 85 for a code of other columns, times steps, above a
    threshold.
    """
    steps, total = list(spaces.directions[k]), 0
    for name, places, size, code in zip(spaces.clique, spaces.places, DOMAIN.sizes, record, strict=True):
        if name != spaces.label:
            width = 1 if places else size
            own, steps = steps[:width], steps[width:]
            total += own[0] * places[code] if places else 85 * own[code]
    return 1 if total > spaces.thresholds[k] else -1


@pytest.mark.parametrize("spaces", [PLAIN, LABELLED])
def test_sides_are_those_of_looking_at_every_record(spaces: HalfSpaces) -> None:
    rng = np.random.default_rng(0)
    rows = EVERY[rng.integers(0, len(EVERY), 5000)]
    expected = np.zeros((2 if spaces.label else 1, len(spaces)), dtype=int)
    for record, often in zip(*np.unique(rows, axis=0, return_counts=True), strict=True):
        for k in range(len(spaces)):
            expected[record[2] if spaces.label else 0, k] += often * side(record, spaces, k)
    np.testing.assert_array_equal(spaces.sides([*rows.T], DOMAIN.sizes), expected)
    table = np.zeros(DOMAIN.sizes, dtype=np.int64)
    np.add.at(table, tuple(rows.T), 1)
    np.testing.assert_array_equal(spaces.sides_of_table(table), expected)


def test_a_hundred_columns_at_full_steps_are_still_exact() -> None:
    """Two records that differ by one place, beyond the precision of 32-bit floats, are on different sides of
    a plane.
    """
    n = 700
    places = tuple((0, 254, 255) for _ in range(n))
    steps = (LARGEST_STEP,) * (n - 1) + (1,)
    threshold = 255 * LARGEST_STEP * (n - 1) + 254
    assert threshold > 1 << 24
    plane = HalfSpaces(tuple(f"c{i}" for i in range(n)), places, (steps,), (threshold,))
    above = np.full((2, n), 2)
    above[1, -1] = 1
    assert plane.above(above, (3,) * n).tolist() == [[True], [False]]


@pytest.mark.parametrize("spaces", [PLAIN, LABELLED])
def test_they_are_told_and_read_again(spaces: HalfSpaces) -> None:
    again = HalfSpaces.of(json.loads(json.dumps(spaces.as_facts())))
    assert again == spaces and again.fits(DOMAIN)


def test_some_of_them_and_several_together() -> None:
    one, other = PLAIN.only([0]), PLAIN.only([1])
    assert joined([one, other, one]) == PLAIN and len(one) == 1
    with pytest.raises(ValueError, match="same columns"):
        joined([one, LABELLED])


@pytest.mark.parametrize(
    "wrong",
    [
        replace(PLAIN, directions=((1, 1, -1, 0),) * 2),
        replace(PLAIN, directions=((1, 1, -1, 0, 0.5),) * 2),  # type: ignore[arg-type]
        replace(PLAIN, directions=((1, 1, -1, 0, LARGEST_STEP + 1),) * 2),
        replace(PLAIN, directions=PLAIN.directions[:1]),
        replace(PLAIN, directions=(), thresholds=()),
        replace(PLAIN, directions=PLAIN.directions[:1] * (MOST + 1), thresholds=(0,) * (MOST + 1)),
        replace(PLAIN, thresholds=(0, FARTHEST + 1)),
        replace(PLAIN, thresholds=(0, 0.5)),  # type: ignore[arg-type]
        replace(PLAIN, thresholds=(0, float("nan"))),  # type: ignore[arg-type]
        replace(PLAIN, places=(LINE, ())),
        replace(PLAIN, places=((0, 100), (), ())),
        replace(PLAIN, places=((0, 100, 256), (), ())),
        replace(PLAIN, label="d"),
        replace(LABELLED, places=(LINE, (), (0, 255))),
        HalfSpaces(("c",), ((),), ((),), (0,), label="c"),
    ],
)
def test_what_is_no_half_space_of_the_domain_does_not_fit(wrong: HalfSpaces) -> None:
    assert PLAIN.fits(DOMAIN) and not wrong.fits(DOMAIN)
