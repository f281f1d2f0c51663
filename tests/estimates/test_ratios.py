"""Test shares, means and quantiles of invented records. All noise is seeded, so no run fails by chance."""

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.estimates.facts import Fact
from synth.estimates.least_squares import System
from synth.estimates.quantiles import quantile_of
from synth.estimates.ratios import Ends, mean_of, ratio_of, total_of

DOMAIN = Domain(("value", "group"), (9, 2))
ROWS, RUNS = 800, 400
SHARES = np.outer(np.arange(1, 10), (1.0, 2.0)) / 135
FIRST = {"group": np.array([1.0, 0.0])}
POINTS = np.array([*range(8), 0.0])
"""The last code is blank."""
HAS = np.array([1.0] * 8 + [0.0])


def noisy(rng: np.random.Generator, sigma: float = 3.0) -> tuple[np.ndarray, System]:
    """Return the records of one draw, and a noisy table of both columns."""
    counts = rng.multinomial(ROWS, SHARES.ravel()).reshape(9, 2)
    stated = np.rint(counts + rng.normal(0, sigma, counts.shape))
    groups = {"value": np.arange(9), "group": np.arange(2)}
    fact = Fact(clique=DOMAIN.names, groups=groups, counts=stated, variance=sigma**2 + 1 / 12)
    return counts, System(DOMAIN, [fact], DOMAIN.names)


@pytest.mark.parametrize("kind", ["share", "mean", "bins", "median", "total"])
def test_intervals_hold_as_often_as_stated(kind: str) -> None:
    finite, population = [], []
    wide: Ends = (POINTS - 0.5 * HAS, POINTS + 0.5 * HAS, HAS)
    for seed in range(RUNS):
        counts, system = noisy(np.random.default_rng([81, seed]))
        law, held = (table[:8, 0] / table[:8, 0].sum() for table in (SHARES, counts))
        if kind == "share":
            top = {**FIRST, "value": (POINTS >= 4) * HAS}
            found = ratio_of(system, top, {**FIRST, "value": HAS}, level=0.95, sampling=1.0)
            truths = held[4:].sum(), law[4:].sum()
        elif kind == "total":
            ends, ruled = (POINTS, POINTS, HAS), {"level": 0.95, "sampling": 1.0, "size": float(ROWS)}
            found = total_of(system, "value", ends, FIRST, **ruled)
            truths = counts[:8, 0] @ POINTS[:8], ROWS * SHARES[:8, 0] @ POINTS[:8]
        elif kind == "median":
            found = quantile_of(system, "value", (POINTS, POINTS, HAS), FIRST, 0.5, level=0.95, sampling=1.0)
            truths = tuple(float(np.argmax(np.cumsum(p) >= 0.5)) for p in (held, law))
        else:
            ends = wide if kind == "bins" else (POINTS, POINTS, HAS)
            found = mean_of(system, "value", ends, FIRST, level=0.95, sampling=1.0)
            truths = held @ POINTS[:8], law @ POINTS[:8]
        assert found is not None
        finite.append(found.interval[0] <= truths[0] <= found.interval[1])
        population.append(found.population[0] <= truths[1] <= found.population[1])
        if kind == "bins":
            assert found.bins == pytest.approx(0.5)
    lowest, highest = (0.99, 1.0) if kind in ("bins", "median") else (0.92, 0.98)
    assert lowest <= np.mean(finite) <= highest and lowest <= np.mean(population) <= highest


def test_a_group_that_the_noise_hides_has_no_mean() -> None:
    _, system = noisy(np.random.default_rng(82), sigma=12.0)
    few = {"group": np.array([1.0, 0.0]), "value": np.eye(9)[0]}
    assert ratio_of(system, few, few, level=0.95, sampling=1.0) is None
