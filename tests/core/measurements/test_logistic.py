"""Test the score of a logistic regression in integers, and its public starting point."""

import hashlib
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from synth.core.measurements.logistic import (
    CHANCE,
    FARTHEST,
    SPREAD,
    STEP,
    Score,
    chances,
    slopes_at,
    spread,
    started,
)
from synth.core.measurements.moments import Block, Term

X = Term(column="x", cells=4096, low=0.0, high=1.0, name="x")
G = Term(column="g", cells=3, code=2, name="g is c")
Y = Term(column="y", cells=2, code=1, name="y is yes")


def table(rows: int, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    x, g = rng.integers(0, 4097, rows), rng.integers(0, 4, rows)
    chance = 1 / (1 + np.exp(-(x / 4095 - 0.3 + (g == 2))))
    return {"x": x, "g": g, "y": (rng.random(rows) < chance).astype(np.int64)}


def test_chances_are_rounded_correctly_and_the_same_on_all_machines() -> None:
    found = chances()
    with localcontext() as context:
        context.prec = 40
        for x in (0, 1, STEP, 5 * STEP + 7, FARTHEST):
            exact = CHANCE / (1 + (-Decimal(x) / STEP).exp())
            assert abs(int(found[x]) - exact) <= Decimal("0.5")
    assert (np.diff(found) >= 0).all() and (spread(found) <= SPREAD // 4).all()
    digest = hashlib.sha256(np.stack([found, spread(found)]).astype("<i8").tobytes()).hexdigest()
    assert digest == "f8b689977a948eb0e8b03805c9f6ca66315ab77b7c3012d9ac618923e1919a92"


def test_sums_are_those_of_plain_integers() -> None:
    score, columns = Score(Block((X, G, Y)), (-700, 9000, STEP + 1)), table(2000)
    assert score.entries == ((0,), (1,), (2,), (0, 0), (0, 1), (0, 2), (1, 1), (1, 2))
    expected = [0] * 8
    for x, g, y in zip(*(columns[name].tolist() for name in "xgy"), strict=True):
        if x == 4096 or g == 3:
            continue
        z = (1, 2 * x - 4095, 1 if g == 2 else -1)
        predictor = -700 + math.floor(9000 * z[1] / 4095 + 0.5) + (STEP + 1) * z[2]
        p = round(CHANCE / (1 + math.exp(-predictor / STEP)))
        h = round(p * (CHANCE - p) * SPREAD / CHANCE**2)
        for at, entry in enumerate(score.entries):
            own = z[entry[0]] * (CHANCE * y - p) if len(entry) == 1 else z[entry[0]] * z[entry[1]] * h
            expected[at] += own
    assert score.sums(columns).tolist() == expected
    assert score.sums({name: codes[:0] for name, codes in columns.items()}).tolist() == [0] * 8


def test_sums_agree_with_the_slopes_at_the_start() -> None:
    score, columns = Score(Block((X, G, Y)), (-700, 9000, STEP)), table(3000)
    g, h = slopes_at(score.block, columns, np.array(score.start) / STEP)
    sums = score.sums(columns) / np.array([CHANCE, CHANCE * 4095, CHANCE, *[SPREAD] * 5])
    sums[[4, 6, 7]] /= [4095, 4095**2, 4095]
    assert sums[:3] == pytest.approx(g, abs=0.3)
    assert sums[3:] == pytest.approx([h[0, 0], h[0, 1], h[0, 2], h[1, 1], h[1, 2]], abs=0.3)


def test_a_start_is_the_fit_to_public_rows_for_any_rows() -> None:
    block, columns = Block((X, G, Y)), table(5000)
    start = np.array(started(block, columns).start) / STEP
    score, _ = slopes_at(block, columns, start)
    assert score == pytest.approx(start, abs=1), "the slope of the penalty, to rounding"
    assert start == pytest.approx([0.7, 0.5, 0.5], abs=0.15)
    split = {"x": np.array([0, 4095] * 500), "g": np.array([0, 2] * 500), "y": np.array([0, 1] * 500)}
    assert all(abs(b) < FARTHEST for b in started(block, split).start), "separated rows"
    assert started(block, {name: codes[:0] for name, codes in columns.items()}).start == (0, 0, 0)


@pytest.mark.parametrize("start", [(0, 0, 0), (9000, -70_000, 800), (FARTHEST,) * 3, (-FARTHEST,) * 3])
def test_no_record_is_larger_than_the_scales_say(start: tuple[int, ...]) -> None:
    score = Score(Block((X, G, Y)), start)
    every = [(x, g, y) for x in (0, 1, 2047, 2048, 4094, 4095) for g in (0, 2) for y in (0, 1)]
    each = [
        score.sums({name: np.array([one]) for name, one in zip("xgy", row, strict=True)}) for row in every
    ]
    divided = np.abs(np.array(each)) / np.array(score.scales)
    assert divided[:, :3].max() <= 1 / 2 and divided[:, 3:].max() <= 1 / 3
    assert divided[:, :3].max() > 1 / 4
