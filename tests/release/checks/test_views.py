"""Marginals known in groups: what holds for the groups, and what follows for the codes."""

import math
from fractions import Fraction

import numpy as np
import pytest

from synth.core.domain import Clique, Domain, subsets
from synth.core.measurements.interactions import contrasted, squared_lengths
from synth.core.measurements.noisy import Measurement, NoisyNumbers
from synth.core.table import CodeTable
from synth.estimates.concentration import l1_radius
from synth.estimates.effects import Pool
from synth.models.estimates.total import estimate_total
from synth.private.noise import discrete_gaussian
from synth.release.checks.bounds import Support, bounds
from synth.release.checks.views import Released, View, Views
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b"), (6, 3))
GROUPS = {"a": (0, 1, 2, 2, 2, 2)}
PAIR = ("a", "b")


def table(rng: np.random.Generator, rows: int = 500, tail: float = 0.04) -> CodeTable:
    shares = np.array([0.6, 0.4 - tail, *[tail / 4] * 4])
    a = rng.choice(6, rows, p=shares)
    return CodeTable(DOMAIN, np.stack([a, (a + rng.integers(0, 2, rows)) % 3], axis=1))


def coarse(counts: np.ndarray) -> np.ndarray:
    return np.stack([counts[0], counts[1], counts[2:].sum(axis=0)])


def answer(truth: CodeTable, variance: Fraction) -> Measurement:
    counts = coarse(truth.counts(PAIR)) + discrete_gaussian(variance, 9).reshape(3, 3)
    return measurement(PAIR, counts, variance, groups=GROUPS)


def off(one: CodeTable, other: CodeTable) -> tuple[float, float]:
    """L1 distances over codes and over groups."""
    left, right = one.counts(PAIR), other.counts(PAIR)
    return float(np.abs(left - right).sum()), float(np.abs(coarse(left) - coarse(right)).sum())


def test_a_bound_over_groups_gives_one_over_codes_for_any_two_tables() -> None:
    rng = np.random.default_rng(0)
    tight = 0.0
    for _ in range(300):
        truth, released = (table(rng, 60, tail=rng.choice([0.02, 0.3])) for _ in range(2))
        fine, over_groups = off(truth, released)
        view = Views(DOMAIN, [answer(truth, Fraction(1))], Released(released, 60.0)).of(GROUPS)
        assert fine <= view.fine(PAIR, over_groups) + 1e-9
        tight = max(tight, fine / view.fine(PAIR, over_groups))
    assert tight > 0.9


def test_both_bounds_cover_at_their_level() -> None:
    rng, beta, runs, misses = np.random.default_rng(1), 0.2, 600, np.zeros(2)
    truth, released = table(rng), table(rng)
    for _ in range(runs):
        (bound,) = bounds(
            evidence_of(DOMAIN, [answer(truth, Fraction(9))], 500.0),
            candidates=[PAIR],
            synthetic=released,
            beta=beta,
        )
        assert bound.kind is bound.coarse_kind is Support.MEASURED
        assert bound.l1_counts is not None and bound.coarse_l1 is not None
        misses += np.array(off(truth, released)) > (bound.l1_counts, bound.coarse_l1)
    assert np.all(misses / runs <= beta + 6 * math.sqrt(beta * (1 - beta) / runs))


def test_where_all_rows_are_in_merged_cells_only_the_groups_have_a_bound() -> None:
    rng = np.random.default_rng(2)
    truth = CodeTable(DOMAIN, np.stack([rng.integers(2, 6, 400), rng.integers(0, 3, 400)], axis=1))
    (bound,) = bounds(
        evidence_of(DOMAIN, [answer(truth, Fraction(1))], 400.0), candidates=[PAIR], synthetic=truth
    )
    assert bound.kind is Support.NONE and bound.l1_counts is None and bound.tvd is None
    assert bound.coarse_kind is Support.MEASURED and bound.coarse_tvd is not None and bound.coarse_tvd < 0.1


@pytest.mark.parametrize("other", [{"a": (0, 0, 1, 1, 2, 2)}, {}])
def test_what_was_asked_in_other_codes_is_kept_out_of_the_average(other: dict[str, tuple[int, ...]]) -> None:
    truth = table(np.random.default_rng(4))
    sizes = 3 if other else 6
    wrong = measurement(PAIR, np.zeros((sizes, 3), dtype=np.int64), groups=other)
    mine = answer(truth, Fraction(1))
    view = View(DOMAIN, [mine, wrong], Released(truth, 500.0), GROUPS)
    np.testing.assert_array_equal(view.pool.average(PAIR).counts, mine.counts)


def test_a_count_below_zero_is_known_to_be_off_by_all_of_that() -> None:
    """||max(y, 0) - M||_1 = ||y - M||_1 - sum of max(-y, 0) for M >= 0: once, and no more than once."""
    wide = Domain(("a",), (20,))
    counts = np.array([100, *[-9, 7] * 9, -3])
    measured = [measurement(("a",), counts, 64)]
    released = Released(CodeTable(wide, np.zeros((50, 1), dtype=np.int64)), 100)
    (bound,) = View(wide, measured, released, {}).measured([("a",)], beta=0.05)
    radius = float(l1_radius(np.array([20]), np.array([64.0]), beta=0.05)[0])
    assert bound == pytest.approx(63 + radius - 84)


def test_pairs_that_share_a_column_in_different_codes_all_have_bounds_that_cover() -> None:
    """b is asked in groups with a, in its own codes with c, and in other groups with d."""
    rng, rows, beta = np.random.default_rng(4), 400, 0.2
    domain = Domain(("a", "b", "c", "d"), (4, 4, 4, 4))
    truth, released = (CodeTable(domain, rng.integers(0, 4, (rows, 4))) for _ in range(2))
    requested = {
        ("a", "b"): {"a": (0, 1, 1, 2), "b": (0, 1, 2, 2)},
        ("b", "c"): {"c": (0, 0, 1, 2)},
        ("b", "d"): {"b": (0, 0, 0, 1), "d": (0, 1, 2, 2)},
    }

    def exact(of: CodeTable, pair: tuple[str, ...]) -> np.ndarray:
        return of.grouped(pair, requested[pair]).astype(np.int64)

    runs, misses = 300, np.zeros(len(requested))
    for _ in range(runs):
        answers = []
        for pair, groups in requested.items():
            counts = exact(truth, pair)
            noise = discrete_gaussian(Fraction(9), counts.size).reshape(counts.shape)
            answers.append(measurement(pair, counts + noise, 9, groups=groups))
        found = bounds(
            evidence_of(domain, answers, float(rows)),
            candidates=list(requested),
            synthetic=released,
            beta=beta,
        )
        assert [bound.coarse_kind for bound in found] == [Support.MEASURED] * 3
        for i, (pair, bound) in enumerate(zip(requested, found, strict=True)):
            assert bound.coarse_l1 is not None
            misses[i] += np.abs(exact(truth, pair) - exact(released, pair)).sum() > bound.coarse_l1
    assert np.all(misses / runs <= beta + 6 * math.sqrt(beta * (1 - beta) / runs))


class Centre:
    """A release that is just what answers say of a clique."""

    def __init__(self, domain: Domain, counts: np.ndarray) -> None:
        self.domain, self._counts = domain, counts

    def project(self, clique: Clique) -> np.ndarray:
        return self._counts


def with_noise(
    rng: np.random.Generator, counts: np.ndarray, clique: Clique, variance: int
) -> Measurement | NoisyNumbers:
    """A table of one column; of more, its interaction."""
    if len(clique) == 1:
        noisy = counts + np.rint(rng.normal(0, variance**0.5, counts.shape)).astype(np.int64)
        return measurement(clique, noisy, variance)
    lengths = np.sqrt(variance * squared_lengths(counts.shape))
    return NoisyNumbers(
        requested={"ask": "interaction", "clique": list(clique), "shape": list(counts.shape)},
        values=contrasted(counts) + np.rint(rng.normal(0, lengths)).astype(np.int64),
        variance=Fraction(variance),
        units=1,
    )


@pytest.mark.parametrize(
    ("sizes", "shrunk_to"), [((2, 2), 0.5), ((2, 3), 0.6), ((4, 5), 0.5), ((2, 2, 2), 0.5), ((2, 3, 3), 0.45)]
)
@pytest.mark.parametrize("own", [400, 100])
def test_a_bound_by_interactions_is_tight(sizes: tuple[int, ...], shrunk_to: float, own: int) -> None:
    """Up to ten cells and more; with what the answers say released, the bound is its radius. `own`: the
    variance of what has most columns, where others have 100."""
    rng, beta, runs = np.random.default_rng(0), 0.05, 300
    domain = Domain(tuple("abc"[: len(sizes)]), sizes)
    truth = rng.integers(300, 500, sizes)
    cliques = subsets(domain.names)
    missed, missed_by_less = 0, 0
    for _ in range(runs):
        answers = []
        for r in cliques:
            away = tuple(axis for axis, name in enumerate(domain.names) if name not in r)
            answers.append(with_noise(rng, truth.sum(axis=away), r, own if r == domain.names else 100))
        tables = [a for a in answers if isinstance(a, Measurement)]
        evidence = evidence_of(domain, answers, estimate_total(tables))
        pool = Pool(domain, evidence.measurements)
        assert pool.is_joined(domain.names)
        centre = pool.estimate(domain.names)
        released = Released(Centre(domain, centre), float(centre.sum()))
        (bound,) = View(domain, evidence.measurements, released, {}).measured([domain.names], beta=beta)
        off = float(np.abs(truth - centre).sum())
        missed += off > bound
        missed_by_less += off > shrunk_to * bound
    assert missed / runs <= beta
    assert missed_by_less / runs > beta
