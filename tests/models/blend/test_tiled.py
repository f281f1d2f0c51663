"""Records with weights that are fitted to tables with different groups of codes."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.model import Model
from synth.core.zeros import Zero
from synth.models.blend import tiled
from synth.models.blend.blend import BlendedRecords
from synth.models.independent import IndependentColumns
from synth.models.records.record_table import WeightedRecords
from synth.models.registry import GENERATORS
from tests.models.examples import measurement

ROWS, CODES = 6000, 12
NAMES = ("a", "b", "c", "d", "y")
DOMAIN = Domain(NAMES, (CODES, CODES, CODES, CODES, 2))


def rows() -> np.ndarray:
    """Return uniform columns. y states whether the sum of the first three is large, and the fourth is
    independent of it.
    """
    codes = np.random.default_rng(0).integers(0, CODES, (ROWS, 4))
    return np.column_stack([codes, codes[:, :3].sum(axis=1) > 16])


def measured(clique: str, groups: dict[str, tuple[int, ...]], *, step: int) -> Measurement:
    codes = rows()
    shape, cells = [], []
    for name in clique:
        group_of = np.array(groups.get(name, range(DOMAIN.sizes[DOMAIN.axis(name)])))
        shape.append(int(group_of.max()) + 1)
        cells.append(group_of[codes[:, DOMAIN.axis(name)]])
    counts = np.bincount(np.ravel_multi_index(cells, shape), minlength=int(np.prod(shape))).reshape(shape)
    return measurement(tuple(clique), counts, 4, step=step, groups=groups)


def evidence(*, tiles: int = 12, zeros: tuple[Zero, ...] = ()) -> Evidence:
    rng = np.random.default_rng(1)
    answers = [measured(name, {}, step=i) for i, name in enumerate(NAMES)]
    answers += [measured("ay", {}, step=5), measured("by", {}, step=6)]
    for step in range(7, 7 + tiles):
        cuts = {name: np.sort(rng.choice(np.arange(1, CODES), 3, replace=False)) for name in "abc"}
        groups = {
            name: tuple(np.searchsorted(at, np.arange(CODES), side="right").tolist())
            for name, at in cuts.items()
        }
        answers.append(measured("abcy", groups, step=step))
    book = Codebook.plain(DOMAIN, ordered=dict.fromkeys("abcd", CODES), zeros=zeros)
    return Evidence(codebook=book, answers=tuple(answers), total=float(ROWS))


def right(codes: np.ndarray) -> float:
    return float(((codes[:, :3].sum(axis=1) > 16) == codes[:, 4]).mean())


def made(stated: Evidence) -> WeightedRecords:
    return tiled.tiled_records(stated, IndependentColumns().fit(stated.untiled()))


def test_what_many_cuts_have_in_common_is_learned_and_columns_come_as_they_are() -> None:
    model = made(evidence())
    codes = model.sample(ROWS, np.random.default_rng(0))
    assert right(IndependentColumns().fit(evidence()).sample(ROWS, np.random.default_rng(0))) < 0.6
    assert right(codes) > 0.9
    assert right(made(evidence(tiles=2)).sample(ROWS, np.random.default_rng(0))) < right(codes) - 0.02
    for axis, name in enumerate(NAMES):
        truth = np.bincount(rows()[:, axis], minlength=DOMAIN.sizes[axis])
        assert np.abs(model.project((name,)) - truth).sum() < 0.01 * ROWS
    assert model.weights.sum() == pytest.approx(ROWS)


def pairs_off(codes: np.ndarray, model: Model, pairs: Iterable[str]) -> float:
    """Return the mean distance between the pairs of the records and of the model, in records."""
    off = []
    for r in map(tuple, pairs):
        i, j = DOMAIN.axes(r)
        counts = np.bincount(codes[:, i] * DOMAIN.shape(r)[1] + codes[:, j], minlength=DOMAIN.size(r))
        off.append(np.abs(counts - model.project(r).ravel()).sum() / 2)
    return float(np.mean(off))


def test_pairs_stay_as_the_model_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights keep the pairs within the tilings, and swaps keep the pairs with the fourth column without
    changing the tiled columns.
    """
    stated = evidence()
    pairs = BlendedRecords().fit(stated.untiled())
    model = tiled.tiled_records(stated, pairs)
    codes = model.sample(ROWS, np.random.default_rng(0))
    raw = WeightedRecords.sample(model, ROWS, np.random.default_rng(0))
    kept = [np.unique(drawn[:, [0, 1, 2, 4]], axis=0, return_counts=True) for drawn in (codes, raw)]
    np.testing.assert_array_equal(kept[0][0], kept[1][0])
    np.testing.assert_array_equal(kept[0][1], kept[1][1])
    apart = ["ad", "bd", "cd", "dy"]
    assert pairs_off(codes, pairs, apart) < 0.6 * pairs_off(raw, pairs, apart)
    monkeypatch.setattr(tiled, "MOST_PAIRS", 0)
    without = tiled.tiled_records(stated, pairs).sample(ROWS, np.random.default_rng(0))
    within = ["ab", "ac", "bc"]
    assert pairs_off(codes, pairs, within) < 0.9 * pairs_off(without, pairs, within)
    assert right(codes) > 0.9


def test_varied_records_do_not_fill_cells_that_are_empty_in_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If b is a copy of a, a varied record without this property gets almost no weight."""
    copied = rows()
    copied[:, 1] = copied[:, 0]
    monkeypatch.setitem(globals(), "rows", lambda: copied)
    monkeypatch.setattr(tiled, "RECORDS", 2000)
    stated, exact = evidence(), measured("ab", {}, step=20)
    pairs = GENERATORS["refined"]().fit(replace(stated.untiled(), answers=(*stated.untiled().answers, exact)))
    noisy = (replace(m, variance=Fraction(900)) for m in stated.measurements)
    stated = replace(stated, answers=(*noisy, *stated.tilings))
    codes = tiled.tiled_records(stated, pairs).sample(ROWS, np.random.default_rng(0))
    assert (codes[:, 0] != codes[:, 1]).mean() < 0.06  # 0.044, and 0.093 if all cells have the same variance


def test_records_are_varied_where_they_cannot_all_be_thought_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """If there are few initial records, varied records are closer to the measurements. Only tiled columns are
    varied.
    """
    monkeypatch.setattr(tiled, "RECORDS", 300)
    stated = evidence()
    begun = IndependentColumns().fit(stated.untiled()).sample(300, np.random.default_rng([0, 7]))
    model = made(stated)
    known = {tuple(record) for record in begun[:, :3].tolist()}
    fresh = [record for record in model.codes[:, :3].tolist() if tuple(record) not in known]
    assert len(fresh) > 30
    monkeypatch.setattr(tiled, "RATES", ())
    still = made(stated)
    assert {tuple(record) for record in still.codes[:, :3].tolist()} <= known


@pytest.mark.parametrize("records", [300, 60_000])
def test_zeros_are_kept_when_records_vary(records: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiled, "RECORDS", records)
    forbidden = np.zeros((CODES, CODES), dtype=bool)
    forbidden[:4, 6:] = True
    stated = evidence(zeros=(Zero(("c", "d"), forbidden),))
    codes = made(stated).codes
    assert not forbidden[codes[:, 2], codes[:, 3]].any()


def test_a_blend_leaves_tilings_to_the_weights_and_holds_a_table_in_one_set_of_groups_itself() -> None:
    assert isinstance(BlendedRecords().fit(evidence()), WeightedRecords)
    assert not isinstance(BlendedRecords().fit(evidence(tiles=1)), WeightedRecords)


@pytest.mark.parametrize("name", ["refined", "mixture", "copula", "trees", "independent"])
def test_other_generators_pass_tilings_over(name: str) -> None:
    stated = evidence()
    with_them, without = (
        GENERATORS[name]().fit(e).sample(100, np.random.default_rng(0)) for e in (stated, stated.untiled())
    )
    np.testing.assert_array_equal(with_them, without)
