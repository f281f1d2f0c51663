from fractions import Fraction

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN
from synth.core.domain import Domain
from synth.core.measurements.interactions import contrasted, squared_lengths
from synth.core.measurements.noisy import Measurement, NoisyNumbers
from synth.core.table import CodeTable
from synth.private.noise import rounded_gaussian
from synth.release.checks.residuals import deviation, held_against, residuals, z_scores
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b"), (2, 3))


def test_z_is_the_gap_in_sigmas_after_weighting_to_the_total() -> None:
    m = measurement(("a",), [60, 30], 25)
    z = z_scores(m, CodeTable(DOMAIN, np.array([[0, 0]] * 7 + [[1, 0]] * 3)), total=100)
    np.testing.assert_allclose(z, [2.0, 0.0])


def test_z_of_the_truth_has_mean_square_one_for_rounded_noise_as_well() -> None:
    """At sigma 1/2 rounding makes the variance 1.30 times as large; 40 000 draws tell that from 1."""
    truth, variance = np.full(40_000, 7, dtype=np.int64), Fraction(1, 4)
    m = measurement(("a",), truth + rounded_gaussian(variance, len(truth)), variance, law=GAUSSIAN)
    wide = Domain(("a",), (len(truth),))
    z = z_scores(m, CodeTable(wide, np.arange(len(truth))[:, None]), total=float(truth.sum()))
    assert np.square(z).mean() == pytest.approx(1.0, abs=0.06)
    assert deviation(m) ** 2 / float(variance) == pytest.approx(1.3017, abs=1e-3)


def test_the_summary_counts_cells_beyond_three_and_keeps_the_order() -> None:
    table = CodeTable(DOMAIN, np.array([[0, 0]] * 50 + [[1, 2]] * 50))
    far = measurement(("b",), [50, 40, 50], 100, step=7)
    near = measurement(("a",), [52, 48], 4, step=8)
    first, second = residuals(evidence_of(DOMAIN, [far, near], 100.0), table)
    assert (first.step, first.clique, first.cells) == (7, ("b",), 3)
    assert first.beyond == pytest.approx(1 / 3)
    assert first.largest == pytest.approx(4.0)
    assert second.mean_square == pytest.approx(1.0) and second.beyond == 0.0


def test_a_coarse_answer_is_compared_in_its_own_cells() -> None:
    groups = {"b": (0, 1, 1)}
    m = measurement(("b",), [5, 5], groups=groups)
    table = CodeTable(DOMAIN, np.array([[0, 0]] * 4 + [[0, 1]] * 3 + [[1, 2]] * 3))
    assert z_scores(m, table, total=10.0).tolist() == [-1.0, 1.0]


def test_tilings_come_last_and_only_where_records_were_made_of_them() -> None:
    domain = Domain(("a", "b", "c"), (2, 3, 3))

    def tiling(group_of: tuple[int, ...], count: int) -> Measurement:
        counts = np.full((2, 2, 3), count)
        return measurement(domain.names, counts, groups={"b": group_of})

    one = measurement(("a",), [9, 9])
    answers = (tiling((0, 1, 1), 1), tiling((0, 0, 1), 4), one)
    stated = evidence_of(domain, answers, 18.0)
    every = np.array(list(np.ndindex(2, 3, 3)))
    table = CodeTable(domain, every)
    assert [r.clique for r in residuals(stated, table)] == [("a",)]
    found = residuals(stated, table, tilings=True)
    assert [(r.clique, r.cells) for r in found] == [(("a",), 2), (domain.names, 12), (domain.names, 12)]
    assert [r.largest for r in found] == [0.0, 1.0, 3.0], "of cells that hold one record and two"
    assert [m.clique for m in held_against(stated, tilings=True)] == [r.clique for r in found]


def test_of_an_interaction_z_of_the_truth_has_mean_square_one_whatever_its_columns_say() -> None:
    rng, draws, sigma = np.random.default_rng(0), 300, 30
    domain = Domain(("a", "b"), (4, 5))
    truth = CodeTable(domain, rng.integers(0, 4, (900, 2)))
    pair = truth.counts(domain.names).astype(np.int64)
    lengths, squares = np.sqrt(squared_lengths(pair.shape)), []
    for _ in range(draws):
        columns = [
            measurement(
                (name,),
                truth.counts((name,)).astype(np.int64) + rng.integers(-50, 51, domain.size((name,))),
                850,
            )
            for name in domain.names
        ]
        noise = np.rint(rng.normal(0, sigma, lengths.shape) * lengths).astype(np.int64)
        requested = NoisyNumbers(
            requested={"ask": "interaction", "clique": ["a", "b"], "shape": [4, 5]},
            values=contrasted(pair) + noise,
            variance=Fraction(sigma**2),
            units=1,
        )
        stated = evidence_of(domain, (*columns, requested), 900.0)
        z = z_scores(stated.measurements[-1], truth, total=900.0)
        squares.append(float(np.square(z).mean()))
        assert z.shape == requested.values.shape
    assert abs(np.mean(squares) - 1) < 5 * (2 / (12 * draws)) ** 0.5
