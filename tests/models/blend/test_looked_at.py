from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import NoisyScores
from synth.models.blend.looked_at import weights_by_look
from synth.models.targets import NoisyTable, Pair, Targets, targets_of
from synth.private.scores import L1Gap
from tests.models.examples import evidence_of

TOTAL, NAMES = 10_000.0, tuple("abcdefghij")
DOMAIN = Domain(NAMES, (2,) * len(NAMES))
PAIRS: list[Pair] = list(combinations(range(len(NAMES)), 2))
EMPTY = evidence_of(DOMAIN, (), TOTAL)
SIGNS = np.array([[1.0, -1.0], [-1.0, 1.0]])


def model(strength: float) -> dict[Pair, np.ndarray]:
    """Return pairs with different distances from independence."""
    return {pair: TOTAL / 4 + strength * (1 + i % 5) * 100 * SIGNS for i, pair in enumerate(PAIRS)}


def looked(truth: dict[Pair, np.ndarray], sigma: float = 100.0) -> Evidence:
    cliques: tuple[Clique, ...] = tuple((NAMES[a], NAMES[b]) for a, b in PAIRS)
    even = np.full((2, 2), TOTAL / 4)
    distances = np.array([np.abs(table - even).sum() for table in truth.values()])
    score = L1Gap(cliques, (even,) * len(cliques), (1,) * len(cliques), (0.0,) * len(cliques))
    noise = np.random.default_rng(0).normal(0, sigma, len(cliques))
    scores = NoisyScores(
        score=score, values=distances + noise, variance=Fraction(sigma) ** 2, units=1, part="m", step=0
    )
    return replace(EMPTY, answers=(scores,))


def targets(measured: int = 0) -> Targets:
    stated = {pair: NoisyTable(np.full((2, 2), TOTAL / 4), 1.0) for pair in PAIRS[:measured]}
    return replace(targets_of(EMPTY), pairs=stated)


EVEN = np.array([0.5, 0.5])


def test_the_model_that_expects_what_was_seen_gets_the_weight() -> None:
    models = [model(0.0), model(1.0)]
    assert weights_by_look(looked(model(1.0)), targets(), models, EVEN)[1] > 0.8
    assert weights_by_look(looked(model(0.0)), targets(), models, EVEN)[1] < 0.3


def test_without_a_look_or_with_every_pair_measured_the_prior_stays() -> None:
    models, prior = [model(0.0), model(1.0)], np.array([0.3, 0.7])
    np.testing.assert_array_equal(weights_by_look(EMPTY, targets(), models, prior), prior)
    stated = targets(len(PAIRS))
    np.testing.assert_array_equal(weights_by_look(looked(model(1.0)), stated, models, prior), prior)


def test_pairs_that_were_left_out_because_they_seemed_unrelated_do_not_speak_for_independence() -> None:
    models = [model(0.0), model(1.0)]
    seen = looked(model(1.0), sigma=600.0)
    (scores,) = seen.scores
    order = [PAIRS[i] for i in np.argsort(scores.values)]
    stated = {pair: NoisyTable(np.full((2, 2), TOTAL / 4), 1.0) for pair in order[8:]}
    left_out = replace(targets_of(EMPTY), pairs=stated)
    share = weights_by_look(seen, left_out, models, np.array([0.1, 0.9]))[1]
    assert share > 0.8
