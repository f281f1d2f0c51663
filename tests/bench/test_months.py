import numpy as np
import pytest

from synth.bench import months
from synth.core.accounting import GAUSSIAN


def test_the_curve_is_that_of_the_accounting() -> None:
    for epsilon in (0.1, 1.0, 5.0):
        mu = months.mu_of(epsilon, 1e-9)
        assert months.epsilon_of(mu**2, 1e-9) == pytest.approx(epsilon, rel=1e-6)
        assert GAUSSIAN.epsilon_of(mu**2 / 2, 1e-9) == pytest.approx(epsilon, rel=1e-6)


def test_the_stated_part_of_the_people_is_replaced() -> None:
    tables = list(months.months(0.1, np.random.default_rng(1)))
    assert len(tables) == months.MONTHS and {len(t) for t in tables} == {months.ROWS}
    stay = (tables[0].to_numpy() == tables[1].to_numpy()).all(axis=1).mean()
    assert 0.9 <= stay < 0.92 and months.error(tables[0], tables[1]) < months.error(tables[0], tables[-1])
