"""Test the generator network of a GAN: independent columns at first, then records that a critic considers
real.
"""

import numpy as np
import pytest
from scipy.stats import chisquare

from synth.core.networks import forger
from synth.core.networks.denoiser import Denoiser
from synth.core.networks.forger import Forger

NET = Forger((3, 2, 4), ((5, 3, 2), (1, 1), (4, 3, 2, 1)), latent=4, width=5)


def some_critic(sizes: tuple[int, ...], scale: float = 0.5) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [scale * rng.standard_normal((sum(sizes) + 1, 6)), scale * rng.standard_normal((7, 1))]


@pytest.mark.parametrize("net", [NET, Denoiser(NET.sizes, NET.base, hidden=5, layers=2, times=6)])
def test_one_that_learned_nothing_makes_independent_columns_of_its_base(net: Forger | Denoiser) -> None:
    weights = net.start(np.random.default_rng(2))
    records = np.concatenate([*net.records(weights, 20_000, np.random.default_rng(3))])
    assert records.shape == (20_000, 3)
    for column, base in enumerate(NET.base):
        stated = np.bincount(records[:, column], minlength=len(base))
        assert chisquare(stated, np.array(base) / sum(base) * len(records)).pvalue > 1e-6
    joint = np.bincount(records[:, 0] * 4 + records[:, 2], minlength=12)
    shares = np.outer(np.array(NET.base[0]) / 10, np.array(NET.base[2]) / 10).ravel()
    assert chisquare(joint, shares * len(records)).pvalue > 1e-6


def test_its_slope_is_that_of_the_expected_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly, where records have one column beside the condition: every code of it is judged. Without what
    holds the columns."""
    monkeypatch.setattr(forger, "BATCH", 4000)
    net = Forger((2, 3), ((3, 1), (2, 1, 1)), latent=2, width=3)
    critic = some_critic(net.sizes)
    weights = net.start(np.random.default_rng(0)).astype(float)
    weights += 0.3 * np.random.default_rng(4).standard_normal(weights.size)

    def loss(at: np.ndarray) -> float:
        rng = np.random.default_rng(5)
        stated = net._conditions(4000, rng)
        layers = net._layers(at)
        *_, odds = net._forward(layers, rng.standard_normal((4000, 2)), stated)
        likely = net._softmax(odds)
        total, first = 0.0, critic[0]
        for column, span in enumerate((slice(0, 2), slice(2, 5))):
            mine = stated >= 2 if column == 0 else stated < 2
            for code in range(span.start, span.stop):
                seen = np.clip(first[stated[mine]] + first[code] + first[-1], 0, 16)
                judged = seen @ critic[1][:-1, 0] + critic[1][-1, 0]
                total += (likely[mine, code] * np.logaddexp(0, -judged)).sum() / 4000
        return total

    monkeypatch.setattr(forger, "HOLD", 0.0)
    slope = net._slope(net._layers(weights), critic, np.random.default_rng(5))
    for i in np.random.default_rng(6).choice(net.parameters, 25, replace=False):
        step = np.zeros(net.parameters)
        step[i] = 1e-5
        assert slope[i] == pytest.approx((loss(weights + step) - loss(weights - step)) / 2e-5, abs=1e-5)


@pytest.mark.parametrize(
    "wrong",
    [
        Forger((3,), ((1, 1),), 2, 2),
        Forger((2,), ((1, 0),), 2, 2),
        Forger((2,), ((1, 1),), 0, 2),
        Forger((2,), ((1, 1),), 2, 1 << 20),
    ],
)
def test_a_network_of_another_shape_or_without_a_base_is_none(wrong: Forger) -> None:
    assert not wrong.is_sound and NET.is_sound
