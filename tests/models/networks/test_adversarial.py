"""Records of the generator of a GAN: the last one, taught by the last critic."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from synth.core.accounting import SAMPLED
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement, Trained
from synth.core.networks.critic import Critic
from synth.core.networks.denoiser import Denoiser
from synth.core.networks.forger import Forger
from synth.core.zeros import Zero
from synth.models.networks.drawn import Adversarial, base_of, critic_of

DOMAIN = Domain(("a", "b"), (2, 2))
COUNTS = {"a": (750, 250), "b": (750, 250)}


def evidence(*answers: Trained, zeros: tuple[Zero, ...] = ()) -> Evidence:
    columns = tuple(
        Measurement(clique=(name,), counts=np.array(counts), variance=Fraction(1), units=10**9)
        for name, counts in COUNTS.items()
    )
    codebook = Codebook.plain(DOMAIN, zeros=zeros)
    return Evidence(codebook=codebook, answers=(*columns, *answers), total=1000.0)


def trained(seed: int, *, lessons: int = 150) -> Trained:
    """A critic that takes records for real whose columns are equal."""
    base = base_of(evidence())
    forger = Forger(DOMAIN.sizes, base, 8, 16)
    made_by = forger.start(np.random.default_rng(seed)).astype("<f4").tobytes()
    net = Critic(DOMAIN.sizes, base, 2, 8, 16, 10, lessons, 0.01, seed, made_by)
    first, last = np.zeros((5, 2)), np.array([8.0, 8.0, -4.0])
    first[[0, 2], 0] = first[[1, 3], 1] = 1.0
    first[-1] = -1.0
    weights = np.concatenate([first.ravel(), last])
    state = np.stack([0 * weights, 0 * weights, weights]).astype(np.float32)
    return Trained(asked={"ask": "train"}, net=net, state=state, sigma=1.0, units=1, law=SAMPLED)


def test_the_last_critic_teaches_its_generator_once_more() -> None:
    told = evidence(trained(1).forget(), trained(2))
    assert critic_of(told) == trained(2).net.answered(trained(2).weights)
    product = np.outer(COUNTS["a"], COUNTS["b"]) / 1000
    model = Adversarial(records=3000).fit(told, seed=3)
    assert np.abs(model.project(("a", "b")) - product).sum() > 300, "its columns are related"
    untaught = Adversarial(records=3000).fit(evidence(trained(2, lessons=0)), seed=3)
    assert np.abs(untaught.project(("a", "b")) - product).sum() < 100
    assert np.array_equal(model.codes, Adversarial(records=3000).fit(told, seed=3).codes)


def test_without_a_critic_columns_know_nothing_of_each_other() -> None:
    product = np.outer(COUNTS["a"], COUNTS["b"]) / 1000
    other = Denoiser(DOMAIN.sizes, base_of(evidence()), hidden=2, layers=1, times=3)
    state = np.zeros((3, other.parameters), dtype=np.float32)
    for told in (evidence(), evidence(replace(trained(1), net=other, state=state))):
        model = Adversarial(records=20_000).fit(told)
        assert np.abs(model.project(("a", "b")) - product).sum() < 30


def test_no_record_lies_in_a_cell_that_cannot_be() -> None:
    forbidden = np.array([[True, False], [False, False]])
    model = Adversarial(records=3000).fit(evidence(trained(4), zeros=(Zero(("a", "b"), forbidden),)))
    assert model.project(("a", "b"))[forbidden].sum() == 0 and len(model.codes) == 3000
