"""Expected half-space measurements of a mixture. They are exact for components with one code per column, and
approximate otherwise.
"""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.half_spaces import HalfSpaces
from synth.core.measurements.noisy import NoisyNumbers
from synth.models.mixture.half_spaces import Planes, expected_sides, sides_of
from synth.models.networks.relaxed import RelaxedRows
from synth.models.targets import targets_of
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b", "c"), (10, 10, 2))
LINE = tuple(round(i * 255 / 9) for i in range(10))
SUM = HalfSpaces(("a", "b", "c"), (LINE, LINE, ()), ((1, 1), (1, 1), (2, -1)), (269, 127, 71), label="c")
PLAIN = HalfSpaces(("a", "b", "c"), (LINE, LINE, ()), ((1, 1, 0, 3), (1, -1, 0, 0)), (297, 14))


def answer(spaces: HalfSpaces, values: Any, **more: Any) -> NoisyNumbers:
    requested = {"ask": "sides", **spaces.as_facts(), **more}
    return NoisyNumbers(
        requested=requested, values=np.array(values, dtype=np.int64), variance=Fraction(400), units=1
    )


def evidence(*answers: Any, sizes: tuple[int, ...] = DOMAIN.sizes) -> Evidence:
    one_ways = (
        measurement((n,), np.full(size, 2000 // size, dtype=np.int64))
        for n, size in zip(DOMAIN.names, sizes, strict=True)
    )
    return evidence_of(DOMAIN, (*one_ways, *answers), 2000)


@pytest.mark.parametrize("spaces", [SUM, PLAIN])
def test_decided_components_lie_where_their_records_do(spaces: HalfSpaces) -> None:
    rows = np.random.default_rng(0).integers(0, DOMAIN.sizes, (300, 3))
    codes = np.concatenate([np.eye(n)[rows[:, i]] for i, n in enumerate(DOMAIN.sizes)], axis=1).T
    planes = Planes.of(spaces, targets_of(evidence()), {})
    np.testing.assert_allclose(300 * planes.sides(codes), spaces.sides([*rows.T], DOMAIN.sizes), atol=1.5)


def test_undecided_components_lie_where_most_of_their_records_do() -> None:
    """The test enumerates all possible records. The normal approximation for two columns has an error of a
    few hundredths.
    """
    shares = [np.random.default_rng(1).dirichlet(np.full(n, 5.0), 4) for n in DOMAIN.sizes]
    expected = np.zeros((2, 3))
    for record in product(*map(range, DOMAIN.sizes)):
        weight = np.prod([s[:, c] for s, c in zip(shares, record, strict=True)], axis=0).sum()
        expected += weight * SUM.sides([np.array([c]) for c in record], DOMAIN.sizes)
    planes = Planes.of(SUM, targets_of(evidence()), {})
    found = planes.sides(np.concatenate(shares, axis=1).T)
    np.testing.assert_allclose(found, expected / 4, atol=0.04)
    assert np.abs(expected / 4).max() > 0.2


def test_in_groups_every_code_lies_where_its_group_does() -> None:
    coarse = HalfSpaces(("a", "b", "c"), ((0, 255), LINE, ()), ((1, 1),), (255,), label="c")
    group_of = (0,) * 5 + (1,) * 5
    fine = HalfSpaces(("a", "b", "c"), ((0,) * 5 + (255,) * 5, LINE, ()), ((1, 1),), (255,), label="c")
    (one,) = sides_of(ev := evidence(answer(coarse, [[7], [9]], groups={"a": group_of})), targets_of(ev))
    (other,) = sides_of(ev := evidence(answer(fine, [[7], [9]])), targets_of(ev))
    for name in ("weights", "squares", "thresholds"):
        np.testing.assert_allclose(getattr(one.planes, name), getattr(other.planes, name), atol=1e-6)


def test_answers_are_per_record_and_those_alike_are_read_together() -> None:
    many = [answer(SUM, np.full((2, 3), 100)), answer(SUM.only([1]), [[4], [6]]), answer(PLAIN, [[1, 2]])]
    known = evidence(*many)
    labelled, plain = sides_of(known, targets_of(known))
    np.testing.assert_allclose(labelled.means * 2000, [[100, 100, 100, 4], [100, 100, 100, 6]], rtol=1e-5)
    np.testing.assert_allclose(labelled.weights, 2000 / 400)
    assert labelled.planes.label == slice(20, 22) and plain.planes.label is None
    assert plain.means.shape == (1, 2)


def test_relaxed_rows_learn_from_sides_what_columns_do_not_say() -> None:
    """c states whether a + b is above 9. The planes are separated by the label, and no pair was measured."""
    rng = np.random.default_rng(3)
    rows = rng.integers(0, DOMAIN.sizes, (2000, 3))
    rows[:, 2] = rows[:, 0] + rows[:, 1] > 9
    stated = evidence(answer(SUM, SUM.sides([*rows.T], DOMAIN.sizes)))
    generator = RelaxedRows(rows=150, steps=200)
    learned, plain = (generator.fit(e, seed=0, device="cpu") for e in (stated, evidence()))
    truth = SUM.sides([*rows.T], DOMAIN.sizes)
    off = [np.abs(expected_sides(model, SUM) - truth).mean() for model in (learned, plain)]
    assert off[0] < off[1] / 2
    drawn = learned.sample(2000, np.random.default_rng(0))
    assert ((drawn[:, 0] + drawn[:, 1] > 9) == drawn[:, 2]).mean() > 0.75, "of columns alone .5"
