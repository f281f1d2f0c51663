"""Test the limits of budgets and runs."""

import pytest

from synth.core.accounting import check_new_delta
from synth.core.accounting.limit import Limit, limit_for
from synth.core.errors import Mistake


def test_a_limit_out_of_order_is_no_limit() -> None:
    assert Limit.plain(7) == Limit(units=7, gaussian_units=7, mixed_units=7)
    for units, gaussian, mixed in ((5, 4, 3), (5, 6, 7), (5, 6, 0)):
        with pytest.raises(ValueError, match="Gaussian"):
            Limit(units=units, gaussian_units=gaussian, mixed_units=mixed)


def test_a_delta_that_allows_a_method_to_publish_records_is_refused() -> None:
    check_new_delta(1e-3)
    with pytest.raises(Mistake, match=r"at most 0\.001 \(you gave 0\.1\)"):
        check_new_delta(0.1)
    assert limit_for(1.0, 0.1).units > 0, "earlier versions accepted it"


def test_a_delta_that_lists_have_used_up_is_refused_in_a_sentence() -> None:
    assert limit_for(1.0, 1e-9, delta_units=10**8).delta_units == 10**8
    with pytest.raises(Mistake, match=r"Delta 1e-9 must be above 2e-9"):
        limit_for(1.0, 1e-9, delta_units=2 * 10**9)
