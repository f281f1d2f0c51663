"""Do the paper's bounds hold at their level? Noise is the release's own exact sampler."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from synth.core.codebook import Codebook
from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.interactions import contrasted, squared_lengths
from synth.core.measurements.noisy import Choice, Measurement, NoisyNumbers
from synth.core.table import CodeTable
from synth.models.estimates.total import estimate_total
from synth.models.independent import ProductModel
from synth.private.noise import discrete_gaussian
from synth.private.scores import L1Gap
from synth.release.checks.paper_bounds import WARNING, measured_limits, unselected_limits

DOMAIN = Domain(("a", "b", "c"), (3, 2, 4))
PAIRS: tuple[Clique, ...] = (("a", "b"), ("a", "c"), ("b", "c"))
RUNS, BETA = 300, 0.2


def truth() -> CodeTable:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 900)
    c = np.where(rng.random(900) < 0.7, a, rng.integers(0, 4, 900))
    return CodeTable(DOMAIN, np.stack([a, rng.integers(0, 2, 900), c], axis=1))


def measured(table: CodeTable, clique: Clique, sigma: int, step: int) -> Measurement:
    noise = discrete_gaussian(Fraction(sigma**2), DOMAIN.size(clique)).reshape(DOMAIN.shape(clique))
    counts = table.counts(clique) + noise
    return Measurement(clique=clique, counts=counts, variance=Fraction(sigma**2), units=1, step=step)


def product(table: CodeTable) -> ProductModel:
    """A model that knows no relation, so that its tables are off."""
    columns = tuple(table.counts((name,)).astype(float) for name in DOMAIN.names)
    return ProductModel(DOMAIN, float(table.rows), columns)


def evidence(table: CodeTable, rng: np.random.Generator, epsilon: float = 0.1) -> Evidence:
    """A selection by the independent model, its winner measured twice, and a column."""
    model = product(table)
    score = L1Gap(
        cliques=PAIRS,
        estimates=tuple(model.project(r) for r in PAIRS),
        weights=(1, 1, 1),
        penalties=tuple(8.0 * DOMAIN.size(r) for r in PAIRS),
    )
    values = np.array([score.value(i, table.counts(r)) for i, r in enumerate(PAIRS)], dtype=float)
    index = int(np.argmax(values + rng.gumbel(0, score.swing(1) / epsilon, 3)))
    choice = Choice(
        score=score, index=index, units=1, epsilon=epsilon, swing=score.swing(1), part="mechanism", step=1
    )
    answers = (
        measured(table, ("a",), 10, 0),
        choice,
        measured(table, choice.clique, 10, 2),
        measured(table, choice.clique, 7, 3),
    )
    return Evidence(codebook=Codebook.plain(DOMAIN), answers=answers, total=float(table.rows))


def distance(table: CodeTable, model: ProductModel, clique: Clique) -> np.ndarray:
    return table.counts(clique) - model.project(clique)


def test_both_theorems_hold_at_their_level_for_all_tables_at_once() -> None:
    table, rng = truth(), np.random.default_rng(0)
    model = product(table)
    missed = {"l2": 0, "triangle": 0, "unselected": 0}
    for _ in range(RUNS):
        asked = evidence(table, rng)
        limits = measured_limits(asked, model, beta=BETA)
        gaps = [float(np.linalg.norm(distance(table, model, limit.clique))) for limit in limits]
        missed["l2"] += any(gap > limit.l2 for gap, limit in zip(gaps, limits, strict=True))
        missed["triangle"] += any(gap > limit.triangle for gap, limit in zip(gaps, limits, strict=True))
        others = unselected_limits(asked, model, beta=BETA)
        assert [u.clique for u in others] == list(PAIRS)
        missed["unselected"] += any(np.abs(distance(table, model, u.clique)).sum() > u.l1 for u in others)
    most = RUNS * BETA + 6 * (RUNS * BETA * (1 - BETA)) ** 0.5
    assert max(missed.values()) <= most, missed


def test_a_table_measured_twice_has_one_limit_by_the_mean_of_both() -> None:
    table = truth()
    asked, model = evidence(table, np.random.default_rng(0)), product(table)
    limits = measured_limits(asked, model)
    assert [limit.clique for limit in limits] == [("a",), asked.choices[0].clique]
    for limit in limits:
        assert limit.triangle <= limit.l2 * (1 + 1e-12)
        assert limit.l1 == pytest.approx(limit.triangle * DOMAIN.size(limit.clique) ** 0.5)
    once = Evidence(codebook=asked.codebook, answers=asked.answers[:-1], total=asked.total)
    exact = product(table)
    assert measured_limits(asked, exact)[0].clique == measured_limits(once, exact)[0].clique


class Centre:
    """A release that is just some counts of a pair."""

    domain = DOMAIN

    def __init__(self, counts: np.ndarray) -> None:
        self._counts = counts

    def project(self, clique: Clique) -> np.ndarray:
        return self._counts if len(clique) == 2 else np.ones(DOMAIN.shape(clique))


@pytest.mark.parametrize(("own", "best_is_joined"), [(25, True), (400, False)])
def test_limits_hold_with_a_joined_table_beside_a_plain_one_by_the_more_precise(
    own: int, best_is_joined: bool
) -> None:
    """Its columns are hardly known but by the plain table, so that both have the same errors of them: as if
    they were independent, half of the limits would miss, of releases that are their mean."""
    rng, pair, runs, missed = np.random.default_rng(0), ("a", "b"), 600, 0
    truth_of = {r: truth().counts(r).astype(np.int64) for r in (("a",), ("b",), pair)}
    level = 0.2
    for _ in range(runs):
        tables = [
            Measurement(
                clique=r,
                counts=counts + np.rint(rng.normal(0, variance**0.5, counts.shape)).astype(np.int64),
                variance=Fraction(variance),
                units=1,
            )
            for (r, counts), variance in zip(truth_of.items(), (10**6, 10**6, 100), strict=True)
        ]
        lengths = np.sqrt(own * squared_lengths(DOMAIN.shape(pair)))
        asked = NoisyNumbers(
            asked={"ask": "interaction", "clique": list(pair), "shape": list(DOMAIN.shape(pair))},
            values=contrasted(truth_of[pair]) + np.rint(rng.normal(0, lengths)).astype(np.int64),
            variance=Fraction(own),
            units=1,
        )
        told = Evidence(
            codebook=Codebook.plain(DOMAIN), answers=(*tables, asked), total=estimate_total(tables)
        )
        plain, joined = (m for m in told.measurements if m.clique == pair)
        assert joined.joined and not plain.joined
        best = min(plain, joined, key=lambda m: m.variance)
        assert best.joined is best_is_joined
        weights = [float(1 / m.variance) for m in (plain, joined)]
        mean = np.average([plain.counts, joined.counts], axis=0, weights=weights)
        misses = False
        for counts in (plain.counts, joined.counts, mean):
            released = counts * (told.total / counts.sum())
            limits = measured_limits(told, Centre(released), beta=3 * level)
            assert [limit.clique for limit in limits] == list(truth_of)
            gap = float(np.linalg.norm(truth_of[pair] - released))
            misses |= gap > min(limits[-1].triangle, limits[-1].l2)
            off = float(np.linalg.norm(best.counts - released))
            noise = best.sigma * float(chi2(6).ppf(1 - level)) ** 0.5
            assert limits[-1].triangle == pytest.approx(off + noise)
        missed += misses
    assert missed / runs <= level + 3 * (level * (1 - level) / runs) ** 0.5


def test_a_limit_of_the_triangle_cannot_be_halved() -> None:
    """Where the model is the truth, what is left is the noise, as the quantile says."""
    table, off = truth(), []
    for _ in range(100):
        answer = measured(table, ("a", "b"), 10, 0)
        asked = Evidence(codebook=Codebook.plain(DOMAIN), answers=(answer,), total=900.0)
        (limit,) = measured_limits(asked, table, beta=0.05)
        off.append(limit.triangle / np.linalg.norm(answer.counts - table.counts(("a", "b"))))
    assert 1.5 < np.median(off) < 3.5


def test_nothing_is_said_of_others_without_a_selection_and_its_measurement() -> None:
    table = truth()
    asked = evidence(table, np.random.default_rng(0))
    bare = Evidence(codebook=asked.codebook, answers=asked.answers[:2], total=asked.total)
    assert unselected_limits(bare, product(table)) == ()
    assert "loose" in WARNING


def test_released_rows_are_weighted_to_the_total() -> None:
    """Twice as many rows of the same kind have the same limits."""
    table = truth()
    twice = CodeTable(DOMAIN, np.concatenate([table.codes, table.codes]))
    asked = evidence(table, np.random.default_rng(0))
    for limits in (measured_limits, unselected_limits):
        assert [u.l1 for u in limits(asked, twice)] == pytest.approx([u.l1 for u in limits(asked, table)])


def test_tables_in_coarser_codes_have_a_limit_in_them_and_none_by_theorem_5() -> None:
    table, counts = truth(), truth().counts(("a", "b"))
    groups = {"a": (0, 0, 1)}
    merged = Measurement(
        clique=("a", "b"),
        counts=np.stack([counts[:2].sum(axis=0), counts[2]]),
        variance=Fraction(100),
        units=1,
        step=2,
        groups=groups,
    )
    choice = evidence(table, np.random.default_rng(0)).choices[0]
    chosen = replace(choice, index=0)
    asked = Evidence(codebook=Codebook.plain(DOMAIN), answers=(chosen, merged), total=900.0)
    (limit,) = measured_limits(asked, table)
    assert limit.is_coarse and limit.triangle < 100
    assert unselected_limits(asked, table) == ()


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_a_level_outside_nought_and_one_is_refused(beta: float) -> None:
    asked = evidence(truth(), np.random.default_rng(0))
    for limits in (measured_limits, unselected_limits):
        with pytest.raises(ValueError, match="beta"):
            limits(asked, product(truth()), beta=beta)
