from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.models.mixture import mixture_blocks
from synth.models.mixture.mixture import MixtureModel, MixtureOfProducts
from tests.models.examples import evidence_of, noisy

DOMAIN = Domain(tuple("abcd"), (6, 5, 4, 3))
PAIRS: list[Clique] = list(combinations(DOMAIN.names, 2))
ROWS = 4000


def truth() -> CodeTable:
    """Return two kinds of records with independent columns, which a mixture can represent exactly."""
    rng = np.random.default_rng(1)
    kind = rng.random(ROWS) < 0.4
    columns = [
        np.where(kind, rng.choice(size, ROWS, p=p[::-1]), rng.choice(size, ROWS, p=p))
        for size in DOMAIN.sizes
        for p in [np.arange(1.0, size + 1) ** 3 / (np.arange(1.0, size + 1) ** 3).sum()]
    ]
    return CodeTable(DOMAIN, np.stack(columns, axis=1))


def requested(
    cliques: Iterable[Clique], *, sigma: int = 4, groups: Mapping[str, tuple[int, ...]] | None = None
) -> list[Measurement]:
    return noisy(truth(), cliques, sigma=sigma, groups=groups)


ONES: list[Clique] = [(name,) for name in DOMAIN.names]


def evidence(answers: Iterable[Measurement], zeros: tuple[Zero, ...] = ()) -> Evidence:
    return evidence_of(DOMAIN, answers, ROWS, zeros=zeros)


def corner() -> Zero:
    forbidden = np.zeros((6, 5), dtype=bool)
    forbidden[:3, :2] = True
    return Zero(("a", "b"), forbidden)


def test_pairs_and_triples_come_out_near_the_truth() -> None:
    model = MixtureOfProducts().fit(evidence(requested(ONES + PAIRS)))
    for r in [*PAIRS, ("a", "b", "c"), ("b", "c", "d")]:
        assert np.abs(model.project(r) - truth().project(r)).sum() < 0.08 * ROWS
    drawn = CodeTable(DOMAIN, model.sample(ROWS, np.random.default_rng(0)))
    for r in PAIRS:
        assert np.abs(drawn.counts(r) - truth().counts(r)).sum() < 0.08 * ROWS


def test_noise_is_shrunk_towards_independence() -> None:
    """If the noise is far above the counts, the pairs are those of independent columns."""
    answers = [*requested(ONES, sigma=4), *requested(PAIRS, sigma=3000)]
    model = MixtureOfProducts().fit(evidence(answers))
    a, b = model.project(("a",)), model.project(("b",))
    assert np.abs(model.project(("a", "b")) - np.outer(a, b) / ROWS).sum() < 0.05 * ROWS


def test_zeros_have_no_weight_and_cannot_be_drawn() -> None:
    more = np.zeros((5, 4), dtype=bool)
    more[4, 1:] = True
    zeros = corner(), Zero(("b", "c"), more)
    model = MixtureOfProducts().fit(evidence(requested(ONES + PAIRS), zeros))
    assert [len(b.columns) for b in model.mixture.blocks.blocks] == [3, 1] and not model.mixture.blocks.left
    codes = model.sample(20_000, np.random.default_rng(0))
    for z in zeros:
        assert model.project(z.clique)[z.forbidden].sum() == 0
        assert not z.forbidden[tuple(codes[:, i] for i in DOMAIN.axes(z.clique))].any()
    for r in (("a", "c"), ("a", "b", "d"), ("a", "b", "c", "d")):
        assert model.project(r).sum() == pytest.approx(ROWS)


def test_zeros_too_large_for_a_block_are_kept_by_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture_blocks, "BLOCK_CELLS", 20)
    model = MixtureOfProducts().fit(evidence(requested(ONES + PAIRS), (corner(),)))
    assert model.mixture.blocks.left
    codes = model.sample(20_000, np.random.default_rng(0))
    assert not corner().forbidden[codes[:, 0], codes[:, 1]].any()
    assert model.project(("a", "b"))[corner().forbidden].sum() == 0
    assert model.project(("a", "b", "c"))[corner().forbidden].sum() == 0


def test_answers_in_groups_are_understood_and_records_come_in_own_codes() -> None:
    answers = [*requested(ONES), *requested(PAIRS, groups={"a": (0, 0, 1, 1, 2, 2)})]
    model = MixtureOfProducts().fit(evidence(answers))
    assert isinstance(model, MixtureModel) and model.targets.domain.sizes == (3, 5, 4, 3)
    assert model.project(("a", "b")).shape == (6, 5)
    drawn = CodeTable(DOMAIN, model.sample(ROWS, np.random.default_rng(0)))
    assert np.abs(drawn.counts(("a",)) - truth().counts(("a",))).sum() < 0.03 * ROWS
