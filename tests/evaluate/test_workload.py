import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.graphs.workload import Workload
from synth.core.table import CodeTable
from synth.evaluate import workload as module
from synth.evaluate.workload import workload_error

DOMAIN = Domain(("a", "b", "c"), (2, 3, 4))


def table(seed: int, rows: int) -> CodeTable:
    rng = np.random.default_rng(seed)
    return CodeTable(DOMAIN, np.stack([rng.integers(0, n, rows) for n in DOMAIN.sizes], axis=1))


@pytest.mark.parametrize("dense", [1, 10**6])
def test_counts_are_compared_per_real_row_and_clique(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DENSE", dense)
    real, synthetic = table(0, 40), table(1, 25)
    workload = Workload((("a", "b"), ("b", "c")), (1.0, 0.5))
    gaps = [np.abs(real.project(r) - synthetic.project(r)).sum() for r in workload.cliques]
    assert workload_error(real, synthetic, workload) == pytest.approx((gaps[0] + gaps[1] / 2) / (2 * 40))
    assert workload_error(real, real, workload) == 0.0


def test_half_the_rows_are_half_an_error_even_if_all_shares_are_right() -> None:
    real = table(0, 40)
    twice = CodeTable(DOMAIN, np.repeat(real.codes, 2, axis=0))
    assert workload_error(twice, real, Workload.all_kway(DOMAIN, 3)) == pytest.approx(0.5)


def test_nothing_to_compare_is_refused() -> None:
    empty = CodeTable(DOMAIN, np.empty((0, 3), dtype=int))
    pairs = Workload.all_kway(DOMAIN, 2)
    for real, synthetic, workload in (
        (empty, empty, pairs),
        (table(0, 3), table(0, 3), Workload((), ())),
        (table(0, 3), CodeTable(Domain(("a",), (2,)), np.zeros((3, 1), dtype=int)), pairs),
    ):
        with pytest.raises(ValueError):
            workload_error(real, synthetic, workload)
