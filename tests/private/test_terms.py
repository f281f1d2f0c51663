from fractions import Fraction

import pytest

from synth.core.schema import Neighbours, Schema, Unit
from synth.private.queries import Marginal
from synth.private.terms import Allowance, Terms


def test_the_terms_of_a_schema() -> None:
    terms = Terms.of(Schema(name="t", population="p", unit=Unit(max_rows=3), columns=(), rows_public=90))
    assert (terms.l1, terms.l2_squared, terms.total) == (6, 18, 90) and terms.neighbours is Neighbours.REPLACE
    assert Marginal(("a",)).variance(10**12, terms) == Fraction(9)
    assert terms.sigma(1.0) == 3.0 and terms.rho_for(3.0) == 1.0


def test_prices_are_taken_off_one_after_the_other_and_the_rest_to_the_last_unit() -> None:
    left = Allowance(1000)
    assert left.prices([3e-10, 3e-10]) == (300, 300)
    rest = left.after([3e-10, 3e-10 + 7e-13])
    assert rest == Allowance(400) and left.prices([6e-10, rest.rho]) == (600, 400)
    assert left.prices([999e-12]) == left.prices([1002e-12]) == (1000,) != left.prices([1003e-12])


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1.0, 1e300])
def test_a_price_that_is_no_number_is_nothing(odd: float) -> None:
    assert Allowance(1).prices([odd]) == (0,)


def test_questions_that_were_charged_keep_their_prices() -> None:
    left = Allowance(1000, charged=(10, 20))
    assert left.prices([0.5, 1e-12, 970e-12]) == (10, 20, 970)
    assert left.after([0.5]) == Allowance(990, charged=(20,))
