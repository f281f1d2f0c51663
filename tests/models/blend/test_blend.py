from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence, Start
from synth.core.measurements.noisy import Measurement
from synth.core.model import Model
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.models.blend import blend
from synth.models.blend.blend import BlendedRecords
from synth.models.blend.blended import BlendedModel
from synth.models.blend.candidates import COPULA, FOREST
from synth.models.blend.refined import Refined
from synth.models.blend.thinning import thinned
from tests.models.copula import test_copula
from tests.models.examples import evidence_of, measurement, noisy
from tests.models.mixture import test_trees_fit
from tests.models.mixture.test_mixture import DOMAIN, ONES, PAIRS, ROWS, evidence, requested, truth


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept every blend, even if its advantage is small."""
    monkeypatch.setattr(blend, "CLEARLY", -np.inf)


def off(model: BlendedModel | Refined, *, rows: int = ROWS) -> float:
    """Return the mean total variation distance between the records' pairs and the true pairs."""
    drawn = CodeTable(DOMAIN, model.sample(rows, np.random.default_rng(0)))
    return float(
        np.mean([0.5 * np.abs(truth().counts(r) / ROWS - drawn.counts(r) / rows).sum() for r in PAIRS])
    )


def test_the_blend_is_near_the_truth_and_deterministic(always: None) -> None:
    stated = evidence(requested(ONES + PAIRS, sigma=20))
    model = BlendedRecords().fit(stated)
    assert isinstance(model, BlendedModel) and off(model) < 0.03
    assert sum(model.parts.values()) == pytest.approx(1)
    again = BlendedRecords().fit(stated)
    np.testing.assert_array_equal(model.project(("a", "c")), again.project(("a", "c")))
    for r in (*PAIRS, ("a", "b", "c"), ("d",)):
        table = model.project(tuple(r))
        assert table.sum() == pytest.approx(ROWS) and (table >= 0).all()


def test_where_nothing_clearly_beats_the_tree_it_is_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blend, "CLEARLY", np.inf)
    model = BlendedRecords().fit(evidence(requested(ONES + PAIRS, sigma=20)))
    assert isinstance(model, Refined) and off(model) < 0.03


@pytest.mark.parametrize(("certain", "often"), [(-np.inf, 1), (np.inf, blend.THINNINGS)])
def test_thinning_ends_once_certain(monkeypatch: pytest.MonkeyPatch, certain: float, often: int) -> None:
    monkeypatch.setattr(blend, "CERTAIN", certain)
    drawn: list[Evidence] = []

    def noted(*given: Any) -> tuple[Evidence, Evidence]:
        first, second = thinned(*given)
        drawn.append(first)
        return first, second

    monkeypatch.setattr(blend, "thinned", noted)
    BlendedRecords().fit(evidence(requested(ONES + PAIRS, sigma=20)))
    assert len(drawn) == len({one.measurements[-1].counts.tobytes() for one in drawn}) == often


def test_within_groups_the_details_are_those_of_a_right_start_and_of_no_wrong_one() -> None:
    """Without a starting table, the columns are independent within groups."""
    rng = np.random.default_rng(8)
    codes = np.stack([rng.integers(0, size, ROWS) for size in DOMAIN.sizes], axis=1)
    codes[:, 1] = np.minimum(codes[:, 0], 4)
    table, groups = CodeTable(DOMAIN, codes), {"a": (0, 0, 1, 1, 2, 2), "b": (0, 0, 1, 1, 1)}
    stated = evidence(noisy(table, ONES + PAIRS, sigma=10, groups=groups))
    shuffled = np.stack([rng.permutation(column) for column in codes.T], axis=1)
    errors = []
    for rows in (None, codes[::4], shuffled):
        start = None if rows is None else Start(codes=rows, source="", digest="")
        fine = BlendedRecords().fit(replace(stated, start=start)).project(("a", "b"))
        errors.append(np.abs(fine - table.counts(("a", "b"))).sum())
    assert errors[1] < 0.1 * errors[0] and errors[2] < 1.05 * errors[0]


def few_pairs(seed: int) -> tuple[Evidence, dict[tuple[int, int], np.ndarray]]:
    """Return noisy measurements of all pairs of eight binary columns, of which two pairs are related, and the
    true tables.
    """
    names, rng = tuple("abcdefgh"), np.random.default_rng(seed)
    domain, stated, real = Domain(names, (2,) * len(names)), list[Measurement](), {}
    for step, (a, b) in enumerate(combinations(range(len(names)), 2)):
        gap = 700 if (a, b) in ((0, 1), (2, 3)) else 0
        real[a, b] = np.array([[2500 + gap, 2500 - gap], [2500 - gap, 2500 + gap]])
        noisy = np.rint(real[a, b] + rng.normal(0, 200, (2, 2))).astype(np.int64)
        stated.append(measurement((names[a], names[b]), noisy, 200**2, step=step))
    return evidence_of(domain, stated, 10_000), real


@pytest.mark.long
def test_several_thinnings_are_nearer_to_the_truth_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    off = {}
    for often in (1, blend.THINNINGS):
        monkeypatch.setattr(blend, "THINNINGS", often)
        off[often] = 0.0
        for stated, real in map(few_pairs, range(8)):
            model, names = BlendedRecords().fit(stated), stated.domain.names
            off[often] += sum(
                np.abs(model.project((names[a], names[b])) - t).sum() for (a, b), t in real.items()
            )
    once, again = off.values()
    assert again < 0.95 * once


def of_nothing(seed: int) -> Evidence:
    """Return noisy measurements of uniform, independent columns."""
    rng = np.random.default_rng(seed)
    stated = [
        replace(m, counts=np.rint(ROWS / m.counts.size + rng.normal(0, 60, m.counts.shape)).astype(np.int64))
        for m in requested(ONES + PAIRS, sigma=60)
    ]
    return evidence(stated)


def test_what_chance_explains_is_taken_for_independence(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(model: Model) -> float:
        return float(np.mean([np.abs(model.project(r) - ROWS / DOMAIN.size(r)).sum() for r in PAIRS]))

    stated = [of_nothing(seed) for seed in range(6)]
    doubted = [away(BlendedRecords().fit(e)) for e in stated]
    monkeypatch.setattr(blend, "SURELY", -np.inf)
    believed = [away(BlendedRecords().fit(e)) for e in stated]
    assert sum(doubted) < 0.9 * sum(believed)


@dataclass(frozen=True)
class Seen:
    """A stack whose method `seen` returns a given number of standard deviations."""

    deviations: float
    weights: None = None

    def seen(self, weights: None) -> float:
        return self.deviations


@pytest.mark.parametrize(
    ("deviations", "belief"), [(-3, 0), (0, 0), (1.4, 0), (2, 0.5), (4, 0.875), (5.9, 1 - 2 / 5.9**2), (6, 1)]
)
def test_belief_grows_with_what_fresh_answers_see(deviations: float, belief: float) -> None:
    assert blend._belief(Seen(deviations)) == pytest.approx(belief)  # type: ignore[arg-type]


def test_half_a_belief_is_the_mean_of_all_and_none(monkeypatch: pytest.MonkeyPatch, always: None) -> None:
    """This holds for measured and for unmeasured pairs. Even if no blend is better than the tree, the result
    is not the tree.
    """
    stated = evidence(requested(ONES + PAIRS[:4], sigma=20))
    tables = []
    for belief, clearly in ((0.0, -np.inf), (0.5, np.inf), (1.0, -np.inf)):
        monkeypatch.setattr(blend, "_belief", lambda stack, stated=belief: stated)
        monkeypatch.setattr(blend, "CLEARLY", clearly)
        model = BlendedRecords().fit(stated)
        assert isinstance(model, BlendedModel)
        tables.append(model.tables)
    none, half, whole = tables
    for pair, table in half.items():
        assert np.abs(none[pair] - whole[pair]).sum() > 1
        np.testing.assert_allclose(table, (none[pair] + whole[pair]) / 2)
        outer = np.multiply.outer(none[pair].sum(axis=1), none[pair].sum(axis=0)) / none[pair].sum()
        np.testing.assert_allclose(none[pair], outer, atol=1e-6 * ROWS)


def test_what_answers_bear_out_is_believed_whole(monkeypatch: pytest.MonkeyPatch, always: None) -> None:
    stated = evidence(requested(ONES + PAIRS, sigma=20))
    once = BlendedRecords().fit(stated)
    monkeypatch.setattr(blend, "SURELY", -np.inf)
    again = BlendedRecords().fit(stated)
    assert isinstance(once, BlendedModel)
    np.testing.assert_array_equal(once.project(("a", "c")), again.project(("a", "c")))


def test_answers_about_no_pair_leave_the_tree_of_the_columns() -> None:
    assert isinstance(BlendedRecords().fit(evidence(requested(ONES))), Refined)


def test_a_zero_of_three_columns_is_kept_by_the_blend(always: None) -> None:
    forbidden = np.zeros((6, 5, 4), dtype=bool)
    forbidden[:3, :2, 1:] = True
    stated = evidence(requested(ONES + PAIRS, sigma=20), (Zero(("a", "b", "c"), forbidden),))
    model = BlendedRecords().fit(stated)
    codes = model.sample(20_000, np.random.default_rng(0))
    assert not forbidden[codes[:, 0], codes[:, 1], codes[:, 2]].any()
    assert model.project(("a", "b", "c"))[forbidden].sum() < 1e-6


def test_coarse_answers_come_back_in_the_domain_s_codes(always: None) -> None:
    groups = {"a": (0, 0, 1, 1, 2, 2), "b": (0, 0, 1, 2, 2)}
    stated: Evidence = evidence(requested(ONES + PAIRS, sigma=10, groups=groups))
    model = BlendedRecords().fit(stated)
    assert model.domain == DOMAIN and model.project(("a", "b")).shape == (6, 5)
    codes = model.sample(3000, np.random.default_rng(0))
    for i, r in enumerate(combinations(DOMAIN.names, 1)):
        have = np.bincount(codes[:, i], minlength=DOMAIN.sizes[i]) / 3000
        assert 0.5 * np.abs(have - truth().counts(r) / ROWS).sum() < 0.03


@pytest.mark.parametrize(
    "tables", [[DOMAIN.names], list(combinations(DOMAIN.names, 3))], ids=["of all columns", "every three"]
)
def test_tables_that_the_tree_holds_best_leave_it_alone(always: None, tables: list[Clique]) -> None:
    stated = evidence(requested([*ONES, *PAIRS, *tables], sigma=20))
    assert isinstance(BlendedRecords().fit(stated), Refined)


TRIPLE = DOMAIN.names[:3]


def test_a_table_of_three_columns_is_kept_beside_the_pairs(always: None) -> None:
    """The table is closer to the measurement if its noise is smaller, and its pairs are those of the blend.
    The records follow it.
    """
    real = truth().counts(TRIPLE)
    stated = {sigma: BlendedRecords().fit(evidence(_with_triple(sigma))) for sigma in (1, 10_000)}
    without = BlendedRecords().fit(evidence(requested(ONES + PAIRS, sigma=20)))
    assert all(isinstance(model, BlendedModel) and TRIPLE in model.cliques for model in stated.values())
    off = {sigma: np.abs(model.project(TRIPLE) - real).sum() for sigma, model in stated.items()}
    alone = np.abs(without.project(TRIPLE) - real).sum()
    assert off[1] < 0.3 * alone and off[10_000] == pytest.approx(alone, rel=0.2)
    for model in stated.values():
        table = model.project(TRIPLE)
        np.testing.assert_allclose(table.sum(axis=0), model.project(TRIPLE[1:]), rtol=0.05, atol=2)
    turned = stated[1].project(("c", "a", "b"))
    np.testing.assert_array_equal(turned, stated[1].project(TRIPLE).transpose(2, 0, 1))
    near, far = (
        np.abs(CodeTable(DOMAIN, m.sample(ROWS, np.random.default_rng(0))).counts(TRIPLE) - real).sum()
        for m in (stated[1], without)
    )
    assert near < 0.7 * far


def _with_triple(sigma: int) -> list[Measurement]:
    return [*requested(ONES + PAIRS, sigma=20), *requested([TRIPLE], sigma=sigma)]


def test_a_table_of_three_columns_keeps_the_zeros_and_comes_back_in_the_domain_s_codes(always: None) -> None:
    forbidden = truth().counts(TRIPLE) == 0
    forbidden[0, 0, 0] = True
    model = BlendedRecords().fit(evidence(_with_triple(5), (Zero(TRIPLE, forbidden),)))
    assert model.project(TRIPLE)[forbidden].sum() < 1e-6
    groups = {"a": (0, 0, 1, 1, 2, 2)}
    coarse = [*requested(ONES + PAIRS, sigma=20, groups=groups), *requested([TRIPLE], sigma=5, groups=groups)]
    assert BlendedRecords().fit(evidence(coarse)).project(TRIPLE).shape == DOMAIN.shape(TRIPLE)


def test_on_a_chain_the_forest_wins_and_draws_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = Domain(tuple("abcdefgh"), (3,) * 8)
    monkeypatch.setattr(test_trees_fit, "DOMAIN", domain)
    pairs = list(combinations(domain.names, 2))
    stated = test_trees_fit.noisy_chain(pairs, sigma=100)
    model = BlendedRecords().fit(stated)
    assert isinstance(model, BlendedModel) and model.parts[FOREST] > 0.5
    real, rows = test_trees_fit.chain(), test_trees_fit.ROWS
    drawn = CodeTable(real.domain, model.sample(rows, np.random.default_rng(0)))
    assert max(np.abs(drawn.counts(r) - real.counts(r)).sum() / rows for r in pairs) < 0.1


def test_a_copula_that_leaves_nothing_of_all_pairs_is_believed_without_asking_others() -> None:
    """The copula is the only candidate only in this case, not if a pair was not measured or if departures
    remain unexplained.
    """
    gaussian = test_copula.evidence(test_copula.table(), sigma=2)
    model = BlendedRecords().fit(gaussian)
    assert isinstance(model, BlendedModel) and model.parts == {COPULA: 1.0}
    assert model.candidates.tree is None and model.candidates.mixture is None
    assert model.candidates.forest is None
    assert model.sample(100, np.random.default_rng(0)).shape == (100, 4)
    some = replace(gaussian, answers=gaussian.answers[:-1])
    for stated in (some, evidence(requested(ONES + PAIRS, sigma=20))):
        other = BlendedRecords().fit(stated)
        assert isinstance(other, Refined) or other.candidates.tree is not None


def test_a_copula_that_leaves_much_is_not_believed_alone() -> None:
    """The columns are related by the distance of their codes from the middle."""
    rng = np.random.default_rng(0)
    far = rng.random((test_copula.ROWS, 1)) + 0.2 * rng.standard_normal((test_copula.ROWS, 4))
    sign = rng.choice([-1, 1], far.shape)
    sizes = np.array(test_copula.SIZES)
    codes = np.clip(np.floor((1 + sign * far) / 2 * sizes), 0, sizes - 1).astype(np.int64)
    model = BlendedRecords().fit(test_copula.evidence(codes, sigma=2))
    assert isinstance(model, Refined) or model.parts.get(COPULA, 0.0) < 0.5


def test_yes_no_columns_do_not_tell_that_a_copula_explains_them() -> None:
    codes = np.minimum(test_copula.table(), 1)
    rng, domain = np.random.default_rng(1), Domain(test_copula.NAMES, (2, 2, 2, 2))
    cliques = [*combinations(domain.names, 1), *combinations(domain.names, 2)]
    answers = [
        measurement(
            r, CodeTable(domain, codes).counts(r) + np.rint(rng.normal(0, 2, domain.shape(r))).astype(int), 4
        )
        for r in cliques
    ]
    stated = evidence_of(domain, answers, len(codes))
    model = BlendedRecords().fit(stated)
    assert isinstance(model, Refined) or model.candidates.tree is not None
