import numpy as np

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.mixture.mixture_blocks import Blocks
from synth.models.networks.weighed import Weighed
from synth.models.targets import targets_of
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b", "c"), (2, 3, 2))
TOTAL = 600.0
COLUMN, PAIR, APART = np.array([200, 400]), np.arange(6).reshape(2, 3) * 40, np.full((3, 2), 100)


def weighed(zeros: tuple[Zero, ...] = ()) -> Weighed:
    stated = {("a",): (COLUMN, 4), ("a", "b"): (PAIR, 9), ("b", "c"): (APART, 25)}
    answers = tuple(measurement(clique, counts, variance) for clique, (counts, variance) in stated.items())
    evidence = evidence_of(DOMAIN, answers, TOTAL, zeros=zeros)
    targets = targets_of(evidence)
    return Weighed(targets, Blocks.of(targets.domain, zeros))


def test_a_pair_of_two_blocks_lies_in_the_product_of_codes_both_ways() -> None:
    answers = weighed()
    answers.add_by_precision()
    one, other = answers.targets.span(0), answers.targets.span(1)
    np.testing.assert_allclose(
        answers.pairs[one, other] * TOTAL, answers.targets.pairs[0, 1].counts, rtol=1e-5
    )
    np.testing.assert_array_equal(answers.pairs[other, one], answers.pairs[one, other].T)
    np.testing.assert_allclose(answers.pair_weights[one, other], TOTAL / 9, rtol=1e-5)
    assert answers.spread is None and not answers.pair_weights[one, answers.targets.span(2)].any()


def test_weights_add_up_and_shares_are_their_mean() -> None:
    answers = weighed()
    answers.add((0,), np.array([0.2, 0.8]), 3.0)
    answers.add((0,), np.array([0.6, 0.4]), 1.0)
    np.testing.assert_allclose(answers.linear[:2], [0.3, 0.7], rtol=1e-6)
    np.testing.assert_allclose(answers.linear_weights[:2], [4.0, 4.0])


def test_a_pair_inside_one_block_is_linear_in_its_cells() -> None:
    zero = Zero(("a", "b"), np.array([[True, False, False], [False, False, False]]))
    answers = weighed((zero,))
    answers.add_by_precision()
    assert answers.spread is not None and not answers.pair_weights[answers.targets.span(0)].any()
    cells = np.random.default_rng(0).dirichlet(np.ones(answers.spread.shape[0]))
    stated = cells @ answers.spread
    codes = int(answers.targets.firsts[-1])
    np.testing.assert_allclose(stated[codes:].sum(), cells[answers.blocks.span(0)].sum(), rtol=1e-6)
    np.testing.assert_allclose(
        answers.linear[codes:] * TOTAL, answers.targets.pairs[0, 1].counts.reshape(-1), rtol=1e-4, atol=1e-3
    )


def test_the_newest_pair_weighs_as_much_as_there_are_columns() -> None:
    answers, boosted = weighed(), weighed()
    answers.add_by_precision()
    boosted.add_by_precision(newest=("a", "b"))
    one, other, third = (answers.targets.span(i) for i in range(3))
    np.testing.assert_allclose(boosted.pair_weights[one, other], 3 * answers.pair_weights[one, other])
    np.testing.assert_array_equal(boosted.pair_weights[other, third], answers.pair_weights[other, third])
