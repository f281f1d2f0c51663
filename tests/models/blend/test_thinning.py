from fractions import Fraction

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.interactions import squared_lengths
from synth.core.measurements.noisy import NoisyNumbers
from synth.models.blend.thinning import thinned
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b"), (200, 200))
SIGMA, CELLS = 30, 200 * 200
NOISE = np.random.default_rng(3).normal(0, SIGMA, (200, 200))
COLUMN = measurement(("a",), np.arange(200), 4)
PAIR = measurement(("a", "b"), NOISE, SIGMA**2)
EVIDENCE = evidence_of(DOMAIN, (COLUMN, PAIR), 19900)


@pytest.mark.parametrize("c2", [0.25, 1.0, 4.0])
def test_the_two_halves_have_the_noise_they_say_and_share_none_of_it(c2: float) -> None:
    one, two = (e.measurements[1] for e in thinned(EVIDENCE, c2, np.random.default_rng(0)))
    assert one.variance == pytest.approx((1 + c2) * SIGMA**2, rel=2e-3)
    assert two.variance == pytest.approx((1 + 1 / c2) * SIGMA**2, rel=2e-3)
    for m in (one, two):
        spread = float(np.square(m.counts).mean())
        assert abs(spread / float(m.variance) - 1) < 5 * (2 / CELLS) ** 0.5
    together = float((one.counts * two.counts).mean()) / (one.sigma * two.sigma)
    assert abs(together) < 5 * CELLS**-0.5


def test_columns_stay_and_the_seed_decides() -> None:
    first, second = (thinned(EVIDENCE, 0.25, np.random.default_rng(seed)) for seed in (0, 0))
    for one, other in zip(first, second, strict=True):
        assert one.measurements[0] is COLUMN and one.total == EVIDENCE.total
        np.testing.assert_array_equal(one.measurements[1].counts, other.measurements[1].counts)
    third, _ = thinned(EVIDENCE, 0.25, np.random.default_rng(1))
    assert (third.measurements[1].counts != first[0].measurements[1].counts).any()


LENGTHS = np.sqrt(squared_lengths((200, 200)))
INTERACTION = NoisyNumbers(
    requested={"ask": "interaction", "clique": ["a", "b"], "shape": [200, 200]},
    values=np.rint(NOISE[1:, 1:] * LENGTHS).astype(np.int64),
    variance=Fraction(SIGMA**2),
    units=1,
)
VOTES = NoisyNumbers(requested={"ask": "votes"}, values=np.array([5]), variance=Fraction(9), units=1)


@pytest.mark.parametrize("c2", [0.25, 1.0, 4.0])
def test_both_halves_of_an_interaction_have_the_noise_they_say_in_every_contrast(c2: float) -> None:
    """This holds for short and for long rows. Other values stay the same."""
    evidence = EVIDENCE.joined([INTERACTION, VOTES])
    (one, same), (two, too) = (e.numbers for e in thinned(evidence, c2, np.random.default_rng(0)))
    assert same is too is VOTES
    assert one.variance == pytest.approx((1 + c2) * SIGMA**2, rel=2e-3)
    assert two.variance == pytest.approx((1 + 1 / c2) * SIGMA**2, rel=2e-3)
    first, second = one.values / LENGTHS / one.sigma, two.values / LENGTHS / two.sigma
    short = np.median(LENGTHS) > LENGTHS
    for some in (short, ~short):
        cells = int(some.sum())
        for alike in (first, second):
            assert abs(float(np.square(alike[some]).mean()) - 1) < 5 * (2 / cells) ** 0.5
        assert abs(float((first * second)[some].mean())) < 5 * cells**-0.5
