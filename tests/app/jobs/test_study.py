"""An order that no study could have is a mistake, and an order comes back from plain types as it was."""

from dataclasses import replace

import pytest

from synth.app.jobs.spec import StudyKind, StudyOrder
from synth.core.errors import Mistake

ORDER = StudyOrder(kind=StudyKind.STEWARD, runs=("toy-1",), targets=("status",), mapped=False)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"runs": ()}, "1 to 8"),
        ({"runs": ("a",), "kind": StudyKind.ATLAS, "targets": ()}, "2 to 8"),
        ({"runs": tuple("abcdefghi")}, "1 to 8"),
        ({"held_out": "/x.csv", "targets": ()}, "column to predict"),
        ({"rows": 99}, "asked for 99"),
        ({"rows": 10_001}, "10,000 rows"),
    ],
)
def test_an_order_no_study_could_have_is_a_mistake(fault, words):
    with pytest.raises(Mistake, match=words):
        replace(ORDER, **fault)
