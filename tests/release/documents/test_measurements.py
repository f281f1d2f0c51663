import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN, SAMPLED
from synth.core.axis import Grouping, domain_of
from synth.core.errors import Mistake
from synth.core.measurements.noisy import Measurement, NoisyNumbers, NoisyScores, Trained
from synth.core.networks.critic import Critic
from synth.core.networks.forger import Forger
from synth.core.schema import Neighbours
from synth.core.zeros import Zero
from synth.private.queries import Interaction
from synth.private.scores import InDif, L1Gap
from synth.private.terms import Paid, Terms
from synth.release.documents import measurements
from synth.release.synthesis import Synthesis


@pytest.fixture
def grouped(synthesis: Synthesis) -> Synthesis:
    """The run as if a column had been grouped: unequal noise, odd fractions, negative counts, zeros."""
    codebook = synthesis.evidence.codebook
    axis = codebook.axes[1]
    grouping = Grouping(column=axis.name, group_of=(0, 1, 1, 2), weights=(1.0, 0.1 + 0.2, 1 / 3, 1.0))
    domain = domain_of(codebook.axes, (grouping,))
    forbidden = np.zeros(domain.shape(("marital", "ward")), dtype=np.bool_)
    forbidden[0, 1:3] = forbidden[2, 0] = forbidden[2, 3] = True
    pair = np.arange(-5, 7, dtype=np.int64).reshape(3, 4)
    zeros = (Zero(("marital", "ward"), forbidden),)
    pairs: dict[str, Any] = {"clique": ("marital", "ward"), "variance": Fraction(1, 3), "units": 10**13}
    ones: dict[str, Any] = {"clique": ("marital",)}
    answers = (
        Measurement(**ones, counts=pair[:, 0].copy(), variance=Fraction(10**12, 7), units=7),
        Measurement(**pairs, counts=pair, part="q", step=4),
        Measurement(**pairs, counts=pair[:2], step=5, groups={"marital": (0, 1, 1)}),
        Measurement(**ones, counts=pair[:, 1].copy(), variance=Fraction(5), units=10**11, part="comparison"),
    )
    codebook = replace(codebook, groupings=(grouping,), zeros=zeros)
    evidence = replace(synthesis.evidence, codebook=codebook, answers=answers)
    return replace(synthesis, evidence=evidence)


def written(synthesis: Synthesis) -> tuple[dict[str, object], bytes]:
    described = json.loads(json.dumps(measurements.document(synthesis.evidence)))
    return described, measurements.marginals(measurements.tables(synthesis.evidence), schema_id="abc")


@pytest.mark.parametrize("which", ["synthesis", "grouped"])
def test_everything_comes_back_exactly(which: str, request: pytest.FixtureRequest) -> None:
    source: Synthesis = request.getfixturevalue(which)
    back = measurements.read(*written(source))
    true = source.evidence
    codebook, own = back.codebook, true.codebook
    assert (codebook.schema, codebook.axes, codebook.groupings) == (own.schema, own.axes, own.groupings)
    assert back.domain == true.domain
    assert len(back.zeros) == len(true.zeros) and len(back.measurements) == len(true.measurements)
    assert len(back.verdict) == len(true.verdict)
    for zero, original in zip(back.zeros, true.zeros, strict=True):
        assert zero.clique == original.clique and np.array_equal(zero.forbidden, original.forbidden)
    for stated, was in zip(measurements.tables(back), measurements.tables(true), strict=True):
        assert np.array_equal(stated.counts, was.counts) and stated.counts.dtype == np.int64
        assert (stated.clique, stated.variance, stated.units, stated.part, stated.step) == (
            was.clique, was.variance, was.units, was.part, was.step,
        )  # fmt: skip
        assert stated.groups == was.groups


def test_answers_other_than_tables_are_written_only_where_asked(synthesis: Synthesis) -> None:
    counted = replace(synthesis.evidence, answers=synthesis.evidence.measurements)
    assert "numbers" not in measurements.document(counted)
    sums = NoisyNumbers(
        requested={"ask": "sum", "clique": ["age"]}, values=np.array([-3, 2**40]), variance=Fraction(10, 3),
        scale=16, units=7, step=9, law=GAUSSIAN,
    )  # fmt: skip
    whole = replace(synthesis, evidence=synthesis.evidence.joined([sums]))
    (back,) = measurements.read(*written(whole)).numbers
    assert back.values.tolist() == [-3, 2**40] and back.values.dtype == np.int64
    assert vars(back) | {"values": None} == vars(sums) | {"values": None}


def test_scores_come_back_without_what_their_tables_were_compared_with(synthesis: Synthesis) -> None:
    counted = replace(synthesis.evidence, answers=synthesis.evidence.measurements)
    assert "scores" not in measurements.document(counted)
    domain, pairs = synthesis.evidence.domain, (("age", "marital"), ("marital", "ward"))
    estimates = tuple(np.full(domain.shape(pair), 0.5) for pair in pairs)
    about = {"groups": {"marital": (0, 0, 1, 1)}, "units": 7, "part": "mechanism", "law": GAUSSIAN}
    gaps = NoisyScores(
        score=L1Gap(pairs, estimates, (1, 3), (0.0, 2.5)), values=np.array([-3.25, 2.0**30]),
        variance=Fraction(10, 3), step=9,
        **about,  # type: ignore[arg-type]
    )  # fmt: skip
    apart = replace(gaps, score=InDif(pairs), step=10)
    whole = replace(synthesis, evidence=counted.joined([gaps, apart]))
    back, second = measurements.read(*written(whole)).scores
    assert back.values.tolist() == gaps.values.tolist()
    assert vars(back) | {"values": 0, "score": 0} == vars(gaps) | {"values": 0, "score": 0}
    assert second.score == InDif(pairs)
    score = back.score
    assert isinstance(score, L1Gap) and (score.cliques, score.weights) == (pairs, (1, 3))
    assert score.penalties == (0.0, 2.5) and all(estimate.size == 0 for estimate in score.estimates)


def test_a_critic_comes_back_with_its_generator_and_an_earlier_block_without(synthesis: Synthesis) -> None:
    sizes, base = (2, 3), ((3, 1), (2, 2, 1))
    made_by = Forger(sizes, base, 2, 3).start(np.random.default_rng(0)).astype("<f4").tobytes()
    net = Critic(sizes, base, 4, 2, 3, 10, 5, 0.25, 6, made_by)
    state = np.random.default_rng(1).standard_normal((3, net.parameters)).astype(np.float32)
    requested = {"ask": "train", **net.facts()}
    last = Trained(requested=requested, net=net, state=state, sigma=1.5, units=7, step=4, law=SAMPLED)
    whole = replace(synthesis, evidence=synthesis.evidence.joined([last.forget(), last]))
    document, parquet = written(whole)
    early, late = measurements.read(document, parquet).trained
    assert late.net == net and early.net == net.bare() and early.state.shape == (3, 0)
    assert np.array_equal(late.state, state) and late.net.answered(late.weights) == net.answered(state[2])
    first, second = document["trained"]  # type: ignore[misc]
    assert "beside" not in first
    second["beside"] = second["beside"][:-8]
    with pytest.raises(Mistake, match="damaged"):
        measurements.read(document, parquet)


def test_the_same_bytes_every_time(synthesis: Synthesis) -> None:
    """Also where a clique was measured twice: a dictionary with a value twice would hold stray memory."""
    twice = replace(
        synthesis, evidence=replace(synthesis.evidence, answers=synthesis.evidence.measurements[:2] * 3)
    )
    for source in (synthesis, twice):
        assert len({written(source)[1] for _ in range(6)}) == 1


def test_halves_that_do_not_fit_are_refused(synthesis: Synthesis, grouped: Synthesis) -> None:
    for wrong in ({"format": "other/1"}, {"zeros": [{"clique": ["ward"], "runs": [[3, 9]]}]}, {"tables": []}):
        described, cells = written(synthesis)
        with pytest.raises(Mistake):
            measurements.read({**described, **wrong}, cells)
    with pytest.raises(Mistake):
        measurements.read(written(synthesis)[0], written(grouped)[1])
    with pytest.raises(Mistake):
        measurements.read(written(synthesis)[0], b"not parquet")
    described, cells = written(synthesis)
    described["domain"]["sizes"][0] += 1  # type: ignore[index]
    with pytest.raises(Mistake, match="domain"):
        measurements.read(described, cells)


def test_tables_that_were_cut_in_several_ways_come_back(grouped: Synthesis) -> None:
    evidence = grouped.evidence
    names = evidence.domain.names[:3]
    rest = evidence.domain.shape(names)[1:]
    cuts: tuple[tuple[int, ...], ...] = ((0, 1, 1), (0, 0, 1))
    tiles = [
        Measurement(
            clique=names, counts=np.full((2, *rest), step, dtype=np.int64), variance=Fraction(1, 3),
            units=1, step=step, groups={names[0]: (*cut, *(1,) * (evidence.domain.sizes[0] - 3))},
        )
        for step, cut in enumerate(cuts, 10)
    ]  # fmt: skip
    tiled = replace(grouped, evidence=evidence.joined(tiles))
    back = measurements.read(*written(tiled))
    assert [m.groups for m in back.tilings] == [m.groups for m in tiles]
    assert [m.step for m in back.tilings] == [10, 11]
    assert len(back.measurements) == len(evidence.measurements)
    assert len(back.verdict) == len(evidence.verdict)


def test_interactions_come_back_and_so_do_the_tables_that_follow_from_them(synthesis: Synthesis) -> None:
    evidence = synthesis.evidence
    terms = Terms(rows=2, neighbours=Neighbours.ADD_REMOVE, law=GAUSSIAN)
    rng, pair = np.random.default_rng(0), evidence.domain.clique(("marital", "ward"))
    question = Interaction.of(evidence.domain, pair)
    shape = question.shape(evidence.domain)
    requested = [
        question.read(
            question.plain(rng.integers(-(10**6), 10**6, shape)),
            Paid(units=7 * 10**9 + step, part="mechanism", step=step, terms=terms),
            domain=evidence.domain,
        )
        for step in (90, 91)
    ]
    whole = replace(synthesis, evidence=evidence.joined(requested))
    back = measurements.read(*written(whole))
    for stated, was in zip(back.numbers, requested, strict=True):
        assert np.array_equal(stated.values, was.values) and stated.values.shape == shape
        assert vars(stated) | {"values": None} == vars(was) | {"values": None}
    joined = [[m for m in e.measurements if m.joined] for e in (back, whole.evidence)]
    assert [m.units for m in joined[0]] == [14 * 10**9 + 181], "one table of an interaction asked twice"
    assert not any(m.joined for m in measurements.tables(back))
    for stated, was in zip(*joined, strict=True):
        assert np.array_equal(stated.counts, was.counts)
        assert vars(stated) | {"counts": None} == vars(was) | {"counts": None}
    assert len(measurements.document(whole.evidence)["tables"]) == len(measurements.tables(evidence))


NINE = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        ([[1, 2, 3], [4, 5, 6]], [4, 4]), ([[1, 2], [3, 4], [5, 6]], [4, 4]),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], [4, 4]), ([[1, 2, 3], [4, 5, 6], [7, 8]], [4, 4]), (NINE, [4, 3]),
        (NINE, [4]), (NINE, [4, 4, 2]), (NINE, None), ([[1, 2], [3, 4], [5, 6]], [4, 3]),
    ],
)  # fmt: skip
def test_contrasts_of_another_shape_fail(
    synthesis: Synthesis, values: list[object], shape: list[int] | None
) -> None:
    described, parquet = written(synthesis)
    answer = {
        "asked": {"ask": "interaction", "clique": ["marital", "ward"], "shape": [4, 4]}, "values": NINE,
        "scale": 1, "variance": "5/2", "rho_units": 7, "part": "mechanism", "step": 90,
    }  # fmt: skip
    whole = measurements.read({**described, "numbers": [answer]}, parquet)
    assert whole.numbers[-1].values.shape == (3, 3)
    forged = {**answer, "values": values, "asked": {**answer["asked"], "shape": shape}}  # type: ignore[dict-item]
    for clique in (["ward", "marital"], ["marital", "nobody"]):
        turned = {**answer, "asked": {**answer["asked"], "clique": clique}}  # type: ignore[dict-item]
        with pytest.raises(Mistake, match="damaged"):
            measurements.read({**described, "numbers": [turned]}, parquet)
    with pytest.raises(Mistake, match="damaged"):
        measurements.read({**described, "numbers": [forged]}, parquet)
