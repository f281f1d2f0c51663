import math

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.table import CodeTable
from synth.evaluate.subsample import equivalent_share, expected_tvd

DOMAIN = Domain(("a", "b"), (4, 6))


def table(rows: int = 900) -> CodeTable:
    rng = np.random.default_rng(0)
    a = rng.choice(4, rows, p=[0.6, 0.3, 0.09, 0.01])
    return CodeTable(DOMAIN, np.stack([a, (a + rng.integers(0, 3, rows)) % 6], axis=1))


@pytest.mark.parametrize("k", [1, 7, 40])
def test_the_formula_is_the_mean_of_the_multinomial(k: int) -> None:
    counts, rows = np.array([5, 20, 25]), 50
    direct = 0.0
    for count in counts:
        p = count / rows
        direct += sum(abs(j / k - p) * math.comb(k, j) * p**j * (1 - p) ** (k - j) for j in range(k + 1))
    assert expected_tvd(k, counts, np.ones(3), rows) == pytest.approx(direct / 2, rel=1e-9)


def test_certain_cells_have_no_error() -> None:
    assert expected_tvd(3, np.array([0, 50]), np.ones(2), 50) == 0.0


@pytest.mark.parametrize("share", [0.1, 0.5, 2.0])
def test_a_subsample_of_known_size_is_recognised(share: float) -> None:
    real, cliques, rng = table(), [("a",), ("b",), ("a", "b")], np.random.default_rng(1)
    k = int(share * real.rows)
    errors = []
    for _ in range(60):
        kept = CodeTable(DOMAIN, real.codes[rng.integers(0, real.rows, k)])
        gaps = [np.abs(real.project(r) / real.rows - kept.project(r) / k).sum() / 2 for r in cliques]
        errors.append(np.mean(gaps))
    assert equivalent_share(real, cliques, float(np.mean(errors))) == pytest.approx(share, rel=0.15)


def test_perfection_is_capped_and_nonsense_needs_one_row() -> None:
    assert equivalent_share(table(), [("a",)], 0.0) == 100.0
    assert equivalent_share(table(), [("a",)], 1.0) == pytest.approx(1 / 900)
    with pytest.raises(ValueError):
        equivalent_share(table(), [], 0.1)
