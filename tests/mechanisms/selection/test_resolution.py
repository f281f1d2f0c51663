import math

import numpy as np
import pytest
from scipy.stats import norm

from synth.core.axis import Grouping
from synth.mechanisms.selection.resolution import blur, width, without_sampling


def runs(size: int, long: int, weights: np.ndarray | None = None) -> Grouping:
    weights = np.ones(size) if weights is None else weights
    return Grouping(
        column="a", group_of=tuple(i // long for i in range(size)), weights=tuple(map(float, weights))
    )


def test_a_column_in_its_own_codes_has_no_width_and_longer_runs_have_more() -> None:
    widths = [width(None), width(runs(64, 1)), *(width(runs(64, long)) for long in (2, 4, 16, 64))]
    assert widths[:2] == [0.0, pytest.approx(0.0, abs=1e-12)]
    assert widths[1:] == sorted(widths[1:]) and widths[-1] == pytest.approx(63 / 64)


def test_a_group_that_one_code_rules_is_hardly_wide() -> None:
    weights = np.ones(8)
    weights[0] = 1000.0
    assert width(runs(8, 4, weights)) < 0.01 < width(runs(8, 4))


def normal_pair(correlation: float, cells: int) -> np.ndarray:
    """Return the density of two normal variables over their ranks, with a mean of one."""
    x = norm.ppf((np.arange(cells) + 0.5) / cells)
    a, b = np.meshgrid(x, x)
    r = correlation
    table = np.exp(-(r * r * a * a - 2 * r * a * b + r * r * b * b) / (2 * (1 - r * r)))
    for _ in range(50):
        table = table / table.mean(axis=0, keepdims=True)
        table = table / table.mean(axis=1, keepdims=True)
    return np.asarray(table)


@pytest.mark.parametrize("correlation", [0.2, 0.5, 0.8, 0.9])
@pytest.mark.parametrize("groups", [6, 12, 24])
def test_the_loss_of_grouped_normal_variables_is_as_stated(correlation: float, groups: int) -> None:
    """The loss is also at least a sixth of the stated value, because real columns are rougher."""
    table = normal_pair(correlation, 240)
    long = 240 // groups
    coarse = table.reshape(groups, long, groups, long).mean(axis=(1, 3))
    lost = 0.5 * np.abs(table - coarse.repeat(long, 0).repeat(long, 1)).mean()
    h = width(runs(240, long))
    said = blur(0.5 * np.abs(table - 1).mean(), h, h)
    assert said / 6 < lost < said


def test_no_more_is_lost_than_there_was() -> None:
    assert blur(0.3, 1.0, 1.0) == 0.3 and blur(0.0, 0.5, 0.5) == 0.0
    assert blur(1.0, 0.01, 0.0) < 1


def test_records_that_fall_at_random_are_taken_for_no_relation() -> None:
    """The distance of Poisson counts from their means is subtracted with an error of at most 10%."""
    rng = np.random.default_rng(0)
    expected = rng.exponential(4.0, size=(60, 60))
    error = float(np.abs(rng.poisson(expected) - expected).sum())
    assert without_sampling(error, expected) < 0.45 * error
    assert without_sampling(10 * error, expected) == pytest.approx(10 * error, rel=0.01)
    assert without_sampling(error, np.zeros((3, 3))) == error
    assert math.isfinite(without_sampling(0.0, expected)) and without_sampling(0.0, expected) == 0
