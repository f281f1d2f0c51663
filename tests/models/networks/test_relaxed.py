from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.progress import Progress
from synth.core.zeros import Zero
from synth.models import pulse
from synth.models.networks.relaxed import RelaxedModel, RelaxedRows

DOMAIN = Domain(("a", "b", "c"), (3, 4, 2))
SMALL = RelaxedRows(rows=60, steps=200, round_steps=20)


def table() -> np.ndarray:
    rng = np.random.default_rng(0)
    counts = rng.multinomial(3000, rng.dirichlet(np.ones(24) * 0.4)).reshape(DOMAIN.sizes)
    counts[0, 1] = counts[2, 3] = 0
    return counts


def evidence(*, zeros: tuple[Zero, ...] = (), sigma: float = 5.0, pairs: str = "ab bc") -> Evidence:
    rng, counts, answers = np.random.default_rng(1), table(), []
    for clique in [("a",), ("b",), ("c",), *(tuple(pair) for pair in pairs.split())]:
        rest = tuple(i for i, name in enumerate(DOMAIN.names) if name not in clique)
        noisy = counts.sum(axis=rest) + np.rint(rng.normal(0, sigma, DOMAIN.shape(clique))).astype(int)
        answers.append(
            Measurement(clique=clique, counts=noisy.astype(np.int64), variance=Fraction(sigma**2), units=1)
        )
    codebook = Codebook.plain(DOMAIN, zeros=zeros)
    return Evidence(codebook=codebook, answers=tuple(answers), total=float(counts.sum()))


def off(model: RelaxedModel, clique: tuple[str, ...]) -> float:
    rest = tuple(i for i, name in enumerate(DOMAIN.names) if name not in clique)
    return float(np.abs(model.project(clique) - table().sum(axis=rest)).sum())


def test_rows_come_near_what_was_measured_and_so_do_the_records_of_them() -> None:
    model = SMALL.fit(evidence())
    assert model.rows.shape == (60, 9) and model.mixture.components == 60
    for clique in (("a", "b"), ("b", "c")):
        assert off(model, clique) < 2.5 * 5 * 12
    rows = int(model.total)
    codes = model.sample(rows, np.random.default_rng(0))
    sampled = np.histogram2d(codes[:, 0], codes[:, 1], bins=(3, 4))[0]
    assert np.abs(sampled - model.project(("a", "b"))).sum() < 6 * np.sqrt(rows)


def test_most_shares_are_exactly_zero_and_never_drawn() -> None:
    model = SMALL.fit(evidence(sigma=0.1))
    assert (model.rows == 0).mean() > 0.2
    codes = model.sample(60 * 50, np.random.default_rng(0))
    possible = {tuple(place) for row in model.rows for place in np.argwhere(np.outer(row[:3], row[3:7]))}
    assert {tuple(place) for place in codes[:, :2]} <= possible


def test_what_nobody_measured_stays_independent() -> None:
    model = SMALL.fit(evidence(pairs="ab"))
    expected = np.outer(*(table().sum(axis=rest) for rest in ((1, 2), (0, 1)))) / table().sum()
    assert np.abs(model.project(("a", "c")) - expected).sum() < 0.02 * model.total


def test_zeros_are_exact_in_blocks_and_by_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    zero = Zero(("a", "b"), table().sum(axis=2) == 0)
    assert zero.forbidden.any()
    for most in (2_000, 2):
        monkeypatch.setattr("synth.models.networks.relaxed.BLOCK_CELLS", most)
        model = SMALL.fit(evidence(zeros=(zero,)))
        assert bool(model.mixture.blocks.left) is (most == 2)
        assert model.project(("a", "b"))[zero.forbidden].sum() == 0
        codes = model.sample(5_000, np.random.default_rng(0))
        assert not zero.forbidden[codes[:, 0], codes[:, 1]].any()


def test_a_warm_fit_goes_on_from_the_rows_of_an_earlier_one() -> None:
    first = SMALL.fit(evidence())
    few = replace(SMALL, round_steps=1, rate=0.1).rough()
    warm, cold = (off(few.fit(evidence(), start=start), ("a", "b")) for start in (first, None))
    assert warm < 0.5 * cold
    other = replace(SMALL, rows=50).fit(evidence(), start=first)
    assert other.rows.shape == (50, 9), "rows of another table are no help and do no harm"


def test_its_loss_is_told_with_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "PULSE_SECONDS", -1.0)
    heard: list[Progress] = []
    SMALL.fit(evidence(), report=heard.append)
    told = [p for p in heard if p.steps]
    losses = [p.loss for p in told if p.loss is not None]
    assert [p.steps for p in told] == list(range(1, 201)) and losses[-1] < 0.5 * losses[0]
    assert any(p.fact == "computing on cpu" for p in heard)


def test_a_table_with_more_codes_takes_longer() -> None:
    small, large = (RelaxedRows().seconds(Domain(tuple("abc"), (n,) * 3)) for n in (5, 50))
    assert large[0] > 50 * small[0] and small[0] < small[1]
