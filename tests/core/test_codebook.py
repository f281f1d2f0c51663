import numpy as np
import pytest

from synth.core.axis import Axis, Grouping, ordered_codes
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.schema import Column, Kind, Schema, Unit
from synth.core.zeros import Zero

AGE = Axis(column=Column(name="age", kind=Kind.INTEGER, weight=3.0), edges=(0.0, 1.0, 2.0, 3.0, 4.0))
JOB = Axis(
    column=Column(name="job", kind=Kind.CATEGORY, values=("a", "b", "c"), blank=False), labels=("a", "b", "c")
)
SCHEMA = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=(AGE.column, JOB.column))
BOOK = Codebook(schema=SCHEMA, axes=(AGE, JOB), zeros=(Zero(("job",), np.array([False, True, True])),))
RUNS = Grouping(column="age", group_of=(0, 0, 1, 2, 3), weights=(3.0, 1.0, 1.0, 1.0, 1.0))
HEAPS = Grouping(column="job", group_of=(0, 1, 1), weights=(5.0, 1.0, 1.0))


def test_what_codes_mean_follows_from_axes_and_groupings() -> None:
    assert BOOK.domain == Domain(("age", "job"), (5, 3))
    assert BOOK.ordered == {"age": 4} and BOOK.column_weights == {"age": 3.0, "job": 1.0}


def test_coarser_codes_are_grouped_once_more_and_keep_their_zeros() -> None:
    once = BOOK.coarsened([RUNS, HEAPS])
    assert once.domain.sizes == (4, 2) and once.zeros[0].forbidden.tolist() == [False, True]
    assert once.ordered == {"age": 3}
    twice = once.coarsened([Grouping(column="age", group_of=(0, 0, 1, 2), weights=(3.0, 1.0, 1.0, 1.0))])
    assert twice.domain.sizes == (3, 2) and twice.ordered == ordered_codes(twice.axes, twice.groupings)
    both = {g.column: g for g in twice.groupings}
    assert both["age"].group_of == (0, 0, 0, 1, 2) and both["job"] == HEAPS
    np.testing.assert_allclose(both["age"].weights, (2.25, 0.75, 1.0, 1.0, 1.0))


def test_a_group_across_a_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="zero"):
        BOOK.coarsened([Grouping(column="job", group_of=(0, 0, 1), weights=(1.0, 1.0, 1.0))])


def test_plain_codes_have_at_most_two_that_are_in_no_order() -> None:
    with pytest.raises(ValueError, match="two"):
        Codebook.plain(Domain(("a",), (5,)), ordered={"a": 2})
