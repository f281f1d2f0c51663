"""Bounds from batches of noisy scores, and bounds handed on from an earlier table."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Choice, Measurement, NoisyScores
from synth.core.table import CodeTable
from synth.estimates.concentration import tail
from synth.private.noise import discrete_gaussian
from synth.private.scores import SCALE, Dependence, InDif, L1Gap, Score
from synth.release.checks.bounds import Bound, Earlier, Support, bounds
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b", "c"), (4, 3, 2))
PAIRS: tuple[Clique, ...] = (("a", "b"), ("a", "c"), ("b", "c"))
TINY = Fraction(1, 10**6)


def table(rng: np.random.Generator, rows: int = 300) -> CodeTable:
    mixed = rng.dirichlet(np.full(24, 0.4))
    cells = rng.choice(24, rows, p=mixed)
    return CodeTable(DOMAIN, np.stack(np.unravel_index(cells, DOMAIN.sizes), axis=1))


def batch(truth: CodeTable, score: Score, sigma: float, step: int = 9) -> NoisyScores:
    exact = np.array([score.value(i, truth.counts(r)) for i, r in enumerate(score.cliques)])
    noise = discrete_gaussian(Fraction(sigma * SCALE) ** 2, len(exact)) if sigma else 0
    return NoisyScores(
        score=score,
        values=(exact + noise) / SCALE,
        variance=Fraction(sigma) ** 2,
        units=1,
        part="mechanism",
        step=step,
    )


def one_ways(truth: CodeTable, variance: Fraction) -> list[Measurement]:
    found = []
    for name, size in zip(DOMAIN.names, DOMAIN.sizes, strict=True):
        counts = truth.counts((name,)) + discrete_gaussian(variance, size)
        found.append(measurement((name,), counts, variance))
    return found


def gaps(released: CodeTable, weight: int = 3, penalty: float = 20.0) -> L1Gap:
    """Scores whose estimates are the released table itself: then the triangle inequality loses nothing."""
    estimates = tuple(released.counts(r).astype(float) for r in PAIRS)
    return L1Gap(PAIRS, estimates, (weight,) * 3, (penalty,) * 3)


def bounds_of(
    released: CodeTable,
    measurements: list[Measurement],
    scores: list[NoisyScores],
    *,
    total: float = 0,
    **more: object,
) -> tuple[Bound, ...]:
    arguments = {"beta": 0.1, "candidates": PAIRS} | more
    return bounds(
        evidence_of(DOMAIN, [*measurements, *scores], total or float(released.rows)),
        synthetic=released,
        **arguments,  # type: ignore[arg-type]
    )


def error(one: CodeTable, other: CodeTable, clique: Clique) -> float:
    return float(np.abs(one.counts(clique) - other.counts(clique)).sum())


def test_scores_of_gaps_cover_at_their_level_and_half_the_tail_would_not() -> None:
    rng, beta, runs, sigma = np.random.default_rng(0), 0.1, 700, 40.0
    truth, released = table(rng), table(rng)
    tail = sigma * math.sqrt(2 * math.log(1 / beta)) / 3
    misses = shrunk = 0
    for _ in range(runs):
        for bound in bounds_of(released, [], [batch(truth, gaps(released), sigma)]):
            assert bound.kind is Support.INFERRED and bound.l1_counts is not None and bound.step == 9
            off = error(truth, released, bound.clique)
            misses += off > bound.l1_counts
            shrunk += off > bound.l1_counts - tail / 2
    assert misses / (3 * runs) <= beta + 6 * math.sqrt(beta * (1 - beta) / (3 * runs))
    assert shrunk / (3 * runs) > beta


def test_without_noise_a_dependence_bounds_any_two_tables() -> None:
    """Every error that can be in the algebra shows here: the tables differ in size, columns and relations."""
    rng, tight = np.random.default_rng(1), 0.0
    for _ in range(300):
        truth, released = table(rng, int(rng.integers(5, 300))), table(rng, int(rng.integers(5, 300)))
        found = bounds_of(released, one_ways(truth, TINY), [batch(truth, InDif(PAIRS), 0.0)])
        for bound in found:
            assert bound.kind is Support.INFERRED and bound.l1_counts is not None
            off = error(truth, released, bound.clique)
            assert off <= bound.l1_counts
            tight = max(tight, off / bound.l1_counts)
    assert tight > 0.7


def test_scores_of_dependence_cover_at_their_level() -> None:
    rng, beta, runs, misses = np.random.default_rng(2), 0.3, 300, 0
    truth = table(rng, 600)
    released = CodeTable(DOMAIN, np.stack([rng.permutation(c) for c in truth.codes.T], axis=1))
    for _ in range(runs):
        found = bounds_of(
            released, one_ways(truth, Fraction(16)), [batch(truth, InDif(PAIRS), 30.0)], beta=beta
        )
        misses += sum(error(truth, released, b.clique) > (b.l1_counts or 0.0) for b in found)
    assert misses / (3 * runs) <= beta + 6 * math.sqrt(beta * (1 - beta) / (3 * runs))


def test_a_dependence_without_its_columns_says_nothing() -> None:
    truth = table(np.random.default_rng(3))
    columns = one_ways(truth, Fraction(1))
    kinds = [b.kind for b in bounds_of(truth, columns[:2], [batch(truth, InDif(PAIRS), 1.0)])]
    assert kinds == [Support.INFERRED, Support.NONE, Support.NONE]


def test_a_network_bounds_what_lies_inside_its_candidates_for_any_two_tables() -> None:
    """Without noise and with the best family chosen, only the algebra is left: any error in it shows."""
    rng, tight, inferred = np.random.default_rng(6), 0.0, 0
    for _ in range(300):
        truth, released = table(rng, int(rng.integers(5, 300))), table(rng, int(rng.integers(5, 300)))
        columns = {
            name: rng.random(size) + 0.1 for name, size in zip(DOMAIN.names, DOMAIN.sizes, strict=True)
        }
        score = Dependence((("a", "b"), ("a", "c"), ("a", "b", "c")), ("a", "c", "b"), columns)
        values = [score.value(i, truth.counts(r)) for i, r in enumerate(score.cliques)]
        choice = Choice(
            score=score, index=int(np.argmax(values)), units=1, epsilon=1e9, swing=1, part="m", step=4
        )
        counts = truth.counts(choice.clique)
        winner = measurement(choice.clique, counts, TINY, part="m", step=5)
        found = bounds(
            evidence_of(DOMAIN, [*one_ways(truth, TINY), winner, choice], float(released.rows)),
            candidates=PAIRS,
            synthetic=released,
        )
        for bound in found:
            off = error(truth, released, bound.clique)
            assert bound.l1_counts is not None and off <= bound.l1_counts
            if bound.kind is Support.INFERRED:
                inferred += 1
                tight = max(tight, off / bound.l1_counts)
    assert tight > 0.35 and inferred > 200


def cells(counts: np.ndarray) -> CodeTable:
    """A table with these counts of the whole domain."""
    return CodeTable(DOMAIN, np.repeat(np.indices(DOMAIN.sizes).reshape(3, -1).T, counts.ravel(), axis=0))


def moved(*moves: tuple[tuple[int, int, int], int]) -> np.ndarray:
    counts = np.full(DOMAIN.sizes, 10)
    for cell, by in moves:
        counts[cell] += by
    return counts


BOTH = moved(((0, 0, 0), 2), ((0, 0, 1), 2), ((1, 1, 0), -2), ((1, 1, 1), -2))
TURNED = BOTH + moved(((2, 0, 0), 1), ((2, 0, 1), -1), ((3, 0, 0), -1), ((3, 0, 1), 1)) - 10
LEANING = np.full(DOMAIN.sizes, 10) + np.array([3, -3])
TIED = moved(((0, 0, 0), 5), ((0, 1, 1), -5), ((1, 0, 0), -5), ((1, 1, 1), 5))
UNTIED = moved(((0, 0, 0), 5), ((0, 1, 0), -5), ((1, 0, 0), -5), ((1, 1, 0), 5))


@pytest.mark.parametrize(
    "truth, released, off",
    [(TURNED, moved(), 12), (LEANING, moved(), 72), (TIED, UNTIED, 20)],
    ids=["twice the winner's error", "the parents' error", "what the release itself departs"],
)
def test_every_part_of_a_networks_bound_is_needed(truth: np.ndarray, released: np.ndarray, off: int) -> None:
    """The child is even in p. Each table needs one part of the bound in full, the others are small."""
    true, made = cells(truth), cells(released)
    score = Dependence((("a", "b"), ("a", "c")), ("a", "a"), {"a": np.ones(4)})
    choice = Choice(score=score, index=0, units=1, epsilon=1e9, swing=1, part="mechanism", step=4)
    winner = measurement(("a", "b"), true.counts(("a", "b")), TINY, step=5)
    (bound,) = bounds(
        evidence_of(DOMAIN, [*one_ways(true, TINY), winner, choice], 240.0),
        candidates=[("a", "c")],
        synthetic=made,
    )
    assert bound.kind is Support.INFERRED and bound.l1_counts is not None
    assert error(true, made, ("a", "c")) == off <= bound.l1_counts


def test_the_last_batch_counts_and_a_forgotten_estimate_is_no_estimate() -> None:
    truth = table(np.random.default_rng(4))
    score = gaps(truth)
    first = batch(truth, score, 1.0, step=3)
    first = replace(first, score=score.forget([("a", "b")]))
    last = batch(truth, L1Gap(PAIRS[:1], score.estimates[:1], (1,), (0.0,)), 5.0, step=8)
    steps = {b.clique: b.step for b in bounds_of(truth, [], [last, first])}
    assert steps == {("a", "b"): 8, ("a", "c"): 3, ("b", "c"): 3}
    forgotten = bounds_of(truth, [], [first])
    assert [b.kind for b in forgotten] == [Support.NONE, Support.INFERRED, Support.INFERRED]


def test_columns_that_are_off_count_as_the_product_of_their_shares_can_be_off() -> None:
    """Both errors and, since both may be off at once, the smaller one again; and no more than that."""
    truth = table(np.random.default_rng(6))
    exact = one_ways(truth, TINY)
    columns = [replace(m, variance=Fraction(v)) for m, v in zip(exact, (1, 100, 1), strict=True)]
    scored = batch(truth, InDif(PAIRS[:1]), 2.0)
    found = {b.clique: b for b in bounds_of(truth, columns, [scored])}
    alone = bounds_of(truth, columns, [], beta=0.1 / 3, candidates=[("a",), ("b",)])
    left, right = (b.l1_counts for b in alone)
    assert left is not None and right is not None and 2 * left < right
    counts = truth.counts(("a", "b"))
    product = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / 300
    noise = tail(2.0, beta=0.1 / 3) + 1.5 / SCALE
    expected = scored.values[0] + noise + 2 * left + right + np.abs(product - counts).sum()
    assert found["a", "b"].l1_counts == pytest.approx(expected, abs=2 / SCALE)


@pytest.mark.parametrize("rows", [300, 77])
def test_a_table_made_again_keeps_its_bounds_by_its_distance_from_the_first(rows: int) -> None:
    rng = np.random.default_rng(5)
    truth, first, again = table(rng), table(rng), table(rng, rows)
    before = bounds_of(first, [], [batch(truth, gaps(first), 10.0)])
    earlier = Earlier(synthetic=first, bounds=before)
    moved = bounds_of(again, [], [], earlier=earlier, total=300.0)
    for old, new in zip(before, moved, strict=True):
        weighted = again.counts(new.clique) * (300 / rows)
        distance = float(np.abs(first.counts(new.clique) - weighted).sum())
        assert new.kind is Support.INFERRED and old.l1_counts is not None and new.l1_counts is not None
        assert old.l1_counts + distance <= new.l1_counts <= 1.0001 * old.l1_counts + distance
    stricter = bounds_of(again, [], [], earlier=earlier, total=300.0, beta=0.01)
    assert {b.kind for b in stricter} == {Support.NONE}
