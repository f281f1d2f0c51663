import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement, sum_groups
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.models import pgm
from synth.models.blend import refined
from synth.models.blend.refined import CAP, Refined, RefinedRecords
from synth.models.coarse import summed
from tests.models.examples import evidence_of, measurement, noisy

DOMAIN = Domain(tuple("abcd"), (6, 5, 4, 3))
GROUPS = {"a": (0, 0, 1, 1, 2, 2)}


def truth(rows: int = 4000) -> CodeTable:
    rng = np.random.default_rng(1)
    a = rng.choice(6, rows, p=[0.3, 0.1, 0.2, 0.1, 0.2, 0.1])
    b = np.where(rng.random(rows) < 0.7, a // 2, rng.integers(0, 5, rows))
    c = np.where(rng.random(rows) < 0.7, b % 4, rng.integers(0, 4, rows))
    d = np.where(rng.random(rows) < 0.7, (a // 2 + c) % 3, rng.integers(0, 3, rows))
    return CodeTable(DOMAIN, np.stack([a, b, c, d], axis=1))


ONES: list[Clique] = [(n,) for n in DOMAIN.names]
PAIRS: list[Clique] = list(combinations(DOMAIN.names, 2))


def fit(
    domain: Domain,
    measurements: list[Measurement],
    *,
    total: float,
    zeros: Sequence[Zero] = (),
    cap: int = CAP,
) -> Refined:
    evidence = evidence_of(domain, measurements, total, zeros=zeros)
    return RefinedRecords(clique_cells=cap).fit(evidence)


def test_first_asked_first_in_the_tree_and_the_rest_beside_it() -> None:
    table = truth()
    model = fit(DOMAIN, noisy(table, ONES + PAIRS, sigma=2), total=4000, cap=30)
    assert all(DOMAIN.size(c) <= 30 for c in model.tree.cliques)
    assert ("a", "b") not in model.beside and ("c", "d") in model.beside
    for r in PAIRS:
        assert np.abs(model.project(r) - table.project(r)).sum() < 0.1 * 4000


@pytest.mark.parametrize(
    ("most", "columns", "cap", "beside"),
    [(3, 63, 60, "ac ad"), (2, 63, 60, "ac ad bd"), (6, 2, 240, "ac ad bd")],
)
def test_after_many_refusals_circles_are_skipped(
    most: int, columns: int, cap: int, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With c and d in the tree, b and d also fit into a clique of 60 cells. Wider tables allow fewer rejected
    pairs and smaller cliques.
    """
    monkeypatch.setattr(refined, "MOST_REFUSED", most)
    monkeypatch.setattr(refined, "MOST_COLUMNS", columns)
    order: list[Clique] = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("a", "d"), ("b", "d")]
    model = fit(DOMAIN, noisy(truth(), ONES + order, sigma=2), total=4000, cap=cap)
    assert ["".join(r) for r in model.beside] == beside.split()


def test_a_table_of_three_columns_is_tried_however_many_did_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a table cannot be stored outside the tree. The table a c d fits, although the earlier table a b c
    does not.
    """
    monkeypatch.setattr(refined, "MOST_REFUSED", 0)
    tables: list[Clique] = [("a", "b"), ("c", "d"), ("a", "b", "c"), ("a", "c", "d")]
    assert [DOMAIN.size(r) for r in tables[2:]] == [120, 72]
    model = fit(DOMAIN, noisy(truth(), ONES + tables, sigma=2), total=4000, cap=72)
    assert not model.beside and {"a", "c", "d"} in [{*r} for r in model.tree.cliques]


def test_records_follow_the_pairs_beside_the_tree_too() -> None:
    table = truth()
    model = fit(DOMAIN, noisy(table, ONES + PAIRS, sigma=2), total=4000, cap=30)
    rng = np.random.default_rng(0)
    drawn = CodeTable(DOMAIN, model.tree.sample(4000, rng))
    better = CodeTable(DOMAIN, model.sample(4000, rng))
    for r in model.beside:
        wanted = model.project(r)
        assert np.abs(better.counts(r) - wanted).sum() < 0.5 * np.abs(drawn.counts(r) - wanted).sum()


def test_records_are_swapped_towards_tables_of_three_columns_too(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def record(model: object, codes: np.ndarray, **given: object) -> np.ndarray:
        calls.append(given)
        return codes

    monkeypatch.setattr(refined, "swap_towards", record)
    model = fit(DOMAIN, noisy(truth(), ONES + PAIRS, sigma=2), total=4000, cap=30)
    model.sample(10, np.random.default_rng(0))
    assert [given["triples"] for given in calls] == [True]


def test_a_sum_of_codes_has_the_noise_of_as_many() -> None:
    """Each group contains two codes. The error of a table is the smaller of its noise and its counts."""
    model = fit(DOMAIN, noisy(truth(), ONES + PAIRS, groups=GROUPS, sigma=20), total=4000)
    sums = summed(model.coarsening, pgm.Estimate(("a",), np.arange(6.0), Fraction(7)))
    assert sums.counts.tolist() == [1, 5, 9] and sums.variance == 14
    likely = model.tree.project_many(PAIRS)
    off = [np.minimum(20 * math.sqrt(2 / math.pi), table).sum() for table in likely]
    assert not model.beside and model.noise == pytest.approx(np.mean(off))


def test_answers_in_coarser_codes_give_a_model_of_the_fine_ones() -> None:
    table = truth()
    model = fit(DOMAIN, noisy(table, ONES + PAIRS, groups=GROUPS, sigma=2), total=4000)
    assert model.tree.domain.sizes == (3, 5, 4, 3) and model.domain == DOMAIN
    assert model.project(("a",)) == pytest.approx(table.project(("a",)), abs=25)
    codes = model.sample(4000, np.random.default_rng(0))
    assert np.bincount(codes[:, 0], minlength=6) == pytest.approx(table.counts(("a",)), abs=25)
    coarse = sum_groups(CodeTable(DOMAIN, codes).project(("a", "b")), 0, GROUPS["a"])
    assert np.abs(coarse - sum_groups(table.project(("a", "b")), 0, GROUPS["a"])).sum() < 300


def test_finer_answers_are_summed_where_others_are_coarse() -> None:
    table = truth()
    measured = [
        *noisy(table, [*ONES, ("a", "b")], sigma=2),
        *noisy(table, [("a", "c")], groups=GROUPS, sigma=2),
    ]
    model = fit(DOMAIN, measured, total=4000)
    assert model.tree.domain.sizes[0] == 3
    coarse = sum_groups(model.project(("a", "b")), 0, GROUPS["a"])
    assert np.abs(coarse - sum_groups(table.project(("a", "b")), 0, GROUPS["a"])).sum() < 300


def test_zeros_hold_beside_the_tree_and_in_every_record() -> None:
    forbidden = np.zeros((6, 5), dtype=bool)
    forbidden[:2, 3] = forbidden[4:, 0] = True
    zero = Zero(("a", "b"), forbidden)
    model = fit(
        DOMAIN, noisy(truth(), ONES + PAIRS, groups=GROUPS, sigma=40), total=4000, zeros=[zero], cap=15
    )
    assert model.beside and model.project(("a", "b"))[forbidden].sum() == 0
    codes = model.sample(3000, np.random.default_rng(0))
    assert not forbidden[codes[:, 0], codes[:, 1]].any()


@pytest.mark.parametrize(
    ("larger", "cap", "kept"),
    [(["abc"], CAP, "abc"), (["abc", "bcd"], CAP, ""), (["abc", "bcd"], 120, "abcd")],
    ids=["some columns", "all columns", "all columns, a pair beside the tree"],
)
def test_larger_tables_stay_as_drawn(
    larger: list[str], cap: int, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = set[str]()

    def swap(*_: object, kept: set[str], **__: object) -> None:
        stated.update(kept)

    model = fit(DOMAIN, noisy(truth(), [*map(tuple, larger), *ONES, *PAIRS], sigma=2), total=4000, cap=cap)
    assert bool(model.beside) == (cap < CAP)
    monkeypatch.setattr(refined, "swap_towards", swap)
    model.sample(1000, np.random.default_rng(0))
    assert stated == set(kept)


def test_a_fit_with_larger_tables_may_take_more_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refined, "OPTIONS", replace(refined.OPTIONS, sweeps=2))
    of_pairs = fit(DOMAIN, noisy(truth(), ONES + PAIRS, sigma=2), total=4000)
    with_more = fit(DOMAIN, noisy(truth(), [*ONES, *PAIRS, ("a", "b", "c")], sigma=2), total=4000)
    assert of_pairs.tree.report.sweeps < 10 < with_more.tree.report.sweeps


def test_any_number_of_columns_with_all_codes_in_one_group_are_told_by_themselves() -> None:
    """The number of columns exceeds the number of axes that an array allows. Together, they have one cell, so
    the limit on cells does not exclude them.
    """
    names = tuple(f"c{i:02d}" for i in range(70))
    domain, rng = Domain(names, (2,) * 70), np.random.default_rng(0)
    answers = [measurement((n,), rng.integers(40, 60, 2), 9) for n in names]
    answers += [
        measurement(pair, [[100]], 9, step=1, groups=dict.fromkeys(pair, (0, 0)))
        for pair in combinations(names, 2)
    ]
    evidence = evidence_of(domain, answers, 100)
    model = RefinedRecords().fit(evidence)
    assert model.sample(50, np.random.default_rng(0)).shape == (50, 70)
    assert model.project(("c00",)).sum() == pytest.approx(100)
