import numpy as np
import pandas as pd
import pytest

from synth.evaluate.prefixes import prefix_errors

ROWS = 2000


def frame(rng: np.random.Generator) -> pd.DataFrame:
    """x and y are the same number."""
    x = rng.random(ROWS)
    return pd.DataFrame({"x": x, "y": x, "z": np.where(rng.random(ROWS) < 0.5, "left", "right")})


def test_a_table_has_no_error_against_itself() -> None:
    real = frame(np.random.default_rng(0))
    assert prefix_errors(real, real, numeric=frozenset("xy"), queries=50) == (0.0, 0.0, 0.0)


def test_a_lost_relation_shows_from_two_columns_on() -> None:
    """x and y have the same values in both tables, paired in one of them only."""
    real = frame(np.random.default_rng(0))
    lost = real.assign(y=real["y"].to_numpy()[::-1])
    one, two, three = prefix_errors(real, lost, numeric=frozenset("xy"), queries=300)
    assert one == 0.0 and two > 0.02 and three > 0.02


def test_a_value_is_drawn_among_the_observed_ones_whatever_its_share() -> None:
    """Of the three values one is off by 0.2 and two by 0.1."""
    real, synthetic = pd.DataFrame({"c": [*"aaaaaaaabc"]}), pd.DataFrame({"c": ["a"]})
    (error,) = prefix_errors(real, synthetic, numeric=frozenset(), queries=2000)
    assert error == pytest.approx(0.4 / 3, abs=5 * 0.048 / 2000**0.5)


def test_an_interval_ends_evenly_in_the_real_range() -> None:
    """Real values are at the ends, where no interval reaches; one in two holds the synthetic one."""
    real, synthetic = pd.DataFrame({"x": [0.0, 1.0]}), pd.DataFrame({"x": [0.5]})
    (error,) = prefix_errors(real, synthetic, numeric=frozenset("x"), queries=4000)
    assert error == pytest.approx(0.5, abs=5 * 0.5 / 4000**0.5)


def test_blanks_are_in_no_interval_and_are_a_value_of_texts() -> None:
    real = pd.DataFrame({"x": [0.0, 1.0], "t": ["a", None]})
    synthetic = pd.DataFrame({"x": [None, None], "t": ["a", None]})
    assert prefix_errors(real[["t"]], synthetic[["t"]], numeric=frozenset(), queries=20) == (0.0,)
    assert prefix_errors(real[["x"]], synthetic[["x"]].astype(float), numeric=frozenset("x")) == (0.0,)


def test_other_columns_and_empty_tables_are_refused() -> None:
    some = pd.DataFrame({"x": [1.0]})
    for other in (pd.DataFrame({"y": [1.0]}), some.iloc[:0]):
        with pytest.raises(ValueError, match="with rows and the same columns"):
            prefix_errors(some, other, numeric=frozenset("x"))
