"""Particles: pairs and columns, structural zeros, randomness, and initial values."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from synth.core.evidence import Evidence
from synth.core.progress import Progress
from synth.core.zeros import Zero
from synth.models.particles.particles import Particles
from tests.models.examples import evidence_of, measurement
from tests.models.particles.examples import DOMAIN, PAIRS, table


def evidence(zeros: tuple[Zero, ...] = (), sigma: float = 10.0) -> Evidence:
    rng = np.random.default_rng(1)
    answers = tuple(
        measurement(
            tuple(DOMAIN.names[i] for i in pair),
            table(pair) + np.rint(sigma * rng.standard_normal(table(pair).shape)).astype(np.int64),
            Fraction(sigma).limit_denominator() ** 2,
        )
        for pair in PAIRS
    )
    return evidence_of(DOMAIN, answers, 5000, zeros=zeros)


def test_pairs_come_out_and_the_columns_with_them() -> None:
    model = Particles().fit(evidence())
    for pair in PAIRS:
        names = tuple(DOMAIN.names[i] for i in pair)
        assert np.abs(model.project(names) - table(pair)).sum() / 5000 < 0.06
    assert np.abs(model.project(("a",)) - table((0, 1)).sum(axis=1)).sum() / 5000 < 0.02


def test_without_swaps_particles_alone_come_near() -> None:
    model = Particles(swaps=False).fit(evidence())
    assert np.abs(model.project(("a", "b")) - table((0, 1))).sum() / 5000 < 0.15


def test_zeros_hold_in_every_record_and_the_number_repaired_is_told() -> None:
    forbidden = np.zeros((6, 4), dtype=bool)
    forbidden[0, 2:] = forbidden[3, 1] = True
    wide = np.zeros((6, 4, 5), dtype=bool)
    wide[2, 1, :2] = True
    heard: list[Progress] = []
    zeros = (Zero(("a", "b"), forbidden), Zero(("a", "b", "c"), wide))
    model = Particles().fit(evidence(zeros), report=heard.append)
    codes = model.sample(20_000, np.random.default_rng(0))
    assert not forbidden[codes[:, 0], codes[:, 1]].any()
    assert not wide[codes[:, 0], codes[:, 1], codes[:, 2]].any()
    assert "forbidden combinations" in heard[-1].fact


def test_the_seed_decides_and_torchs_own_randomness_is_left_alone() -> None:
    state = torch.random.get_rng_state()
    one, other, third = (Particles(swaps=False, epochs=5).fit(evidence(), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.codes, other.codes)
    assert not np.array_equal(one.codes, third.codes)
    assert torch.equal(state, torch.random.get_rng_state())


def test_an_earlier_table_is_where_the_particles_begin() -> None:
    options = Particles(swaps=False, epochs=1)
    far, near = options.fit(evidence()), options.fit(evidence(), start=Particles().fit(evidence()))

    def gap(model: object) -> float:
        return float(np.abs(model.project(("a", "b")) - table((0, 1))).sum())  # type: ignore[attr-defined]

    assert gap(near) < 0.5 * gap(far)


@pytest.mark.gpu
def test_a_graphics_card_comes_to_particles_as_near() -> None:
    tables = [Particles().fit(evidence(), device=device).project(("a", "b")) for device in ("cpu", "cuda")]
    gaps = [np.abs(t - table((0, 1))).sum() / 5000 for t in tables]
    assert abs(gaps[0] - gaps[1]) < 0.03
