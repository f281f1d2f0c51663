"""Test logistic regressions from noisy scores."""

import math
from dataclasses import replace

import numpy as np
import pytest

from synth.core.measurements.logistic import STEP, Columns, Score, slopes_at, started
from synth.core.measurements.moments import Block, Term
from synth.estimates.logistic import HIDDEN, UNLIKE, NoisyScore
from synth.estimates.regression import Estimate

AGE = Term(column="age", cells=91, low=0.0, high=90.0, name="age")
SEX = Term(column="sex", cells=2, code=1, name="sex is m")
OUT = Term(column="out", cells=2, code=1, name="out is yes")
BLOCK = Block((AGE, SEX, OUT))
SLOPES = (-1.5, 0.04, -0.7)


def table(rows: int, rng: np.random.Generator, slopes: tuple[float, ...] = SLOPES) -> Columns:
    age, sex = rng.integers(18, 80, rows), rng.integers(0, 2, rows)
    chance = 1 / (1 + np.exp(-(slopes[0] + slopes[1] * age + slopes[2] * sex)))
    return {"age": age, "sex": sex, "out": (rng.random(rows) < chance).astype(np.int64)}


def noisy(real: Columns, synthetic: Columns, sigma: float, rng: np.random.Generator) -> NoisyScore:
    score: Score = started(BLOCK, synthetic)
    values = score.sums(real) / np.array(score.scales)
    weight = len(real["age"]) / len(synthetic["age"])
    return NoisyScore(
        score=score,
        values=values + rng.normal(0, sigma, len(values)),
        variance=sigma**2,
        columns=synthetic,
        weight=weight,
    )


def likeliest(real: Columns) -> np.ndarray:
    """Return the maximum-likelihood coefficients, in the units of the columns."""
    b = np.array(started(BLOCK, real).start) / STEP
    for _ in range(3):
        score, information = slopes_at(BLOCK, real, b)
        b += np.linalg.solve(information, score)
    return np.array([b[0] - b[1] - b[2], b[1] / 45, b[2] * 2])


def test_without_noise_it_is_maximum_likelihood_from_near_synthetic_rows() -> None:
    """The start differs from the solution by several standard errors. The remaining error is of third
    order.
    """
    rng = np.random.default_rng(0)
    real, synthetic = table(5000, rng), table(3000, rng, (-1.3, 0.033, -0.5))
    found = noisy(real, synthetic, 1e-9, rng).regression(level=0.95)
    assert not isinstance(found, str)
    for one, truth in zip(found, likeliest(real), strict=True):
        assert one.value == pytest.approx(truth, abs=0.1 * one.sampling)
    exact = noisy(real, real, 1e-9, rng).regression(level=0.95)
    assert not isinstance(exact, str)
    assert [one.value for one in exact] == pytest.approx(likeliest(real), abs=1e-5)
    assert all(one.noise < 1e-6 for one in exact)
    assert all(
        one.noise < 1e-6 and has(one, truth, one.interval)
        for one, truth in zip(found, likeliest(real), strict=True)
    ), "the interval allows for what is not exact"


def test_log_odds_that_are_not_linear_widen_the_interval_for_the_population() -> None:
    """Without noise, and with the rows themselves as synthetic rows, it has robust standard errors."""
    rng = np.random.default_rng(3)
    real = table(3000, rng)
    real["out"] = (rng.random(3000) < np.where(real["age"] < 70, 0.02, 0.5)).astype(np.int64)
    found = noisy(real, real, 1e-9, rng).regression(level=0.95)
    x = np.column_stack([np.ones(3000), real["age"], real["sex"]])
    p = 1 / (1 + np.exp(-x @ likeliest(real)))
    usual = np.linalg.inv(x.T @ (x * (p * (1 - p))[:, None]))
    squares = x.T @ (x * ((real["out"] - p) ** 2)[:, None])
    robust, plain = (np.sqrt(np.diag(part)) for part in (usual @ squares @ usual, usual))
    assert not isinstance(found, str) and (robust / plain).max() > 1.4
    assert [one.sampling for one in found] == pytest.approx(np.maximum(robust, plain), rel=0.01)


def test_intervals_hold_for_the_records_and_for_the_population() -> None:
    """Of samples and of draws of noise, with a seed; the synthetic rows are off and fewer."""
    rng, held = np.random.default_rng(1), list[list[bool]]()
    synthetic = table(1500, rng, (-1.2, 0.03, -0.4))
    for _ in range(250):
        real = table(2000, rng)
        found = noisy(real, synthetic, 4.0, rng).regression(level=0.95)
        assert not isinstance(found, str)
        for one, own, truth in zip(found, likeliest(real), SLOPES, strict=True):
            held.append([has(one, own, one.interval), has(one, truth, one.population)])
    assert np.min(np.mean(held, axis=0)) >= 0.93, np.mean(held, axis=0)


def has(one: Estimate, truth: float, span: tuple[float, float]) -> bool:
    assert one.population[0] < one.interval[0] < one.value < one.interval[1] < one.population[1]
    assert math.isclose(sum(one.interval) / 2, one.value)
    return span[0] <= truth <= span[1]


def test_noise_that_hides_the_information_gives_no_answer() -> None:
    rng = np.random.default_rng(2)
    real = table(300, rng)
    assert noisy(real, real, 200.0, rng).regression(level=0.95) == HIDDEN


def test_rows_that_are_unlike_the_records_give_no_answer() -> None:
    """The synthetic rows have no relations. Small differences are no reason for a refusal."""
    rng = np.random.default_rng(4)
    real, unlike = table(20_000, rng, (-3.0, 0.09, -2.0)), table(3000, rng, (0.5, 0.0, 0.0))
    assert noisy(real, unlike, 4.0, rng).regression(level=0.95) == UNLIKE
    near = table(3000, rng, (-2.8, 0.085, -1.8))
    assert not isinstance(noisy(real, near, 4.0, rng).regression(level=0.95), str)


def test_units_of_several_rows_widen_the_part_of_sampling() -> None:
    rng = np.random.default_rng(3)
    one = noisy(table(2000, rng), table(2000, rng), 5.0, rng)
    many = replace(one, rows=4)
    alone, together = one.regression(level=0.95), many.regression(level=0.95)
    assert not isinstance(alone, str) and not isinstance(together, str)
    assert [b.sampling for b in together] == pytest.approx([2 * a.sampling for a in alone])
    assert [b.noise for b in together] == pytest.approx([a.noise for a in alone])
