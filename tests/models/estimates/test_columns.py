import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.zeros import Zero
from synth.models.estimates.columns import one_ways
from tests.models.examples import measurement

DOMAIN = Domain(tuple("abcd"), (6, 5, 4, 3))


def test_a_column_has_its_total_and_none_where_it_cannot_be() -> None:
    forbidden = np.array([False, True, False, False])
    codebook = Codebook.plain(DOMAIN, zeros=[Zero(("c",), forbidden)], ordered={"c": 4})
    counts = np.array([1201, 3, 998, 1799])
    measured = measurement(("c",), counts, 4)
    found = one_ways(Evidence(codebook=codebook, answers=(measured,), total=4000))
    assert found["c"].counts[1] == 0 and found["c"].counts.sum() == pytest.approx(4000)
    assert found["a"].counts.tolist() == pytest.approx([4000 / 6] * 6) and found["a"].variance == 0
