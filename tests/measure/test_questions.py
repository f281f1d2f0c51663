"""Priced questions before the mechanism: their exact privacy loss on small cases, and their laws."""

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.axis import Axis
from synth.entropy import Rehearsal
from synth.measure.accounting import delta_from
from synth.measure.questions import (
    LN2_ABOVE,
    MagnitudesQuestion,
    TreeQuestion,
    ValuesQuestion,
    magnitude_grid,
)
from synth.measure.room import Sensitivity
from synth.measure.table import PrivateTable
from synth.schema import Column, Kind, Neighbours, Outside, Schema, Unit


def grid(cells: int) -> Axis:
    column = Column(name="x", kind=Kind.INTEGER, outside=Outside.OTHER)
    return Axis(column=column, edges=tuple(float(e) for e in range(cells + 1)), other="Other")


def tree(cells: int, *, epsilon: float, change: int = 1) -> TreeQuestion:
    return TreeQuestion(axis=grid(cells), change=change, units=math.ceil(epsilon**2 / 2 * 10**12))


def chances(question: TreeQuestion, count: int, depth: int) -> tuple[float, float]:
    """Pr[b + Laplace > 0] and its complement in floats, written independently of the coin."""
    scale, decay = float(question.scale), float(question.decay)
    biased = max(count - depth * decay, -decay)
    tail = 0.5 * math.exp(-abs(biased) / scale)
    return (tail, 1 - tail) if biased <= 0 else (1 - tail, tail)


def law(question: TreeQuestion, counts: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """The exact probability of every set of leaves."""

    def below(first: int, end: int, depth: int) -> dict[tuple[int, ...], float]:
        if end - first == 1:
            return {(first,): 1.0}
        splits, stays = chances(question, sum(counts[first:end]), depth)
        middle = (first + end) // 2
        found = {(first,): stays}
        left, right = below(first, middle, depth + 1), below(middle, end, depth + 1)
        for a, b in itertools.product(left, right):
            found[a + b] = found.get(a + b, 0.0) + splits * left[a] * right[b]
        return found

    return below(0, question.cells, 0)


def loss(question: TreeQuestion, counts: tuple[int, ...], other: tuple[int, ...]) -> float:
    p, q = law(question, counts), law(question, other)
    assert math.isclose(sum(p.values()), 1)
    return max(abs(math.log(p[t] / q[t])) for t in p if min(p[t], q[t]) > 1e-290)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("cells", [4, 7, 8])
def test_a_tree_loses_at_most_epsilon_per_row(cells: int, epsilon: float) -> None:
    question = tree(cells, epsilon=epsilon)
    rng = np.random.default_rng(cells)
    worst = 0.0
    shapes = [(0,) * cells, (1,) * cells, (40,) + (0,) * (cells - 1)]
    shapes += [tuple(rng.integers(0, top, cells).tolist()) for top in (2, 4, 12, 60) for _ in range(6)]
    shapes += [(round(k * float(question.decay)),) + (0,) * (cells - 1) for k in range(5)]
    for counts in shapes:
        for j in range(cells):
            more = tuple(c + (i == j) for i, c in enumerate(counts))
            worst = max(worst, loss(question, more, counts))
    assert worst <= epsilon * (1 + 1e-9)
    assert worst > epsilon / 4


def test_a_tree_loses_at_most_epsilon_per_unit_of_several_rows() -> None:
    question = tree(4, epsilon=1.0, change=3)
    for counts in itertools.product((0, 1, 5), repeat=4):
        for places in itertools.combinations_with_replacement(range(4), 3):
            more = tuple(c + places.count(i) for i, c in enumerate(counts))
            assert loss(question, more, counts) <= 1 + 1e-9


def test_one_row_of_a_larger_unit_needs_the_larger_scale() -> None:
    """The check above has power: with the scale for one row, three rows lose more than epsilon."""
    question = tree(8, epsilon=1.0, change=1)
    assert loss(question, (3,) + (0,) * 7, (0,) * 8) > 1.5


def test_price_and_parameters_are_on_the_safe_side() -> None:
    assert Fraction(LN2_ABOVE) > Fraction(math.log(2))
    for units in (1, 7, 10**9, 123456789012):
        question = TreeQuestion(axis=grid(4), change=2, units=units)
        assert question.epsilon**2 / 2 <= Fraction(units, 10**12)
        assert float(question.epsilon) == pytest.approx(math.sqrt(2 * units * 1e-12), rel=1e-5)
        assert question.scale == 6 / question.epsilon
        assert question.decay > question.scale * Fraction(math.log(2))


@pytest.mark.parametrize(("count", "depth"), [(0, 0), (0, 3), (5, 0), (5, 1), (9, 2), (30, 1)])
def test_coins_follow_their_law(count: int, depth: int) -> None:
    question = tree(64, epsilon=1.0)
    p, _ = chances(question, count, depth)
    entropy = Rehearsal(count * 10 + depth)
    draws = 8000
    heads = sum(question.splits(count, depth, entropy=entropy) for _ in range(draws))
    assert abs(heads - draws * p) < 6.2 * math.sqrt(draws * p * (1 - p))


def test_drawn_trees_follow_the_exact_law() -> None:
    question, counts, draws = tree(4, epsilon=2.0), (6, 0, 1, 0), 6000
    expected = law(question, counts)
    found: dict[tuple[int, ...], int] = {}
    entropy = Rehearsal(5)
    for _ in range(draws):
        leaves = tuple(question.leaves(np.array(counts), entropy=entropy))
        found[leaves] = found.get(leaves, 0) + 1
    assert set(found) <= set(expected)
    statistic = sum((found.get(t, 0) - draws * p) ** 2 / (draws * p) for t, p in expected.items())
    assert statistic < 50  # chi-square with 4 degrees of freedom: 4e-10


def test_much_budget_splits_what_is_full_and_little_budget_nothing() -> None:
    counts = np.zeros(1024, dtype=np.int64)
    counts[512:520] = 10**6
    leaves = tree(1024, epsilon=50.0).leaves(counts)
    assert set(range(512, 520)) <= set(leaves)
    assert leaves[0] == 0
    assert leaves == sorted(set(leaves))
    assert 14 < len(leaves) < 40
    roots = [tree(1024, epsilon=1e-5).leaves(counts) for _ in range(5)]
    assert max(map(len, roots)) < 100


def test_other_and_missing_codes_do_not_grow_a_tree() -> None:
    column = Column(name="x", kind=Kind.INTEGER)
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(column,))
    table = PrivateTable.of({"x": ["", "77"] * 10**4}, schema)
    answers = [json.loads(tree(4, epsilon=1.0).answer(table, entropy=Rehearsal(s))) for s in range(40)]
    assert sum(len(a) > 1 for a in answers) < 35


def tail(variance: Fraction, m: int) -> float:
    """Pr[Z >= m] of the discrete Gaussian, by summation."""
    reach = m + 40 * math.ceil(math.sqrt(variance))
    weights = [math.exp(-(z**2) / (2 * float(variance))) for z in range(-reach, reach + 1)]
    return sum(weights[reach + m :]) / sum(weights)


def values(delta: float = 1e-6, rows: int = 1, rho: float = 0.5) -> ValuesQuestion:
    return ValuesQuestion(column="sex", rows=rows, l2_squared=rows**2, units=round(rho * 10**12), delta=delta)


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("rho", [0.005, 0.5, 20.0])
@pytest.mark.parametrize("delta", [0.1, 1e-4, 1e-9])
def test_a_unit_alone_with_its_texts_appears_with_probability_below_delta(
    rows: int, rho: float, delta: float
) -> None:
    question = values(delta, rows, rho)
    for texts in range(1, rows + 1):
        most = rows - texts + 1
        appears = tail(question.variance, question.threshold - most)
        assert 1 - (1 - appears) ** texts <= delta


def listings(question: ValuesQuestion, counts: dict[str, int]) -> dict[tuple[str, ...], float]:
    """The exact probability of every list."""
    found = {(): 1.0}
    for text, count in sorted(counts.items()):
        p = tail(question.variance, question.threshold - count)
        found = {(*t, *new): q * (p if new else 1 - p) for t, q in found.items() for new in ((), (text,))}
    return found


@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("rho", [0.01, 0.1, 1.0])
def test_a_list_keeps_its_promise_on_neighbours(relation: Neighbours, rows: int, rho: float) -> None:
    """A unit's rows stand on a text of its own and on one that others hold; the list's delta comes on top of
    what rho amounts to, at every epsilon and either way round."""
    change = Sensitivity(rows=rows, neighbours=relation)
    question = ValuesQuestion(
        column="sex", rows=rows, l2_squared=change.l2_squared, units=round(rho * 10**12), delta=1e-3
    )
    replaces = relation is Neighbours.REPLACE
    for others, own in itertools.product((0, question.threshold - rows, question.threshold), range(rows + 1)):
        mine = {"a": others + rows - own, "b": own, "d": 7}
        without = {"a": others, "c": own, "d": 7 + rows - own} if replaces else {"a": others, "d": 7}
        p, q = listings(question, mine), listings(question, without)
        for epsilon, (x, y) in itertools.product((0.05, 0.5, 2.0), ((p, q), (q, p))):
            delta = sum(max(0.0, chance - math.exp(epsilon) * y.get(t, 0.0)) for t, chance in x.items())
            assert delta <= delta_from(rho, epsilon) + question.delta


def test_a_list_whose_threshold_forgets_the_rows_of_a_unit_breaks_its_promise() -> None:
    """The check above has power: at twenty rows the unit's own text is seen at a threshold made for one."""
    honest = values(1e-3, 20, 1.0)
    forgetful = replace(values(1e-3, 1, 1.0), l2_squared=400)
    assert tail(honest.variance, honest.threshold - 20) <= 1e-3
    assert tail(forgetful.variance, forgetful.threshold - 20) > 1e-2


def test_threshold_is_not_far_above_what_delta_needs() -> None:
    question = values(1e-6, 1, 0.005)
    assert tail(question.variance, question.threshold - 1 - 2) > 1e-6 / 2


def test_frequent_texts_are_listed_and_rare_ones_never() -> None:
    question = values(1e-9, 1, 0.5)
    counts = {"b": 500, "a": 500, "rare": 1, "": 900, "bell\a": 900, "x" * 201: 900}
    for seed in range(50):
        assert question.listed(counts, entropy=Rehearsal(seed)) == ["a", "b"]


def test_the_order_of_a_list_is_that_of_the_alphabet_and_tells_no_counts() -> None:
    question = values(1e-9, 1, 0.5)
    for counts in itertools.permutations((300, 700, 900)):
        texts = dict(zip(("nurse", "baker", "smith"), counts, strict=True))
        assert question.listed(texts, entropy=Rehearsal(1)) == ["baker", "nurse", "smith"]


def test_listing_has_the_odds_of_its_noise() -> None:
    question = values(1e-3, 1, 0.005)
    counts = {f"v{i:05}": question.threshold for i in range(20000)}
    shown = len(question.listed(counts, entropy=Rehearsal(1)))
    p = tail(question.variance, 0)
    assert abs(shown - 20000 * p) < 6.2 * math.sqrt(20000 * p * (1 - p))


def test_answers_of_a_table_are_lists_and_histograms() -> None:
    age = Column(name="age", kind=Kind.INTEGER, buy=True)
    sex = Column(name="sex", kind=Kind.CATEGORY, buy=True)
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(age, sex))
    table = PrivateTable.of({"age": ["5"] * 600 + ["-3"] * 400, "sex": ["é"] * 999 + ["z"]}, schema)
    assert json.loads(values().answer(table)) == ["é"]
    question = MagnitudesQuestion(column="age", kind=Kind.INTEGER, l2_squared=1, units=50 * 10**12)
    counts = np.frombuffer(question.answer(table, entropy=Rehearsal(1)), dtype="<i8")
    edges = magnitude_grid(Kind.INTEGER)
    assert len(counts) == len(edges) - 1
    assert abs(counts[edges.index(5.0)] - 600) < 3
    assert abs(counts[edges.index(-3.0)] - 400) < 3


def test_noise_of_magnitudes_has_its_price() -> None:
    schema = Schema(
        name="t", population="t", unit=Unit(max_rows=1), columns=(Column(name="x", kind=Kind.DECIMAL),)
    )
    table = PrivateTable.of({"x": []}, schema)
    question = MagnitudesQuestion(column="x", kind=Kind.DECIMAL, l2_squared=2, units=10**10)
    noise = [np.frombuffer(question.answer(table, entropy=Rehearsal(s)), dtype="<i8") for s in range(10)]
    assert np.var(noise) == pytest.approx(2 / (2 * 0.01), rel=6.2 * math.sqrt(2 / np.size(noise)))


def test_magnitudes_of_a_gaussian_run_say_so_and_get_rounded_noise() -> None:
    schema = Schema(
        name="t", population="t", unit=Unit(max_rows=1), columns=(Column(name="x", kind=Kind.DECIMAL),)
    )
    table, told = PrivateTable.of({"x": []}, schema), {}
    for is_gaussian in (True, False):
        question = MagnitudesQuestion(
            column="x", kind=Kind.DECIMAL, l2_squared=1, units=8 * 10**12, is_gaussian=is_gaussian
        )
        noise = [np.frombuffer(question.answer(table, entropy=Rehearsal(s)), dtype="<i8") for s in range(40)]
        told[is_gaussian] = question.facts().get("law"), float((np.array(noise) != 0).mean())
    assert told[True][0] == "gaussian" and told[False][0] is None
    assert told[True][1] > 0.036 > 0.003 > told[False][1], "sigma is 1/4 for both"


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.DECIMAL, Kind.DATE])
def test_grids_are_public_increasing_and_hold_zero_or_new_years(kind: Kind) -> None:
    grid = magnitude_grid(kind)
    assert all(a < b for a, b in itertools.pairwise(grid))
    assert 0.0 in grid
    if kind is Kind.INTEGER:
        assert all(e == int(e) for e in grid)


def test_facts_are_json_and_tell_questions_apart() -> None:
    questions = [tree(4, epsilon=1.0), tree(8, epsilon=1.0), values(), values(1e-7)]
    questions.append(MagnitudesQuestion(column="x", kind=Kind.DATE, l2_squared=1, units=1))  # type: ignore[arg-type]
    assert len({json.dumps(q.facts(), sort_keys=True) for q in questions}) == len(questions)
