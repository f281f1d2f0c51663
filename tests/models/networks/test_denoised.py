"""Records of a denoising network: possible ones, and columns as they were measured."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from synth.core.accounting import SAMPLED
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement, Trained
from synth.core.networks.denoiser import Denoiser
from synth.core.progress import Progress
from synth.core.zeros import Zero
from synth.models.networks.drawn import Denoised, base_of, network_of

DOMAIN = Domain(("a", "b"), (3, 2))
COUNTS = {"a": (600, 300, 100), "b": (700, 300)}


def evidence(*answers: Trained, zeros: tuple[Zero, ...] = ()) -> Evidence:
    columns = tuple(
        Measurement(clique=(name,), counts=np.array(counts), variance=Fraction(1), units=10**9)
        for name, counts in COUNTS.items()
    )
    codebook = Codebook.plain(DOMAIN, zeros=zeros)
    return Evidence(codebook=codebook, answers=(*columns, *answers), total=1000.0)


def trained(seed: int) -> Trained:
    net = Denoiser(DOMAIN.sizes, base_of(evidence()), hidden=6, layers=1, times=8)
    weights = 0.5 * np.random.default_rng(seed).standard_normal(net.parameters)
    state = np.stack([0 * weights, 0 * weights, weights]).astype(np.float32)
    return Trained(asked={"ask": "train"}, net=net, state=state, sigma=1.0, units=1, law=SAMPLED)


def test_the_last_network_makes_the_records_and_columns_are_as_measured() -> None:
    told = evidence(trained(1), trained(2))
    assert network_of(told)[1] is not None and np.array_equal(network_of(told)[1], trained(2).weights)
    assert np.array_equal(network_of(evidence(trained(1), trained(2).forget()))[1], trained(1).weights)
    heard: list[Progress] = []
    model = Denoised().fit(told, seed=3, report=heard.append)
    for name, counts in COUNTS.items():
        np.testing.assert_allclose(model.project((name,)), counts, atol=4)
    product = np.outer(COUNTS["a"], COUNTS["b"]) / 1000
    assert np.abs(model.project(("a", "b")) - product).sum() > 20, "the network relates its columns"
    assert heard[-1].done == 1.0
    again = Denoised().fit(told, seed=3)
    assert np.array_equal(model.codes, again.codes)


def test_without_a_network_columns_know_nothing_of_each_other() -> None:
    model = Denoised(records=20_000).fit(evidence())
    product = np.outer(COUNTS["a"], COUNTS["b"]) / 1000
    assert np.abs(model.project(("a", "b")) - product).sum() < 30


def test_no_record_lies_in_a_cell_that_cannot_be() -> None:
    forbidden = np.zeros((3, 2), dtype=bool)
    forbidden[0, 0] = forbidden[2, 1] = True
    model = Denoised(records=3000).fit(evidence(trained(4), zeros=(Zero(("a", "b"), forbidden),)))
    assert model.project(("a", "b"))[forbidden].sum() == 0 and len(model.codes) == 3000
