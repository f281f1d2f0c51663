"""Records drawn from a network are in possible cells and have the measured column counts."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest

from synth.core.accounting import SAMPLED
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Trained
from synth.core.networks.critic import Critic
from synth.core.networks.denoiser import Denoiser
from synth.core.networks.forger import Forger
from synth.core.progress import Progress
from synth.core.zeros import Zero
from synth.models.networks.drawn import (
    HEAVIEST,
    Adversarial,
    Denoised,
    base_of,
    critic_of,
    network_of,
    table_drawn,
    weighed,
)
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b"), (3, 2))
COUNTS = {"a": (600, 300, 100), "b": (700, 300)}
EVEN = {"a": (750, 250), "b": (750, 250)}


def evidence(
    *answers: Trained, zeros: tuple[Zero, ...] = (), counts: Mapping[str, tuple[int, ...]] = COUNTS
) -> Evidence:
    columns = [measurement((name,), own, units=10**9) for name, own in counts.items()]
    domain = Domain(tuple(counts), tuple(map(len, counts.values())))
    return evidence_of(domain, [*columns, *answers], 1000, zeros=zeros)


def even(rows: int) -> Iterator[np.ndarray]:
    """Yield uniformly distributed records, ninety at a time."""
    for start in range(0, rows, 90):
        yield np.random.default_rng(start).integers(0, DOMAIN.sizes, (min(90, rows - start), 2))


def test_records_are_weighed_until_columns_are_as_measured() -> None:
    heard: list[Progress] = []
    rng = np.random.default_rng(0)
    model = table_drawn(evidence(), even, records=3000, rng=rng, report=heard.append)
    for name, counts in COUNTS.items():
        np.testing.assert_allclose(model.project((name,)), counts, atol=8)
    assert len(model.codes) == 3000 and heard[-1].done == 1.0 and len(heard) == 34


def test_a_table_asked_in_groups_leaves_records_in_codes_of_their_own() -> None:
    requested = evidence()
    coarse = measurement(("a", "b"), [[650, 250], [50, 50]], groups={"a": (0, 0, 1)})
    stated, rng = replace(requested, answers=(*requested.answers, coarse)), np.random.default_rng(0)
    model = table_drawn(stated, even, records=3000, rng=rng, report=lambda _: None)
    np.testing.assert_allclose(model.project(("a",)), COUNTS["a"], atol=8)


def test_records_that_cannot_be_are_drawn_again_or_moved() -> None:
    forbidden = np.zeros((3, 2), dtype=bool)
    forbidden[0, 0] = forbidden[2, 1] = True
    requested: list[int] = []

    def stubborn(rows: int) -> Iterator[np.ndarray]:
        requested.append(rows)
        yield np.tile([[0, 0], [1, 1]], (rows, 1))[:rows]

    stated, rng = evidence(zeros=(Zero(("a", "b"), forbidden),)), np.random.default_rng(0)
    model = table_drawn(stated, stubborn, records=64, rng=rng, report=lambda _: None)
    assert requested == [64, 32, 16, 8, 4, 2, 1, 1, 1] and len(model.codes) == 64
    assert model.project(("a", "b"))[forbidden].sum() == 0


def test_the_base_is_what_is_known_of_the_columns_and_never_nothing() -> None:
    base = base_of(evidence())
    assert [sum(column) for column in base] == pytest.approx([1000, 1000], abs=3)
    forbidden = np.array([False, True, False])
    assert base_of(evidence(zeros=(Zero(("a",), forbidden),)))[0][1] == 1


def test_weights_are_bounded_and_draws_are_at_equal_distances() -> None:
    codes = np.repeat([[0], [1]], [990, 10], axis=0)
    taken = weighed(codes, [np.array([10.0, 990.0])], np.random.default_rng(0))
    most = HEAVIEST * 10 / (HEAVIEST * 10 + 990 / HEAVIEST) * 1000
    assert len(taken) == 1000 and (codes[taken] == 1).sum() == pytest.approx(most, abs=2)


def denoiser(seed: int) -> Trained:
    net = Denoiser(DOMAIN.sizes, base_of(evidence()), hidden=6, layers=1, times=8)
    weights = 0.5 * np.random.default_rng(seed).standard_normal(net.parameters)
    state = np.stack([0 * weights, 0 * weights, weights]).astype(np.float32)
    return Trained(requested={"ask": "train"}, net=net, state=state, sigma=1.0, units=1, law=SAMPLED)


def test_the_last_network_makes_the_records_and_columns_are_as_measured() -> None:
    stated = evidence(denoiser(1), denoiser(2))
    assert network_of(stated)[1] is not None and np.array_equal(network_of(stated)[1], denoiser(2).weights)
    assert np.array_equal(network_of(evidence(denoiser(1), denoiser(2).forget()))[1], denoiser(1).weights)
    heard: list[Progress] = []
    model = Denoised().fit(stated, seed=3, report=heard.append)
    for name, counts in COUNTS.items():
        np.testing.assert_allclose(model.project((name,)), counts, atol=4)
    product = np.outer(COUNTS["a"], COUNTS["b"]) / 1000
    assert np.abs(model.project(("a", "b")) - product).sum() > 20, "the network relates its columns"
    assert heard[-1].done == 1.0
    again = Denoised().fit(stated, seed=3)
    assert np.array_equal(model.codes, again.codes)


def test_no_denoised_record_lies_in_a_cell_that_cannot_be() -> None:
    forbidden = np.zeros((3, 2), dtype=bool)
    forbidden[0, 0] = forbidden[2, 1] = True
    model = Denoised(records=3000).fit(evidence(denoiser(4), zeros=(Zero(("a", "b"), forbidden),)))
    assert model.project(("a", "b"))[forbidden].sum() == 0 and len(model.codes) == 3000


def critic(seed: int, *, lessons: int = 150) -> Trained:
    """Return a critic that treats records with equal columns as real."""
    base = base_of(evidence(counts=EVEN))
    forger = Forger((2, 2), base, 8, 16)
    made_by = forger.start(np.random.default_rng(seed)).astype("<f4").tobytes()
    net = Critic((2, 2), base, 2, 8, 16, 10, lessons, 0.01, seed, made_by)
    first, last = np.zeros((5, 2)), np.array([8.0, 8.0, -4.0])
    first[[0, 2], 0] = first[[1, 3], 1] = 1.0
    first[-1] = -1.0
    weights = np.concatenate([first.ravel(), last])
    state = np.stack([0 * weights, 0 * weights, weights]).astype(np.float32)
    return Trained(requested={"ask": "train"}, net=net, state=state, sigma=1.0, units=1, law=SAMPLED)


def test_the_last_critic_teaches_its_generator_once_more() -> None:
    stated = evidence(critic(1).forget(), critic(2), counts=EVEN)
    assert critic_of(stated) == critic(2).net.answered(critic(2).weights)
    product = np.outer(EVEN["a"], EVEN["b"]) / 1000
    model = Adversarial(records=3000).fit(stated, seed=3)
    assert np.abs(model.project(("a", "b")) - product).sum() > 300, "its columns are related"
    untaught = Adversarial(records=3000).fit(evidence(critic(2, lessons=0), counts=EVEN), seed=3)
    assert np.abs(untaught.project(("a", "b")) - product).sum() < 100
    assert np.array_equal(model.codes, Adversarial(records=3000).fit(stated, seed=3).codes)


def test_without_a_critic_columns_know_nothing_of_each_other() -> None:
    product = np.outer(EVEN["a"], EVEN["b"]) / 1000
    other = Denoiser((2, 2), base_of(evidence(counts=EVEN)), hidden=2, layers=1, times=3)
    state = np.zeros((3, other.parameters), dtype=np.float32)
    for stated in (evidence(counts=EVEN), evidence(replace(critic(1), net=other, state=state), counts=EVEN)):
        model = Adversarial(records=20_000).fit(stated)
        assert np.abs(model.project(("a", "b")) - product).sum() < 30


def test_no_record_lies_in_a_cell_that_cannot_be() -> None:
    forbidden = np.array([[True, False], [False, False]])
    model = Adversarial(records=3000).fit(
        evidence(critic(4), zeros=(Zero(("a", "b"), forbidden),), counts=EVEN)
    )
    assert model.project(("a", "b"))[forbidden].sum() == 0 and len(model.codes) == 3000
