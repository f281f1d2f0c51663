"""Records of several models of the same measurements."""

from dataclasses import replace

import numpy as np
import pytest

from synth.core.zeros import Zero
from synth.models.blend.blended import BlendedModel
from synth.models.blend.candidates import CANDIDATES, COPULA, FOREST, MIXTURE, TREE, fit_candidates
from synth.models.blend.refined import RefinedRecords
from tests.models.blend.test_blend import off
from tests.models.mixture.test_mixture import ONES, PAIRS, ROWS, corner, evidence, requested


def model_of(parts: dict[str, float], zeros: tuple[Zero, ...] = ()) -> BlendedModel:
    """Return a blend of all models in which each draws the given share of the records."""
    stated = evidence(requested(ONES + PAIRS), zeros)
    found = fit_candidates(stated, RefinedRecords(), wanted=CANDIDATES)
    return BlendedModel(candidates=found, tables=found.tables[MIXTURE], parts=parts, zeros=zeros, near=0.0)


@pytest.mark.parametrize("kind", [TREE, FOREST, MIXTURE, COPULA])
def test_each_model_draws_records_near_the_tables_with_their_columns(kind: str) -> None:
    model = model_of({kind: 1.0})
    if kind != TREE:
        model = replace(model, candidates=replace(model.candidates, tree=None))
    codes = model.sample(ROWS, np.random.default_rng(0))
    assert codes.shape == (ROWS, 4) and off(model) < 0.02
    if kind != TREE:
        for i, counts in enumerate(model.columns):
            assert np.abs(np.bincount(codes[:, i], minlength=len(counts)) - counts).max() <= 1


def test_of_three_columns_the_forest_tells_what_it_knows() -> None:
    model = model_of({FOREST: 1.0})
    forest = model.candidates.forest
    assert forest is not None
    np.testing.assert_allclose(model.project(("d", "a", "b")), forest.table((3, 0, 1)) * ROWS, rtol=1e-4)


def test_parts_are_drawn_in_proportion() -> None:
    model = model_of({TREE: 0.4, FOREST: 0.1, MIXTURE: 0.3, COPULA: 0.2})
    assert model._counts(11) == {TREE: 4, FOREST: 2, MIXTURE: 3, COPULA: 2}
    for rows in (0, 1, 7):
        assert model.sample(rows, np.random.default_rng(0)).shape == (rows, 4)


@pytest.mark.parametrize("kind", [TREE, FOREST, MIXTURE, COPULA])
def test_a_zero_is_kept_by_every_model_s_records_and_tables(kind: str) -> None:
    zero = corner()
    model = model_of({kind: 1.0}, (zero,))
    codes = model.sample(20_000, np.random.default_rng(0))
    assert not zero.forbidden[codes[:, 0], codes[:, 1]].any()
    assert model.project(("a", "b"))[zero.forbidden].sum() < 1e-6
    assert model.project(("a", "b", "c"))[zero.forbidden].sum() < 1e-6


def test_a_model_that_leaves_all_allowed_cells_empty_counts_for_nothing() -> None:
    model = model_of({COPULA: 0.5, FOREST: 0.5})
    stated = {COPULA: {r: t * 0 for r, t in model.candidates.tables[COPULA].items()}}
    empty = replace(model, candidates=replace(model.candidates, tables=model.candidates.tables | stated))
    table = empty.project(("a", "b", "c"))
    np.testing.assert_allclose(table, replace(model, parts={FOREST: 0.5}).project(("a", "b", "c")))
    assert table.sum() == pytest.approx(ROWS / 2, rel=1e-3)
