"""Which scored tables have a significant excess."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement, NoisyScores
from synth.mechanisms.blend.excess import counted, few_codes, noise_of, standing_out, sure_sigmas
from synth.mechanisms.blend.first_pass import distances_from, first_pass
from tests.mechanisms.examples import exact, problem_about

ROWS = 10_000
NAMES = (*"abcdefgh", "y")


def test_noise_does_not_add_a_column_to_a_table_that_stands_out() -> None:
    """Differences of squares of large distances are noisy. A table that contains a significant table must
    exceed it by more than the noise of two scores.
    """
    tables = [("a", "b", "y"), ("a", "b", "c", "y")]
    expected = {r: np.full((2,) * len(r), ROWS / 2 ** len(r)) for r in tables}
    unsure: dict[Clique, float] = {pair: 0.0 for pair in combinations(NAMES, 2)}

    def standing(values: list[float]) -> list[Clique]:
        scores = NoisyScores(
            score=distances_from(expected),
            values=np.array(values),
            variance=Fraction(1100**2),
            units=1,
            part="mechanism",
            step=0,
        )
        return list(standing_out([scores], total=ROWS, records=math.inf, unsure=unsure))

    assert standing([9000.0, 10500.0]) == tables[:1]
    assert standing([9000.0, 15000.0]) == tables
    assert standing([1000.0, 9000.0]) == tables[1:]
    assert standing([1000.0, 2900.0]) == []


def test_records_that_an_expectation_is_of_scatter_as_well() -> None:
    """A distance that is significant against exact expected counts is not significant against the counts of a
    few records.
    """
    table: Clique = ("a", "b", "y")
    expected = {table: np.full((8, 8, 8), ROWS / 512)}
    scores = NoisyScores(
        score=distances_from(expected),
        values=np.array([5000.0]),
        variance=Fraction(1),
        units=1,
        part="mechanism",
        step=0,
    )
    unsure: dict[Clique, float] = {pair: 0.0 for pair in combinations(table, 2)}
    found = [
        list(standing_out([scores], total=ROWS, records=records, unsure=unsure))
        for records in (math.inf, 2_000)
    ]
    assert found == [[table], []]


def test_the_more_tables_the_further_one_has_to_be() -> None:
    assert sure_sigmas(1) < sure_sigmas(100) < sure_sigmas(3_000) < 4.7


def test_columns_are_scored_in_the_fewest_groups_that_begin_with_a_part_of_the_records() -> None:
    rows = np.random.default_rng(0).integers(0, (40, 3), (ROWS, 2))
    domain = Domain(("a", "b"), (40, 3))
    problem = problem_about(domain, ordered={"a": 40})
    first = first_pass(exact(rows, domain, rho=1.0), problem)
    sizes = [few_codes(domain, problem, first, part=part).coarse.sizes for part in (1.0, 0.4)]
    assert 2 <= sizes[0][0] <= 4 < sizes[1][0] <= 10 and {size[1] for size in sizes} == {3}
    few = few_codes(domain, problem, first)
    (table,) = counted(few, 2.0 * ROWS, rows, [("a", "b")]).values()
    assert table.shape == few.coarse.sizes and table.sum() == 2 * ROWS
    measured = next(m for m in first.measured if isinstance(m, Measurement) and m.clique == ("b",))
    assert noise_of([measured]) == {("b",): measured.sigma * math.sqrt(3)}
