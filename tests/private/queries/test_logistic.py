"""Test the score of a logistic regression: the contribution of a record, and the sensitivity."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN, ZCDP, Law
from synth.core.domain import Domain
from synth.core.measurements.logistic import CHANCE, FARTHEST, OF_INFORMATION, OF_SCORE, SPREAD, STEP, Score
from synth.core.measurements.moments import Block, Term
from synth.core.schema import Neighbours
from synth.private.queries.logistic import LogisticScore
from synth.private.terms import Terms
from tests.private.queries.tables import DOMAIN, exact, farthest, noise_is_as_large_as

A = Term(column="a", cells=3, low=0.0, high=4.0, name="a")
A_IS = Term(column="a", cells=3, code=1, name="a is y")
B = Term(column="b", cells=2, code=1, name="b is y")
EXAMPLES = (
    LogisticScore(Score(Block((A, B)), (0, 0)), ("a", "b")),
    LogisticScore(Score(Block((A_IS, B)), (-900, 5 * STEP)), ("a", "b")),
    LogisticScore(Score(Block((B, A_IS)), (STEP, -STEP)), ("a", "b")),
)


def test_it_sums_residuals_and_weights_at_the_start() -> None:
    half, quarter = CHANCE // 2, SPREAD // 4
    assert exact(EXAMPLES[0], [(2, 1)]).tolist() == [half, 2 * half, quarter, 2 * quarter, 4 * quarter]
    assert exact(EXAMPLES[0], [(0, 0)]).tolist() == [-half, 2 * half, quarter, -2 * quarter, 4 * quarter]
    assert exact(EXAMPLES[0], [(2, 1), (0, 0)]).tolist() == [0, 4 * half, 2 * quarter, 0, 8 * quarter]
    assert exact(EXAMPLES[0], []).tolist() == [0] * 5
    p = round(CHANCE / (1 + math.exp(-2)))
    assert exact(EXAMPLES[2], [(1, 0)])[0] == CHANCE - p, "the start is used as it was charged"


def test_a_record_without_a_value_adds_nothing() -> None:
    short = LogisticScore(Score(Block((replace(A, cells=2), B)), (0, 0)), ("a", "b"))
    assert exact(short, [(2, 1), (2, 0), (1, 1)]).tolist() == exact(short, [(1, 1)]).tolist()


TERMS = (
    *(Term(column=f"y{i}", cells=2, code=1, name="yes") for i in range(3)),
    Term(column="n", cells=3, low=0.0, high=1.0, name="n"),
)
OUT = Term(column="out", cells=2, code=1, name="out")
SCORES = {
    "flat": Score(Block((TERMS[3], OUT)), (0, 0)),
    "numbers": Score(Block((TERMS[3], replace(TERMS[3], column="m", cells=4), OUT)), (300, 6000, -2500)),
    "mixed": Score(Block((TERMS[0], TERMS[3], OUT)), (-2 * STEP, STEP, 3 * STEP)),
    "indicators": Score(Block((*TERMS[:3], OUT)), (0, 900, -900, 0)),
    "rare": Score(Block((TERMS[0], TERMS[3], OUT)), (-6 * STEP, STEP // 2, STEP // 3)),
    "certain": Score(Block((TERMS[0], TERMS[3], OUT)), (FARTHEST, 2 * STEP, STEP)),
}


def vectors(score: Score) -> Iterator[np.ndarray]:
    """Return the contribution of each possible record, with every entry divided by its scale."""
    columns = score.block.columns
    sizes = {term.column: term.cells for term in score.block.terms}
    domain = Domain(columns, tuple(sizes[name] for name in columns))
    query = LogisticScore(score, columns)
    for row in product(*(range(size) for size in domain.sizes)):
        yield exact(query, [row], domain) / np.array(score.scales)
    yield np.zeros(len(score.entries))


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("relation", Neighbours)
def test_of_all_units_none_moves_it_further_than_is_said(relation: Neighbours, rows: int, name: str) -> None:
    """Every unit of up to `rows` records on every lattice point, corners included."""
    most = farthest(vectors(SCORES[name]), rows, relation)
    limit = float(LogisticScore(SCORES[name], ()).l2_squared(Terms(rows=rows, neighbours=relation)))
    assert limit / 3 <= most <= limit * (1 + 1e-12), "reached to a third"
    if name == "flat" and relation is Neighbours.ADD_REMOVE:
        assert most == pytest.approx(limit), "reached at the corners"


@pytest.mark.parametrize("name", [name for name in SCORES if name != "certain"])
def test_the_price_covers_signs_and_the_dropped_squares(name: str) -> None:
    """Recompute the result in floats, over all probabilities between the smallest and the largest."""
    score = SCORES[name]
    reach = sum(abs(b) for b in score.start[1:])
    ends = np.clip([score.start[0] - reach, score.start[0] + reach], -FARTHEST, FARTHEST)
    p = 1 / (1 + np.exp(-np.linspace(*ends, 20_001) / STEP))
    residual, spread = np.maximum(p, 1 - p), p * (1 - p)
    g, h = (residual / residual.max() / OF_SCORE) ** 2, (spread / spread.max() / OF_INFORMATION) ** 2
    m = len(score.start)
    full, kept = m * (m + 1) / 2, len(score.regressors.entries)
    query = LogisticScore(score, ())
    added, replaced = (float(query.l2_squared(Terms(rows=1, neighbours=n))) for n in Neighbours)
    assert added == pytest.approx((m * g + kept * h).max(), rel=0.02)
    assert replaced == pytest.approx((4 * m * g + 2 * full * h).max(), rel=0.02)


@pytest.mark.parametrize("law", [ZCDP, GAUSSIAN], ids=lambda law: law.name)
def test_each_entry_has_noise_of_its_own_size(law: Law) -> None:
    query, terms = EXAMPLES[0], Terms(rows=2, neighbours=Neighbours.ADD_REMOVE, law=law)
    half, quarter = CHANCE // 2, SPREAD // 4
    assert query.score.scales == [2 * half, 4 * half, 3 * quarter, 6 * quarter, 12 * quarter]
    variance = query.variance(10**10, terms)
    assert float(variance) == pytest.approx((2 / 4 + 3 / 9) * 4 * 50)
    noise_is_as_large_as(query, terms, math.sqrt(variance) * np.array(query.score.scales))


def test_terms_and_starts_of_another_domain_do_not_fit() -> None:
    whole = EXAMPLES[0]
    blocks = [Block((B, A)), Block((B,)), Block((A, B), ("b",)), Block((replace(A, column="c"), B))]
    wrong = [LogisticScore(Score(block, (0,) * len(block.terms)), whole.clique) for block in blocks]
    starts = [(0,), (0, 0, 0), (0, FARTHEST + 1), (0, 0.5), (True, 0)]
    wrong += [LogisticScore(Score(whole.score.block, start), whole.clique) for start in starts]
    wrong.append(LogisticScore(whole.score, ("a",)))
    assert whole.fits(DOMAIN) and not any(query.fits(DOMAIN) for query in wrong)
