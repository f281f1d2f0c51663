from dataclasses import replace

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.zeros import Zero
from synth.mechanisms.learned.margnet import MargNet
from synth.models.mixture import mixture_blocks
from synth.models.mixture.mixture import MixtureModel
from synth.models.networks import network
from synth.models.networks.network import NetworkGenerator
from synth.models.networks.weighed import Weighed
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b", "c"), (3, 4, 2))
SMALL = NetworkGenerator(width=16, batch=32, steps=150, round_steps=10)


def table() -> np.ndarray:
    rng = np.random.default_rng(0)
    counts = rng.multinomial(3000, rng.dirichlet(np.ones(24) * 0.4)).reshape(DOMAIN.sizes)
    counts[0, 1] = counts[2, 3] = 0
    return counts


def evidence(*, zeros: tuple[Zero, ...] = (), sigma: float = 5.0, pairs: str = "ab bc") -> Evidence:
    rng, counts, answers = np.random.default_rng(1), table(), []
    cliques = [("a",), ("b",), ("c",), *(tuple(pair) for pair in pairs.split())]
    for step, clique in enumerate(cliques):
        rest = tuple(i for i, name in enumerate(DOMAIN.names) if name not in clique)
        noisy = counts.sum(axis=rest) + rng.normal(0, sigma, DOMAIN.shape(clique))
        answers.append(measurement(clique, noisy, sigma**2, step=step))
    return evidence_of(DOMAIN, answers, counts.sum(), zeros=zeros)


def off(model: Model, clique: tuple[str, ...]) -> float:
    rest = tuple(i for i, name in enumerate(DOMAIN.names) if name not in clique)
    return float(np.abs(model.project(clique) - table().sum(axis=rest)).sum())


def test_as_published_every_fit_has_the_papers_steps_unless_others_are_given() -> None:
    literal = NetworkGenerator(as_published=True)
    assert (literal.settings.steps, literal.settings.round_steps) == (200, 200)
    assert (SMALL.settings, replace(SMALL, as_published=True).settings.steps) == (SMALL, 150)
    domain = Domain(tuple(f"c{i}" for i in range(14)), (40,) * 14)
    slow, fast = (MargNet().outlook_by(own, domain, k=2) for own in (literal, NetworkGenerator()))
    assert slow is not None and fast is not None and fast == MargNet().outlook(domain, k=2)
    assert slow.fastest > 5 * fast.fastest


@pytest.mark.parametrize("as_published", [False, True])
def test_the_network_is_a_mixture_near_what_was_measured(as_published: bool) -> None:
    model = replace(SMALL, as_published=as_published, steps=301).fit(evidence())
    assert isinstance(model, MixtureModel) and model.mixture.components == 32
    for clique in (("a", "b"), ("b", "c")):
        assert off(model, clique) < 2.5 * 5 * 12
    rows = int(model.total)
    codes = model.sample(rows, np.random.default_rng(0))
    sampled = np.histogram2d(codes[:, 0], codes[:, 1], bins=(3, 4))[0]
    assert np.abs(sampled - model.project(("a", "b"))).sum() < 6 * np.sqrt(rows)


def test_pull_leaves_what_nobody_measured_at_independence() -> None:
    requested = evidence(pairs="ab")
    expected = np.outer(*(table().sum(axis=rest) for rest in ((1, 2), (0, 1)))) / table().sum()
    gaps = [
        np.abs(replace(SMALL, pull=pull).fit(requested).project(("a", "c")) - expected).sum()
        for pull in (0, 20)
    ]
    assert gaps[1] < gaps[0] and gaps[1] < 0.05 * table().sum()


def test_zeros_have_one_softmax_of_allowed_cells_and_no_record_breaks_them() -> None:
    ab = np.zeros((3, 4), dtype=bool)
    ab[0, 1] = ab[2, 3] = True
    model = SMALL.fit(evidence(zeros=(Zero(("a", "b"), ab),)))
    assert model.project(("a", "b"))[ab].sum() == 0 and off(model, ("a", "b")) < 2.5 * 5 * 12
    codes = model.sample(20_000, np.random.default_rng(0))
    assert not ab[codes[:, 0], codes[:, 1]].any()


def test_zeros_too_large_for_a_softmax_are_kept_by_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture_blocks, "BLOCK_CELLS", 5)
    ab = np.zeros((3, 4), dtype=bool)
    ab[0, 1] = ab[2, 3] = True
    model = SMALL.fit(evidence(zeros=(Zero(("a", "b"), ab),)))
    codes = model.sample(20_000, np.random.default_rng(0))
    assert model.mixture.blocks.left and not ab[codes[:, 0], codes[:, 1]].any()


def test_between_rounds_the_newest_answer_weighs_as_much_as_all_columns() -> None:
    requested = evidence()
    targets = network.targets_of(requested)
    blocks = network.Blocks.of(targets.domain, ())
    inputs = network._inputs(blocks, 4, 0)
    for as_published in (False, True):
        generator = replace(SMALL, as_published=as_published)
        rough, last = (g._task(requested, targets, blocks, inputs) for g in (generator.rough(), generator))
        ratio = rough.pair_weights[last.pair_weights > 0] / last.pair_weights[last.pair_weights > 0]
        assert sorted(set(np.round(ratio, 4))) == [1.0, 3.0]


def test_the_papers_weights_are_roots_of_the_price_and_repeats_are_averaged_by_them() -> None:
    requested = evidence(pairs="ab")
    (newest,) = (m for m in requested.measurements if m.clique == ("a", "b"))
    again = replace(newest, variance=newest.variance / 4, counts=newest.counts + 30, step=9)
    targets = network.targets_of(requested.joined([again]))
    blocks = network.Blocks.of(targets.domain, ())
    answers = Weighed(targets, blocks)
    network._by_roots(answers, requested.joined([again]), None)
    block = targets.span(0), targets.span(1)
    np.testing.assert_allclose(answers.pair_weights[block], 9 * (1 + 2))
    np.testing.assert_allclose(answers.pairs[block] * targets.total, newest.counts + 20, rtol=1e-4, atol=1e-2)


def test_a_network_of_the_round_before_is_gone_on_from() -> None:
    first = SMALL.rough().fit(evidence(pairs="ab"))
    cold, warm = (SMALL.rough().fit(evidence(), start=start) for start in (None, first))
    assert off(warm, ("a", "b")) < off(cold, ("a", "b"))
