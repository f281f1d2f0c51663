"""Noisy pairs after most of their noise is removed."""

from dataclasses import replace

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.coarse import Coarsening
from synth.models.copula.denoise import denoised, likely_pairs
from synth.models.targets import NoisyTable, Targets

SIZE, TOTAL, SIGMA = 20, 20_000.0, 30.0


def smooth_table() -> np.ndarray:
    """Return a relation that is smooth along both columns but not monotone."""
    x = np.linspace(-1, 1, SIZE)
    table = np.exp(-4 * (x[:, None] ** 2 - np.abs(x)) ** 2 - 0.5 * x[:, None])
    return table / table.sum() * TOTAL


def targets(truth: np.ndarray, *, ordered: bool, seed: int = 0) -> Targets:
    domain = Domain(("a", "b"), truth.shape)
    noisy = truth + np.random.default_rng(seed).normal(0, SIGMA, truth.shape)
    return Targets(
        coarsening=Coarsening(domain, ()),
        total=TOTAL,
        columns=(truth.sum(axis=1), truth.sum(axis=0)),
        sigmas=(1.0, 1.0),
        pairs={(0, 1): NoisyTable(noisy, SIGMA)},
        zeros=(),
        ordered=dict.fromkeys(domain.names, SIZE) if ordered else {},
    )


def independent(stated: Targets) -> np.ndarray:
    return np.outer(*stated.columns) / stated.total


def error(table: np.ndarray, truth: np.ndarray) -> float:
    return float(np.abs(table - truth).sum() / TOTAL)


def test_neighbouring_codes_share_what_is_known() -> None:
    truth = smooth_table()
    stated, plain = targets(truth, ordered=True), targets(truth, ordered=False)
    base = {(0, 1): independent(stated)}
    likely = denoised(stated, base)[0, 1]
    raw = error(stated.pairs[0, 1].counts, truth)
    assert error(likely, truth) < 0.5 * raw
    assert error(likely, truth) < error(denoised(plain, base)[0, 1], truth) < raw
    assert (likely >= 0).all()
    np.testing.assert_allclose(likely.sum(axis=0), stated.columns[1], rtol=1e-6)


def test_much_noise_leaves_the_base_and_little_leaves_the_answer() -> None:
    truth = smooth_table()
    stated = targets(truth, ordered=True)
    base = {(0, 1): independent(stated)}
    drowned = replace(stated, pairs={(0, 1): NoisyTable(base[0, 1], 1e6)})
    assert error(denoised(drowned, base)[0, 1], base[0, 1]) < 0.01
    exact = replace(stated, pairs={(0, 1): NoisyTable(truth, 0.01)})
    assert error(denoised(exact, base)[0, 1], truth) < 0.01


def test_what_chance_put_into_cells_is_kept_as_far_as_noise_lets_it_be_seen() -> None:
    """The records are a sample, and queries are about the records. The base is the true distribution, and the
    noise is a third of a cell's sampling error. Then the measurement should be kept almost unchanged: 0.92 of
    its squared error remains (eight draws, standard error 0.03), compared with 1.4 if all departures from the
    base were treated as smooth.
    """
    left = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        truth, noise = rng.poisson(smooth_table()).astype(np.float64), float(np.sqrt(TOTAL) / SIZE / 3)
        seen = truth + rng.normal(0, noise, truth.shape)
        stated = replace(targets(truth, ordered=True), pairs={(0, 1): NoisyTable(seen, noise)})
        likely = denoised(stated, {(0, 1): smooth_table()})[0, 1]
        left.append(np.square(likely - truth).mean() / np.square(seen - truth).mean())
    assert np.mean(left) < 1.05


def test_forbidden_cells_are_empty() -> None:
    truth = smooth_table()
    stated = targets(truth, ordered=True)
    forbidden = np.tri(SIZE, k=-3, dtype=bool)
    stated = replace(stated, zeros=(Zero(("a", "b"), forbidden),))
    likely = likely_pairs(stated, {(0, 1): independent(stated)})[0, 1]
    assert likely[forbidden].sum() == 0 and likely[~forbidden].sum() > 0.9 * TOTAL


def test_many_pairs_at_once_are_each_as_if_alone() -> None:
    first, second = targets(smooth_table(), ordered=True), targets(smooth_table(), ordered=True, seed=1)
    domain = Domain(("a", "b", "c"), (SIZE, SIZE, SIZE))
    both = replace(
        first,
        coarsening=Coarsening(domain, ()),
        columns=(*first.columns, second.columns[1]),
        pairs={(0, 1): first.pairs[0, 1], (0, 2): second.pairs[0, 1]},
        ordered=dict.fromkeys(domain.names, SIZE),
    )
    base = independent(first)
    together = denoised(both, {(0, 1): base, (0, 2): base})
    for pair, alone in (((0, 1), first), ((0, 2), second)):
        np.testing.assert_allclose(together[pair], denoised(alone, {(0, 1): base})[0, 1], atol=0.1)


@pytest.mark.parametrize("good", [True, False])
def test_a_model_is_believed_as_far_as_it_fits(good: bool) -> None:
    truth = smooth_table()
    stated = targets(truth, ordered=True)
    guess = truth if good else truth[::-1] * 1.0
    found = error(likely_pairs(stated, {(0, 1): guess})[0, 1], truth)
    around_columns = error(denoised(stated, {(0, 1): independent(stated)})[0, 1], truth)
    assert found < (0.3 if good else 1.05) * around_columns
