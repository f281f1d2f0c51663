"""Measured target proportions are estimated from all measurements of their columns."""

from math import sqrt

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.evidence import SHARES
from synth.release.checks import targets
from synth.release.checks.targets import measured_targets
from synth.rules import CodedShare, MeasuredShare
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("died", "ward"), (2, 4))
DIED = CodedShare(sentence="s", declared=None, hides=False, masks={"died": np.array([False, True])})
OWN, WARDS = 25, 4
"""Variances of the two counts of a value of `died`: its own count, and the sum over the wards."""


def target(dead: int, dead_by_ward: int, *, combine: bool = True) -> MeasuredShare:
    own = measurement(("died",), [95, dead], OWN, part=SHARES, groups=DIED.groups)
    wards = measurement(DOMAIN.names, [[24, 25, 25, 25], [dead_by_ward, 0, 0, 0]], WARDS // 4)
    evidence = evidence_of(DOMAIN, [own, wards], total=100.0)
    (found,) = measured_targets([DIED], evidence, confidence=0.95, combine=combine)
    return found


@pytest.mark.parametrize("dead", [-30, -3, 2, 9])
def test_all_counts_are_combined_by_their_inverse_variances(dead: int) -> None:
    """A share of 0.4% was set to 0 or 2.3% by its own count, although a better count was known."""
    whole = 1 / OWN + 1 / WARDS
    count, alive = ((x / OWN + y / WARDS) / whole for x, y in ((dead, 1), (95, 99)))
    share = count / (count + alive)
    sigma = sqrt((1 - 2 * share + 2 * share**2) / whole) / (count + alive)
    found = target(dead, 1)
    assert (found.noisy, found.sigma) == pytest.approx((share, sigma))
    middle = max(share, 0.0)
    assert found.wanted == pytest.approx(middle) and found.interval is not None
    assert found.interval == pytest.approx(
        (max(middle - 1.96 * sigma, 0.0), middle + 1.96 * sigma), abs=0.007
    )


def test_the_count_alone_is_used_for_large_tables_and_for_earlier_versions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    earlier = target(5, 0, combine=False)
    assert (earlier.wanted, earlier.noisy, earlier.sigma) == (0.05, 0.05, 0.05)
    assert earlier.interval == pytest.approx((0.0, 0.05 + 1.959964 * 0.05))
    monkeypatch.setattr(targets, "MOST_CELLS", 1)
    assert target(5, 0).noisy == 0.05 and target(-30, 0).wanted == 0


def test_declared_and_unmeasured_targets_need_no_counts() -> None:
    hidden = CodedShare(sentence="h", declared=0.4, hides=True, masks=DIED.masks)
    found = measured_targets([DIED, hidden], evidence_of(DOMAIN, [], total=100.0), confidence=0.95)
    assert [(s.coded, s.wanted, s.noisy, s.interval) for s in found] == [(hidden, 0.4, None, None)]
