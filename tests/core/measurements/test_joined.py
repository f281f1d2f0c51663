"""Test joined tables: exact without noise, and with noise at most the stated variance in every direction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.core.domain import Clique
from synth.core.measurements.interactions import contrasted, interaction, squared_lengths
from synth.core.measurements.joined import tables_of
from synth.core.measurements.noisy import Answer, Measurement, NoisyNumbers, coarsened
from synth.models.estimates.total import estimate_total
from tests.models.examples import measurement

SIZES = {"a": 2, "b": 3, "c": 4, "d": 2}
GROUPS = {"c": (0, 1, 1, 1)}
TRUTH = np.random.default_rng(0).integers(50, 90, tuple(SIZES.values()))
TOTAL = float(TRUTH.sum())


def exact(clique: Clique, groups: dict[str, tuple[int, ...]] | None = None) -> np.ndarray:
    away = tuple(axis for axis, name in enumerate(SIZES) if name not in clique)
    return coarsened(TRUTH.sum(axis=away), clique, groups or {}).astype(np.int64)


def table(clique: str, variance: int, *, groups: dict[str, tuple[int, ...]] | None = None) -> Measurement:
    """Without noise."""
    names = tuple(clique)
    own = groups or {}
    return measurement(names, exact(names, own), variance, groups=own)


def requested(
    clique: str, variance: int, *, units: int = 3, step: int = 0, part: str = "mechanism"
) -> NoisyNumbers:
    """An interaction without noise."""
    counts = exact(tuple(clique))
    return NoisyNumbers(
        requested={"ask": "interaction", "clique": list(clique), "shape": list(counts.shape)},
        values=contrasted(counts),
        variance=Fraction(variance),
        units=units,
        step=step,
        part=part,
    )


def scales(answer: Answer) -> np.ndarray:
    """Return the standard deviation of each number of the query."""
    if isinstance(answer, NoisyNumbers):
        lengths = squared_lengths([int(n) for n in answer.requested["shape"]])
        return np.sqrt(float(answer.variance) * lengths)
    assert isinstance(answer, Measurement)
    return np.full(answer.counts.shape, answer.sigma)


def moved(answers: Sequence[Answer], by: Sequence[np.ndarray]) -> list[Answer]:
    """With noise."""
    found: list[Answer] = []
    for answer, noise in zip(answers, by, strict=True):
        whole = np.rint(noise).astype(np.int64)
        if isinstance(answer, NoisyNumbers):
            found.append(replace(answer, values=answer.values + whole))
        elif isinstance(answer, Measurement):
            found.append(replace(answer, counts=answer.counts + whole))
    return found


def last(answers: Sequence[Answer]) -> Measurement:
    """Return the table of the last interaction, with the total from the tables."""
    total = estimate_total(a for a in answers if isinstance(a, Measurement))
    return list(tables_of(answers, total))[-1]


ONE_WAYS = [table("a", 9), table("b", 25), table("c", 4), table("d", 16)]
IN_GROUPS, TRIPLE = table("ac", 7, groups=GROUPS), requested("abc", 40)
CASES: dict[str, list[Answer]] = {
    "a pair": [*ONE_WAYS, requested("ac", 100)],
    "a pair that is known better than its columns": [*ONE_WAYS, requested("ac", 1)],
    "a column": [table("a", 9), requested("c", 4)],
    "columns as interactions": [table("a", 9), requested("b", 4), requested("c", 7), requested("bc", 25)],
    "a table around it": [*ONE_WAYS, table("abd", 30), requested("bc", 20)],
    "twice": [*ONE_WAYS, requested("bc", 30), requested("bc", 50)],
    "a triple of columns and pairs": [
        *ONE_WAYS,
        requested("ab", 30),
        table("ac", 7),
        requested("bc", 9),
        TRIPLE,
    ],
    "a triple whose pairs are told twice": [
        *ONE_WAYS,
        *(f(pair, 90) for pair in ("ab", "ac", "bc") for f in (table, requested)),
        requested("abc", 10),
    ],
    "a table of its own beside it": [*ONE_WAYS, table("bc", 30), requested("bc", 50)],
    "a column that a table in groups alone tells of": [table("b", 25), IN_GROUPS, requested("ab", 30)],
    "a triple beside tables in groups": [
        *ONE_WAYS,
        requested("ab", 30),
        IN_GROUPS,
        requested("ac", 60),
        table("bc", 9),
        TRIPLE,
    ],
}
EVERY = pytest.mark.parametrize("answers", CASES.values(), ids=CASES)


@EVERY
def test_in_no_direction_is_its_noise_more_than_is_told(answers: list[Answer]) -> None:
    """The result is linear in all numbers, so its covariance is known exactly. Some direction has the stated
    variance.
    """
    large, still = 10**7, [np.zeros(scales(answer).shape) for answer in answers]
    base = last(answers).counts
    covariance = np.zeros((base.size, base.size))
    for at, answer in enumerate(answers):
        for place in np.ndindex(still[at].shape):
            by = [noise.copy() for noise in still]
            by[at][place] = large
            change = (last(moved(answers, by)).counts - base).ravel() / large
            covariance += scales(answer)[place] ** 2 * np.outer(change, change)
    most = float(np.linalg.eigvalsh(covariance)[-1])
    stated = float(last(answers).variance)
    assert most == pytest.approx(stated, rel=1e-5)


@pytest.mark.parametrize("case", ["a pair", "a triple of columns and pairs", "twice"])
def test_over_many_draws_it_is_unbiased_and_as_noisy_as_is_told(case: str) -> None:
    answers, rng, draws = CASES[case], np.random.default_rng(1), 2000
    truth = last(answers).counts

    def drawn() -> Iterator[np.ndarray]:
        for _ in range(draws):
            noisy = moved(answers, [rng.normal(0, scales(answer)) for answer in answers])
            yield (last(noisy).counts - truth).ravel()

    off = np.array(list(drawn()))
    stated = float(last(answers).variance) + 1 / 12
    assert abs(off.mean(axis=0)).max() < 5 * (stated / draws) ** 0.5
    most = float(np.linalg.eigvalsh(off.T @ off / draws)[-1])
    luck = (1 + (truth.size / draws) ** 0.5 + 5 / draws**0.5) ** 2
    assert stated / luck < most < stated * luck


@pytest.mark.parametrize(
    "answers",
    [
        [table("a", 1), requested("ab", 1)],
        [*ONE_WAYS[:2], requested("ab", 1), requested("abc", 1)],
        [*ONE_WAYS, requested("ab", 1), requested("bc", 1), requested("abc", 1)],
        [table("a", 1), table("b", 1), table("c", 1, groups={"c": (0, 0, 1, 1)}), requested("bc", 1)],
        [table("b", 1), table("bc", 1, groups=GROUPS), requested("bc", 1)],
    ],
)
def test_where_nothing_tells_of_something_inside_there_is_no_table(answers: list[Answer]) -> None:
    whole = requested("ad", 1)
    found = list(tables_of([*answers, ONE_WAYS[0], ONE_WAYS[3], whole], TOTAL))
    assert [m.clique for m in found if m.joined and len(m.clique) != 2] == []
    assert answers[-1].requested["clique"] not in [list(m.clique) for m in found if m.joined]  # type: ignore[attr-defined]
    assert found[-1].clique == ("a", "d") and found[-1].joined, "which does not stop the others"


def test_tables_in_groups_of_a_column_tell_of_the_others_alone() -> None:
    rest = [table("b", 1), table("c", 400), requested("ab", 1), requested("bc", 1)]
    grouped = table("ac", 1, groups=GROUPS)
    base = {m.clique: m.counts for m in tables_of([*rest, grouped], TOTAL)}
    moved_by = np.array([[100, 50], [-100, -50]])  # by 50 less of the first group of c
    other = replace(grouped, counts=grouped.counts + moved_by)
    found = {m.clique: m.counts for m in tables_of([*rest, other], TOTAL)}
    np.testing.assert_array_equal(found["b", "c"], base["b", "c"])
    change = found["a", "b"] - base["a", "b"]
    np.testing.assert_array_equal(change, np.array([[50] * 3, [-50] * 3]))


def test_numbers_of_another_shape_than_was_asked_are_refused() -> None:
    whole = requested("bc", 1)
    for values in (whole.values[:-1], whole.values.T.copy(), whole.values.ravel()):
        with pytest.raises(ValueError, match="one number less"):
            list(tables_of([*ONE_WAYS, replace(whole, values=values)], TOTAL))


@pytest.mark.parametrize("told_by", [table, requested])
def test_what_is_inside_is_weighed_by_its_precision(told_by: Callable[..., Answer]) -> None:
    """A pair with a quarter of the noise variance of another has four times its weight."""
    near, far = told_by("ab", 10), told_by("ab", 40)
    noise = [np.zeros(scales(answer).shape) for answer in (near, far)]
    triple = [*ONE_WAYS, requested("ac", 1), requested("bc", 1), requested("abc", 1)]
    base = last([*triple[:-1], near, far, triple[-1]]).counts

    def change(one: float, other: float) -> np.ndarray:
        by = [noise[0] + 0, noise[1] + 0]
        by[0].flat[0], by[1].flat[0] = one, other
        pair = moved([near, far], by)
        return (last([*triple[:-1], *pair, triple[-1]]).counts - base).sum(axis=2)

    free = np.array([[1, -1], [-1, 1]])
    large = 10**8
    one, other = (float((change(*by)[:, :2] * free).sum()) for by in ((large, 0), (0, large)))
    assert one / other == pytest.approx(4, rel=1e-4)


@pytest.mark.parametrize("many", [1, 2, 3])
def test_an_interaction_asked_again_is_pooled_by_precision(many: int) -> None:
    """Of one that was asked with variances 30, 60, and 20; its columns are known well."""
    columns = [table(name, 1) for name in "bc"]
    questions = [
        requested("bc", variance, units=units, step=step, part=part)
        for variance, units, step, part in ((30, 2, 7, "x"), (60, 5, 4, "y"), (20, 11, 9, "z"))
    ]
    off = [600, -240, 120]
    asked_again = [replace(q, values=q.values + by) for q, by in zip(questions, off, strict=True)][:many]
    found = [m for m in tables_of([*columns, *asked_again], TOTAL) if m.joined]
    (whole,) = found
    precision = sum((1 / q.variance for q in asked_again), Fraction(0))
    mean = sum((by / q.variance for by, q in zip(off, asked_again, strict=False)), Fraction(0)) / precision
    assert whole.variance == 1 / precision
    assert whole.units == sum(q.units for q in asked_again) == (2, 7, 18)[many - 1]
    assert (whole.step, whole.part) == (7, "x")
    truth = exact(("b", "c"))
    moved_by = interaction(np.full((2, 3), int(mean)), (3, 4))
    assert mean.denominator == 1
    np.testing.assert_array_equal(whole.counts, np.rint(truth + moved_by))
    assert (whole.counts != truth).any()
