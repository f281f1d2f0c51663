"""Records of a Gaussian copula, swapped towards denoised pairs."""

from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.models.copula.copula import CopulaModel, CopulaRecords
from tests.models.examples import evidence_of, measurement

ROWS, SIGMA = 4_000, 6
NAMES, SIZES = ("a", "b", "c", "d"), (8, 8, 6, 5)
DOMAIN = Domain(NAMES, SIZES)


def table() -> np.ndarray:
    rng = np.random.default_rng(0)
    common = rng.standard_normal((ROWS, 1))
    latent = 0.8 * common + 0.6 * rng.standard_normal((ROWS, 4))
    return np.stack(
        [np.digitize(x, np.linspace(-1.5, 1.5, n - 1)) for x, n in zip(latent.T, SIZES, strict=True)], 1
    )


def evidence(codes: np.ndarray, zeros: tuple[Zero, ...] = (), *, sigma: int = SIGMA) -> Evidence:
    real, rng = CodeTable(DOMAIN, codes), np.random.default_rng(1)
    cliques = [*combinations(NAMES, 1), *combinations(NAMES, 2)]
    answers = tuple(
        measurement(r, real.project(r) + rng.normal(0, sigma, DOMAIN.shape(r)), sigma**2) for r in cliques
    )
    ordered = {"a": 7, "b": 7, "c": 5}
    return evidence_of(DOMAIN, answers, ROWS, zeros=zeros, ordered=ordered)


def error(model: CopulaModel, codes: np.ndarray) -> float:
    made, real = CodeTable(DOMAIN, codes), CodeTable(DOMAIN, table())
    pairs = list(combinations(NAMES, 2))
    return float(np.mean([np.abs(made.project(r) - real.project(r)).sum() for r in pairs])) / ROWS


def test_records_have_the_model_s_columns_and_swaps_bring_their_pairs_to_its_tables() -> None:
    stated = evidence(table())
    plain, swapped = CopulaRecords(sweeps=0).fit(stated), CopulaRecords().fit(stated)
    rough, fine = (m.sample(ROWS, np.random.default_rng(2)) for m in (plain, swapped))
    for codes in (rough, fine):
        for i, column in enumerate(plain.targets.columns):
            counts = np.bincount(codes[:, i], minlength=SIZES[i])
            assert np.abs(counts - column * ROWS / column.sum()).max() < 1.01
    assert error(swapped, fine) < error(plain, rough)
    made = CodeTable(DOMAIN, fine)
    gaps = [np.abs(made.project(r) - swapped.project(r)).sum() / ROWS for r in combinations(NAMES, 2)]
    assert np.mean(gaps) < 0.03


def test_no_record_is_ever_in_a_forbidden_cell() -> None:
    """There are zeros of pairs and of a triple at the same time."""
    pair = np.abs(np.subtract.outer(np.arange(8), np.arange(8))) > 4
    triple = np.zeros((8, 6, 5), dtype=bool)
    triple[:3, 4:, :] = True
    single = np.zeros(8, dtype=bool)
    single[7] = True
    zeros = (Zero(("a", "b"), pair), Zero(("a", "c", "d"), triple), Zero(("b",), single))
    model = CopulaRecords(sweeps=2).fit(evidence(table(), zeros))
    codes = model.sample(20_000, np.random.default_rng(3))
    for zero in zeros:
        assert not zero.forbidden[tuple(codes[:, DOMAIN.axis(n)] for n in zero.clique)].any()
        assert model.project(zero.clique)[zero.forbidden].sum() == 0


def test_three_columns_have_what_their_pairs_leave() -> None:
    model = CopulaRecords().fit(evidence(table()))
    joint = model.project(("a", "b", "c"))
    assert joint.shape == (8, 8, 6) and joint.sum() == pytest.approx(ROWS)
    np.testing.assert_allclose(joint.sum(axis=2), model.project(("a", "b")), atol=0.01 * ROWS)
    truth = CodeTable(DOMAIN, table()).project(("a", "b", "c"))
    alone = np.einsum("i,j,k->ijk", *(model.project((n,)) / ROWS for n in ("a", "b", "c"))) * ROWS
    assert np.abs(joint - truth).sum() < 0.6 * np.abs(alone - truth).sum()


def test_a_pair_nobody_measured_is_the_copula_s() -> None:
    stated = evidence(table())
    kept = tuple(a for a in stated.answers if a.clique != ("a", "b"))  # type: ignore[union-attr]
    model = CopulaRecords().fit(Evidence(codebook=stated.codebook, answers=kept, total=stated.total))
    assert (0, 1) not in model.tables
    truth = CodeTable(DOMAIN, table()).project(("a", "b"))
    assert np.abs(model.project(("a", "b")) - truth).sum() / ROWS < 0.35


def test_what_is_believed_less_is_smoother() -> None:
    stated = evidence(table())
    tables = [CopulaRecords(strength=s).fit(stated).project(("a", "d")) for s in (0.1, 10.0)]
    noisy = next(a.counts for a in stated.answers if a.clique == ("a", "d"))  # type: ignore[union-attr]
    off = [np.abs(t - noisy).sum() for t in tables]
    assert off[1] < off[0]
