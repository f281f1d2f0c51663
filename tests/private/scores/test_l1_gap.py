import hashlib

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.private.scores import SCALE, L1Gap
from synth.private.scores.l1_gap import LARGEST_WEIGHT

SCORE = L1Gap(
    cliques=(("a",), ("b",)),
    estimates=(np.array([1.25, 2.0]), np.array([0.0])),
    weights=(3, 1),
    penalties=(0.5, 0.0),
)


def example(rng: np.random.Generator) -> tuple[L1Gap, list[tuple[int, ...]]]:
    """Return candidates with several shapes, weights and penalties
    (`tests/contracts/test_every_score.py`).
    """
    shapes = [[(3,), (2, 2), (3, 4)][i] for i in rng.integers(0, 3, size=4)]
    score = L1Gap(
        cliques=tuple((f"c{i}",) for i in range(4)),
        estimates=tuple(rng.random(s) * 10 for s in shapes),
        weights=tuple(int(w) for w in rng.integers(0, 1024, size=4)),
        penalties=tuple(rng.random(4) * 5),
    )
    return score, shapes


def test_the_value_is_the_weighted_gap_less_the_penalty_in_fixed_point() -> None:
    assert SCORE.value(0, np.array([2, 0])) == 3 * (round(2.75 * SCALE) - SCALE // 2)
    assert SCORE.value(1, np.array([4])) == 4 * SCALE


def test_a_weight_with_which_many_rows_would_leave_64_bits_is_refused_whatever_is_estimated() -> None:
    domain = Domain(("a",), (2,))
    heavy = [L1Gap((("a",),), (np.zeros(2),), (w,), (0.0,)) for w in (LARGEST_WEIGHT, LARGEST_WEIGHT + 1)]
    assert [score.fits(domain) for score in heavy] == [True, False]
    rows = np.array([2**31, 0])
    assert heavy[0].values([rows]).tolist() == [heavy[0].value(0, rows)] == [2**61]


@pytest.mark.parametrize("weights", [(1,), (1, -1), (1, 0.5), (1, float("nan")), (1, float("inf"))])
def test_weights_are_non_negative_integers_one_each(weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError):
        L1Gap(SCORE.cliques, SCORE.estimates, weights, (0.0, 0.0))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(5))
def test_all_values_at_once_are_the_values_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    score, shapes = example(rng)
    counts = [rng.integers(0, 2**31, shape) for shape in shapes]
    values = score.values(counts)
    assert values.dtype == np.int64
    assert values.tolist() == [score.value(i, table) for i, table in enumerate(counts)]


def test_a_score_that_64_bits_do_not_hold_is_refused_and_does_not_wrap() -> None:
    score = L1Gap(cliques=(("a",),), estimates=(np.zeros(1),), weights=(2**20,), penalties=(0.0,))
    assert score.values([np.array([2**32])])[0] == 2**62
    with pytest.raises(OverflowError):
        score.values([np.array([2**40])])


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e300])
def test_estimates_that_are_no_counts_do_not_fit(wrong: float) -> None:
    domain = Domain(("a", "b"), (2, 1))
    good = L1Gap(SCORE.cliques, (np.array([1.0, 2.0]), np.array([0.0])), (3, 1), (0.5, 0.0))
    assert good.fits(domain) and not good.fits(Domain(("a", "b"), (2, 2)))
    for estimates in ((np.array([wrong, 2.0]), np.array([0.0])), (np.array([1.0, 2.0]), np.array([wrong]))):
        assert not L1Gap(SCORE.cliques, estimates, (3, 1), (0.5, 0.0)).fits(domain)
    assert not L1Gap(SCORE.cliques, good.estimates, (3, 1), (0.5, wrong)).fits(domain)


def test_facts_have_the_digest_that_runs_of_earlier_versions_are_resumed_by() -> None:
    digest = hashlib.sha256()
    for stated in zip(SCORE.cliques, SCORE.estimates, SCORE.weights, SCORE.penalties, strict=True):
        clique, estimate, weight, penalty = stated
        digest.update(repr((clique, weight, round(penalty * SCALE))).encode())
        digest.update(np.rint(estimate * SCALE).astype(np.int64).tobytes())
    assert SCORE.facts()["sha256"] == digest.hexdigest()
