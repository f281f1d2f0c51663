from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.table import CodeTable
from synth.evaluate import fidelity as module
from synth.evaluate.fidelity import Yardstick, fixed_cliques

DOMAIN = Domain(("a", "b", "c"), (3, 2, 4))


def random_table(seed: int, rows: int) -> CodeTable:
    rng = np.random.default_rng(seed)
    return CodeTable(DOMAIN, np.stack([rng.integers(0, n, rows) for n in DOMAIN.sizes], axis=1))


@pytest.mark.parametrize("dense", [1, 10**6])
def test_distances_are_half_the_l1_norm_of_shares(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DENSE", dense)
    real, synthetic = random_table(0, 30), random_table(1, 77)
    found = Yardstick(real).fidelity(synthetic)
    everything = {**found.one, **found.two, **found.three}
    assert set(everything) == {r for k in (1, 2, 3) for r in combinations(DOMAIN.names, k)}
    for clique, distance in everything.items():
        direct = 0.5 * np.abs(real.project(clique) / 30 - synthetic.project(clique) / 77).sum()
        assert distance == pytest.approx(direct, abs=1e-12)
    assert found.mean2 == pytest.approx(np.mean(list(found.two.values())))


def test_the_same_table_twice_is_perfect_and_disjoint_ones_are_at_one() -> None:
    real = CodeTable(DOMAIN, np.zeros((9, 3), dtype=int))
    again = Yardstick(real).fidelity(CodeTable(DOMAIN, np.zeros((4, 3), dtype=int)))
    far = Yardstick(real).fidelity(CodeTable(DOMAIN, np.ones((4, 3), dtype=int)))
    assert (again.mean1, again.mean2, again.mean3) == (0.0, 0.0, 0.0)
    assert (far.mean1, far.mean2, far.mean3) == (1.0, 1.0, 1.0)


def test_the_triples_are_fixed_and_capped() -> None:
    many = Domain(tuple(f"x{i}" for i in range(16)), (2,) * 16)
    assert fixed_cliques(many, 3) == fixed_cliques(many, 3)
    assert len(set(fixed_cliques(many, 3))) == 300
    assert fixed_cliques(DOMAIN, 3) == [("a", "b", "c")]


def test_quadruples_are_averaged_where_they_are_asked_for() -> None:
    domain = Domain(("a", "b", "c", "d", "e"), (2,) * 5)
    rng = np.random.default_rng(0)
    real, other = (CodeTable(domain, rng.integers(0, 2, (60, 5))) for _ in range(2))
    direct = [
        0.5 * np.abs(real.project(r) - other.project(r)).sum() / 60 for r in combinations(domain.names, 4)
    ]
    assert Yardstick(real).mean_of(other, 4) == pytest.approx(np.mean(direct))
    assert Yardstick(random_table(0, 9)).mean_of(random_table(1, 9), 4) == 0.0
    assert len(fixed_cliques(Domain(tuple(f"x{i}" for i in range(16)), (2,) * 16), 4)) == 300


def test_empty_tables_have_no_fidelity() -> None:
    empty = CodeTable(DOMAIN, np.empty((0, 3), dtype=int))
    with pytest.raises(ValueError):
        Yardstick(empty)
    with pytest.raises(ValueError):
        Yardstick(random_table(0, 3)).fidelity(empty)
