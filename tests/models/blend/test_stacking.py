from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.models.blend.candidates import independent
from synth.models.blend.stacking import Stack, Tables, averaged, simplex_weights, stacked
from synth.models.targets import NoisyTable, Targets, targets_of
from tests.models.examples import evidence_of

SIZE, COLUMNS, TOTAL, SIGMA = 6, 8, 10_000.0, 5.0
DOMAIN = Domain(tuple("abcdefgh"), (SIZE,) * COLUMNS)
PAIRS = list(combinations(range(COLUMNS), 2))


def relation(seed: int) -> dict[tuple[int, int], np.ndarray]:
    """Return departures from uniform tables, without margins."""
    rng, found = np.random.default_rng(seed), {}
    for pair in PAIRS:
        table = rng.normal(0, 40, (SIZE, SIZE))
        found[pair] = table - table.mean(0) - table.mean(1)[:, None] + table.mean()
    return found


ONE, OTHER = relation(1), relation(2)


def tables(one: float, other: float) -> Tables:
    return {pair: TOTAL / SIZE**2 + one * ONE[pair] + other * OTHER[pair] for pair in PAIRS}


def fresh(truth: Tables, sigma: float, *, seed: int = 0) -> Targets:
    rng = np.random.default_rng(seed)
    plain = targets_of(evidence_of(DOMAIN, (), TOTAL))
    pairs = {pair: NoisyTable(t + rng.normal(0, sigma, t.shape), sigma) for pair, t in truth.items()}
    return Targets(
        coarsening=plain.coarsening,
        total=TOTAL,
        columns=plain.columns,
        sigmas=plain.sigmas,
        pairs=pairs,
        zeros=(),
        ordered={},
    )


def stack(truth: Tables, *models: Tables, sigma: float = SIGMA) -> Stack:
    stated = fresh(truth, sigma)
    return stacked(stated.pairs, models, independent(stated))


def test_a_mixture_of_models_is_found_by_its_weights() -> None:
    found = stack(tables(0.7, 0.3), tables(1, 0), tables(0, 1), tables(-1, -1))
    np.testing.assert_allclose(found.weights, [0.7, 0.3, 0], atol=0.02)
    assert found.of([0, 2]).weights[0] > 0.9


def test_a_pair_follows_its_own_answers_as_far_as_the_prior_lets_it() -> None:
    truth = {**tables(1, 0), (0, 1): tables(0, 1)[0, 1]}
    found = stack(truth, tables(1, 0), tables(0, 1))
    at = found.pairs.index((0, 1))
    assert found.by_pair(0.0)[at, 1] > 0.95
    assert found.by_pair(1000.0)[at, 1] < 0.1
    np.testing.assert_allclose(found.by_pair(10.0).sum(axis=1), 1)


def test_a_gain_is_told_in_standard_deviations_of_the_noise() -> None:
    first, second = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    assert stack(tables(1, 0), tables(1, 0), tables(0, 1)).gain(first, second) > 50
    gains = [
        stack(tables(0.5, 0.5), tables(1, 0), tables(0, 1), sigma=s).gain(first, second) for s in (5.0, 500.0)
    ]
    assert abs(gains[1]) < 5 and abs(gains[0]) < 50


def test_what_is_seen_of_a_model_is_told_in_standard_deviations_of_the_noise() -> None:
    """In the direction of a model with the departures w, the noise of the measurements has the standard
    deviation sigma |w|, and the true value is |w|^2.
    """
    length = np.sqrt(sum(float(np.square(t).sum()) for t in ONE.values()))
    whole = np.ones(1)
    for sigma in (50.0, 500.0):
        seen = stack(tables(1, 0), tables(1, 0), sigma=sigma).seen(whole)
        assert seen == pytest.approx(length / sigma, abs=4)
    nothing = [stack(tables(0, 0), tables(1, 0), sigma=s).seen(whole) for s in (5.0, 50.0)]
    assert np.abs(nothing).max() < 4


def test_what_a_model_leaves_is_told_as_a_part_of_all_departures() -> None:
    found = stack(tables(1, 0), tables(1, 0), tables(0.5, 0), tables(0, 0))
    left = [found.left(w) for w in np.eye(3)]
    np.testing.assert_allclose(left, [0, 0.25, 1], atol=0.01)
    assert found.left(np.array([0.5, 0.0, 0.5])) == pytest.approx(left[1])
    assert found.of([1]).left(np.ones(1)) == pytest.approx(left[1])


def test_noise_is_no_departure() -> None:
    """The mean energy of fifty draws around independence is zero, within 5 standard errors."""
    energies = []
    for seed in range(50):
        stated = fresh(tables(0, 0), SIGMA, seed=seed)
        energies.append(float(stacked(stated.pairs, [tables(1, 0)], independent(stated)).energies.sum()))
    assert abs(np.mean(energies)) < 5 * np.std(energies) / np.sqrt(50)


@pytest.mark.parametrize("models", [1, 2, 5])
def test_weights_are_a_mixture_whatever_the_models(models: int) -> None:
    rng = np.random.default_rng(models)
    rows = rng.normal(size=(40, models))
    weights = simplex_weights(rows.T @ rows, rows.T @ rng.normal(size=40))
    assert (weights >= 0).all() and weights.sum() == pytest.approx(1)
    same = np.ones((models, models))
    assert simplex_weights(same, np.ones(models)).sum() == pytest.approx(1)
    np.testing.assert_allclose(simplex_weights(0 * same, np.zeros(models)), 1 / models)


def test_judgements_of_the_same_answers_are_averaged_as_far_as_their_noise_is_not_the_same() -> None:
    truth, models = tables(0.7, 0.3), (tables(1, 0), tables(0, 1))
    several = [
        stacked(stated.pairs, models, independent(stated))
        for stated in (fresh(truth, 400.0, seed=seed) for seed in range(40))
    ]
    one, all_of_them = averaged(several[:1], shared=0.2), averaged(several, shared=0.0)
    np.testing.assert_array_equal(one.noise, several[0].noise)
    np.testing.assert_array_equal(one.weights, several[0].weights)
    np.testing.assert_allclose(all_of_them.noise, several[0].noise / 40)
    np.testing.assert_allclose(averaged(several, shared=0.2).noise, several[0].noise * (0.2 + 0.8 / 40))
    off = [abs(s.weights[0] - 0.7) for s in several]
    assert abs(all_of_them.weights[0] - 0.7) < np.mean(off) / 2
