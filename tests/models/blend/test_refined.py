import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement, sum_groups
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.models import pgm
from synth.models.blend import refined
from synth.models.blend.refined import CAP, Refined, RefinedRecords
from synth.models.coarse import summed
from synth.models.records import swap_towards

DOMAIN = Domain(tuple("abcd"), (6, 5, 4, 3))
GROUPS = {"a": (0, 0, 1, 1, 2, 2)}


def truth(rows: int = 4000) -> CodeTable:
    rng = np.random.default_rng(1)
    a = rng.choice(6, rows, p=[0.3, 0.1, 0.2, 0.1, 0.2, 0.1])
    b = np.where(rng.random(rows) < 0.7, a // 2, rng.integers(0, 5, rows))
    c = np.where(rng.random(rows) < 0.7, b % 4, rng.integers(0, 4, rows))
    d = np.where(rng.random(rows) < 0.7, (a // 2 + c) % 3, rng.integers(0, 3, rows))
    return CodeTable(DOMAIN, np.stack([a, b, c, d], axis=1))


def asked(
    table: CodeTable,
    cliques: list[Clique],
    *,
    sigma: int = 2,
    groups: dict[str, tuple[int, ...]] | None = None,
) -> list[Measurement]:
    """Noisy answers; those on pairs in groups, if there are any."""
    rng = np.random.default_rng(5)
    found = []
    for step, clique in enumerate(cliques):
        counts = table.project(clique)
        own = {} if groups is None or len(clique) == 1 else {n: g for n, g in groups.items() if n in clique}
        for name, group_of in own.items():
            counts = sum_groups(counts, clique.index(name), group_of)
        noisy = np.rint(counts + rng.normal(0, sigma, counts.shape)).astype(np.int64)
        found.append(
            Measurement(
                clique=clique, counts=noisy, variance=Fraction(sigma**2), units=1, step=step, groups=own
            )
        )
    return found


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
    evidence = Evidence(
        codebook=Codebook.plain(domain, zeros=zeros), answers=tuple(measurements), total=total
    )
    return RefinedRecords(clique_cells=cap).fit(evidence)


def test_first_asked_first_in_the_tree_and_the_rest_beside_it() -> None:
    table = truth()
    model = fit(DOMAIN, asked(table, ONES + PAIRS), total=4000, cap=30)
    assert all(DOMAIN.size(c) <= 30 for c in model.tree.cliques)
    assert ("a", "b") not in model.beside and ("c", "d") in model.beside
    for r in PAIRS:
        assert np.abs(model.project(r) - table.project(r)).sum() < 0.1 * 4000


@pytest.mark.parametrize(
    ("most", "columns", "beside"), [(3, 63, "ac ad"), (2, 63, "ac ad bd"), (3, 2, "ac ad bd")]
)
def test_after_many_that_do_not_fit_only_what_closes_no_circle_is_tried(
    most: int, columns: int, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside c and d there is room for b and d, in a clique of 60 cells. The wider the table, the fewer."""
    monkeypatch.setattr(refined, "MOST_REFUSED", most)
    monkeypatch.setattr(refined, "MOST_COLUMNS", columns)
    order: list[Clique] = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("a", "d"), ("b", "d")]
    model = fit(DOMAIN, asked(truth(), ONES + order), total=4000, cap=60)
    assert ["".join(r) for r in model.beside] == beside.split()


def test_a_table_of_three_columns_is_tried_however_many_did_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no place beside the tree: a c d fits where a b c, which was asked before, does not."""
    monkeypatch.setattr(refined, "MOST_REFUSED", 0)
    tables: list[Clique] = [("a", "b"), ("c", "d"), ("a", "b", "c"), ("a", "c", "d")]
    assert [DOMAIN.size(r) for r in tables[2:]] == [120, 72]
    model = fit(DOMAIN, asked(truth(), ONES + tables), total=4000, cap=72)
    assert not model.beside and {"a", "c", "d"} in [{*r} for r in model.tree.cliques]


def test_records_follow_the_pairs_beside_the_tree_too() -> None:
    table = truth()
    model = fit(DOMAIN, asked(table, ONES + PAIRS), total=4000, cap=30)
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
    model = fit(DOMAIN, asked(truth(), ONES + PAIRS), total=4000, cap=30)
    model.sample(10, np.random.default_rng(0))
    assert [given["triples"] for given in calls] == [True]


def test_more_records_than_were_counted_are_swapped_towards_as_much_more() -> None:
    three = Domain(tuple("abc"), (4, 4, 4))
    rng = np.random.default_rng(4)
    a = rng.integers(0, 4, 1000)
    b = np.where(rng.random(1000) < 0.5, a, rng.integers(0, 4, 1000))
    c = np.where(rng.random(1000) < 0.8, (a + b) % 4, rng.integers(0, 4, 1000))
    table = CodeTable(three, np.stack([a, b, c], axis=1))
    model = fit(three, asked(table, [*combinations("abc", 1), *combinations("abc", 2)]), total=1000, cap=16)
    drawn = CodeTable(three, model.sample(3000, rng))
    assert model.beside
    for r, wanted in model.beside.items():
        assert 0.5 * np.abs(drawn.counts(r) / 3000 - wanted / 1000).sum() < 0.01


def test_a_sum_of_codes_has_the_noise_of_as_many() -> None:
    """Two codes to a group; and what a table is off by is its noise, or all that is in a cell."""
    model = fit(DOMAIN, asked(truth(), ONES + PAIRS, groups=GROUPS, sigma=20), total=4000)
    sums = summed(model.coarsening, pgm.Estimate(("a",), np.arange(6.0), Fraction(7)))
    assert sums.counts.tolist() == [1, 5, 9] and sums.variance == 14
    likely = model.tree.project_many(PAIRS)
    off = [np.minimum(20 * math.sqrt(2 / math.pi), table).sum() for table in likely]
    assert not model.beside and model.noise == pytest.approx(np.mean(off))


def test_answers_in_coarser_codes_give_a_model_of_the_fine_ones() -> None:
    table = truth()
    model = fit(DOMAIN, asked(table, ONES + PAIRS, groups=GROUPS), total=4000)
    assert model.tree.domain.sizes == (3, 5, 4, 3) and model.domain == DOMAIN
    assert model.project(("a",)) == pytest.approx(table.project(("a",)), abs=25)
    codes = model.sample(4000, np.random.default_rng(0))
    assert np.bincount(codes[:, 0], minlength=6) == pytest.approx(table.counts(("a",)), abs=25)
    coarse = sum_groups(CodeTable(DOMAIN, codes).project(("a", "b")), 0, GROUPS["a"])
    assert np.abs(coarse - sum_groups(table.project(("a", "b")), 0, GROUPS["a"])).sum() < 300


def test_finer_answers_are_summed_where_others_are_coarse() -> None:
    table = truth()
    measured = [*asked(table, [*ONES, ("a", "b")]), *asked(table, [("a", "c")], groups=GROUPS)]
    model = fit(DOMAIN, measured, total=4000)
    assert model.tree.domain.sizes[0] == 3
    coarse = sum_groups(model.project(("a", "b")), 0, GROUPS["a"])
    assert np.abs(coarse - sum_groups(table.project(("a", "b")), 0, GROUPS["a"])).sum() < 300


def test_zeros_hold_beside_the_tree_and_in_every_record() -> None:
    forbidden = np.zeros((6, 5), dtype=bool)
    forbidden[:2, 3] = forbidden[4:, 0] = True
    zero = Zero(("a", "b"), forbidden)
    model = fit(
        DOMAIN, asked(truth(), ONES + PAIRS, groups=GROUPS, sigma=40), total=4000, zeros=[zero], cap=15
    )
    assert model.beside and model.project(("a", "b"))[forbidden].sum() == 0
    codes = model.sample(3000, np.random.default_rng(0))
    assert not forbidden[codes[:, 0], codes[:, 1]].any()


def test_one_column_that_cannot_be_is_never_drawn() -> None:
    zero = Zero(("c",), np.array([False, False, False, True]))
    model = fit(DOMAIN, asked(truth(), ONES + PAIRS), total=4000, zeros=[zero])
    assert not (model.sample(500, np.random.default_rng(0))[:, 2] == 3).any()
    assert model.project(("c",))[3] == 0


def test_nothing_but_noise_leaves_the_columns_as_they_are() -> None:
    """A pair under noise a hundred times its cells moves neither columns nor relations by much."""
    rng = np.random.default_rng(2)
    table = CodeTable(DOMAIN, rng.integers(0, DOMAIN.sizes, size=(2000, 4)))
    measured = [*asked(table, ONES, sigma=1), *asked(table, [("a", "b")], sigma=1000)]
    model = fit(DOMAIN, measured, total=2000)
    assert np.abs(model.project(("a", "b")) - 2000 / 30).sum() < 400


def test_where_all_pairs_are_too_many_only_measured_ones_are_aimed_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = fit(DOMAIN, asked(truth(), ONES + PAIRS), total=4000, cap=30)
    rows = model.sample(4000, np.random.default_rng(0))
    for cells in (60, 0):
        monkeypatch.setattr(swap_towards, "TARGET_CELLS", cells)
        few = model.sample(4000, np.random.default_rng(0))
        assert few.shape == rows.shape and (few != rows).any()


@pytest.mark.parametrize(
    ("larger", "cap", "kept"),
    [(["abc"], CAP, "abc"), (["abc", "bcd"], CAP, ""), (["abc", "bcd"], 120, "abcd")],
    ids=["some columns", "all columns", "all columns, a pair beside the tree"],
)
def test_columns_of_larger_tables_stay_as_they_are_drawn_unless_that_would_be_all(
    larger: list[str], cap: int, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = set[str]()

    def swap(*_: object, kept: set[str], **__: object) -> None:
        told.update(kept)

    model = fit(DOMAIN, asked(truth(), [*map(tuple, larger), *ONES, *PAIRS]), total=4000, cap=cap)
    assert bool(model.beside) == (cap < CAP)
    monkeypatch.setattr(refined, "swap_towards", swap)
    model.sample(1000, np.random.default_rng(0))
    assert told == set(kept)


def test_a_fit_with_larger_tables_may_take_more_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refined, "OPTIONS", replace(refined.OPTIONS, sweeps=2))
    of_pairs = fit(DOMAIN, asked(truth(), ONES + PAIRS), total=4000)
    with_more = fit(DOMAIN, asked(truth(), [*ONES, *PAIRS, ("a", "b", "c")]), total=4000)
    assert of_pairs.tree.report.sweeps < 10 < with_more.tree.report.sweeps


def test_any_number_of_columns_with_all_codes_in_one_group_are_told_by_themselves() -> None:
    """More of them than an array has axes: together they have one cell, which no cap on cells refuses."""
    names = tuple(f"c{i:02d}" for i in range(70))
    domain, rng = Domain(names, (2,) * 70), np.random.default_rng(0)
    answers = [
        Measurement(clique=(n,), counts=rng.integers(40, 60, 2), variance=Fraction(9), units=1) for n in names
    ]
    answers += [
        Measurement(
            clique=pair,
            counts=np.array([[100]]),
            variance=Fraction(9),
            units=1,
            step=1,
            groups=dict.fromkeys(pair, (0, 0)),
        )
        for pair in combinations(names, 2)
    ]
    evidence = Evidence(codebook=Codebook.plain(domain), answers=tuple(answers), total=100.0)
    model = RefinedRecords().fit(evidence)
    assert model.sample(50, np.random.default_rng(0)).shape == (50, 70)
    assert model.project(("c00",)).sum() == pytest.approx(100)
