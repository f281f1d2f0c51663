import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from synth.core.domain import Domain
from synth.core.table import CodeTable
from synth.evaluate.sliced import sliced_distance


def table(sizes: tuple[int, ...], codes: list[list[int]]) -> CodeTable:
    return CodeTable(Domain(tuple("abc"[: len(sizes)]), sizes), np.array(codes))


def test_a_shift_is_as_long_as_its_mean_shadow() -> None:
    """One column moves by half its range: |cos| over a half circle has mean 2 / pi."""
    here, there = table((2, 2), [[0, 0], [0, 0]]), table((2, 2), [[1, 0]])
    assert sliced_distance(here, there) == pytest.approx(0.5 * 2 / np.pi, rel=1e-4)
    assert sliced_distance(here, here) == 0.0


def test_pairs_weigh_alike_and_finer_codes_are_nearer() -> None:
    """Only b moves, by a quarter of its range: two of three pairs see it."""
    here, there = table((2, 4, 3), [[0, 1, 2]]), table((2, 4, 3), [[0, 2, 2]])
    assert sliced_distance(here, there) == pytest.approx(0.25 * 2 / np.pi * 2 / 3, rel=1e-4)


def test_it_is_the_mean_of_distances_on_lines() -> None:
    rng = np.random.default_rng(0)
    domain = Domain(("a", "b"), (5, 3))
    one, other = (CodeTable(domain, rng.integers(0, (5, 3), (rows, 2))) for rows in (40, 70))
    angles = (np.arange(7) + 0.5) * (np.pi / 7)
    lines = [np.array([np.cos(angle), np.sin(angle)]) for angle in angles]
    places = [[(t.codes + 0.5) / (5, 3) @ line for line in lines] for t in (one, other)]
    expected = np.mean([wasserstein_distance(a, b) for a, b in zip(*places, strict=True)])
    assert sliced_distance(one, other, directions=7) == pytest.approx(float(expected), rel=1e-9)


def test_one_column_has_no_pairs_and_other_domains_are_refused() -> None:
    assert sliced_distance(table((2,), [[0]]), table((2,), [[1]])) == 0.0
    with pytest.raises(ValueError, match="same domain"):
        sliced_distance(table((2, 2), [[0, 0]]), table((2, 3), [[0, 0]]))
