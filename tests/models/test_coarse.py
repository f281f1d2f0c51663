import numpy as np
import pytest

from synth.core.axis import Grouping
from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement
from synth.core.zeros import Zero
from synth.models import coarse
from synth.models.coarse import Coarsening, coarsening_for_relations, coarsening_of, common_groups
from synth.models.estimates.columns import one_ways
from synth.models.targets import targets_of
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b"), (4, 2))
COARSENING = Coarsening(DOMAIN, (Grouping(column="a", group_of=(0, 0, 1, 2), weights=(3.0, 1.0, 0.0, 5.0)),))


def test_spreading_a_table_undoes_summing_it() -> None:
    assert COARSENING.coarse.sizes == (3, 2)
    coarse = np.array([[8.0, 4.0], [1.0, 0.0], [2.0, 3.0]])
    fine = COARSENING.spread(coarse, ("a", "b"))
    assert fine.tolist() == [[6.0, 3.0], [2.0, 1.0], [1.0, 0.0], [2.0, 3.0]]
    np.testing.assert_allclose(COARSENING.sum(fine, ("a", "b")), coarse)
    np.testing.assert_allclose(COARSENING.spread(coarse.T, ("b", "a")), fine.T)


def test_records_come_back_within_their_groups_in_proportion() -> None:
    codes = np.stack([np.repeat([0, 1, 2], [400, 5, 5]), np.zeros(410, dtype=np.int64)], axis=1)
    fine = COARSENING.refine(codes, np.random.default_rng(0))
    assert (np.asarray((0, 0, 1, 2))[fine[:, 0]] == codes[:, 0]).all()
    assert abs((fine[:, 0] == 0).sum() - 300) <= 1


def test_a_code_of_negative_weight_gets_nothing_and_a_group_without_weight_is_even() -> None:
    grouping = Grouping(column="a", group_of=(0, 0, 1, 1), weights=(-3.0, 1.0, -2.0, 0.0))
    fine = Coarsening(DOMAIN, (grouping,)).spread(np.array([8.0, 6.0]), ("a",))
    assert fine.tolist() == [0.0, 8.0, 3.0, 3.0]


def test_zeros_are_carried_over_exactly_or_refused() -> None:
    forbidden = np.zeros((4, 2), dtype=bool)
    forbidden[:2, 0] = forbidden[3, 1] = True
    (zero,) = COARSENING.zeros([Zero(("a", "b"), forbidden)])
    assert zero.forbidden.tolist() == [[True, False], [False, False], [False, True]]
    forbidden[0, 0] = False
    with pytest.raises(ValueError, match="distinguishes"):
        COARSENING.zeros([Zero(("a", "b"), forbidden)])


def test_the_order_of_codes_carries_over_to_groups() -> None:
    assert COARSENING.ordered({"a": 4, "b": 2}) == {"a": 3, "b": 2}
    assert COARSENING.ordered({"a": 3}) == {"a": 2}
    assert COARSENING.ordered({}) == {}


def requested(group_of: tuple[int, ...]) -> Measurement:
    counts = np.zeros(max(group_of) + 1, dtype=np.int64)
    return measurement(("a",), counts, groups={"a": group_of})


def test_two_ways_to_group_one_column_are_refused() -> None:
    assert common_groups([requested((0, 0)), requested((0, 0))]) == {"a": (0, 0)}
    with pytest.raises(ValueError):
        common_groups([requested((0, 0)), requested((0, 1))])


def stated(clique: tuple[str, ...]) -> Measurement:
    counts = np.arange(np.prod(LONG.shape(clique))).reshape(LONG.shape(clique))
    return measurement(clique, counts, 4)


LONG = Domain(("a", "b", "c", "d"), (9, 8, 3, 7))
NEVER_BLANK = np.arange(7) == 6


@pytest.mark.parametrize(
    ("measured", "zeros", "grouped"),
    [
        ([], (), {"a", "b", "d"}),
        ([("a", "c")], (), {"b", "d"}),
        ([("a", "b")], (), {"d"}),
        ([], (Zero(("b", "c"), np.zeros((8, 3), dtype=bool)),), {"a", "d"}),
        ([], (Zero(("d",), NEVER_BLANK),), {"a", "b", "d"}),
        ([], (Zero(("d",), ~NEVER_BLANK),), {"a", "b"}),
    ],
)
def test_the_codes_of_a_long_column_that_nothing_relates_are_one_group(
    measured: list[tuple[str, ...]],
    zeros: tuple[Zero, ...],
    grouped: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(coarse, "LONG", 6)
    answers = tuple(stated(r) for r in [*((n,) for n in LONG.names), *measured])
    evidence = evidence_of(LONG, answers, 40, zeros=zeros)
    found = coarsening_for_relations(evidence, one_ways(evidence))
    assert set(found.by_column) == grouped and not coarsening_of(evidence, one_ways(evidence)).groupings
    assert all(g.group_of == (*(0,) * (len(g.group_of) - 1), 1) for g in found.groupings)
    targets = targets_of(evidence)
    assert targets.domain == found.coarse and sum(map(len, targets.columns)) == sum(found.coarse.sizes)
    for g in found.groupings:
        rows = np.zeros((2_000, 4), dtype=np.int64)
        fine = found.refine(rows, np.random.default_rng(0))[:, LONG.axis(g.column)]
        likely = one_ways(evidence)[g.column].counts[:-1]
        drawn = np.bincount(fine, minlength=len(likely))
        assert np.abs(drawn - 2_000 * likely / likely.sum()).max() <= 1, "by what was measured of the column"
