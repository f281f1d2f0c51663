import numpy as np
import pandas as pd
import pytest

from synth.evaluate.levels import fidelity_error

NUMERIC = frozenset({"x", "y"})


def frame(x: list[float], y: list[float], c: list[str | None]) -> pd.DataFrame:
    return pd.DataFrame({"x": x, "y": y, "c": pd.Series(c, dtype="string")})


REAL = frame([0.0, 1.0, 2.0, 99.0], [5.0, 5.0, 5.0, 5.0], ["a", "b", "a", None])


def test_a_table_is_at_no_distance_from_itself_in_any_order() -> None:
    assert fidelity_error(REAL, REAL.iloc[::-1], numeric=NUMERIC) == 0.0


def test_numbers_are_told_apart_by_a_hundredth_of_the_joint_range_and_texts_exactly() -> None:
    near = REAL.assign(x=[0.4, 1.0, 2.0, 99.0])
    far = REAL.assign(x=[0.6, 1.0, 2.0, 99.0])
    assert fidelity_error(REAL, near, numeric=NUMERIC) == 0.0
    # one row of four is elsewhere in the two pairs that hold x, and the third pair is exact
    assert fidelity_error(REAL, far, numeric=NUMERIC) == pytest.approx(2 / 3 * 0.25)
    other = REAL.assign(c=pd.Series(["a", "b", "a", "b"], dtype="string"))
    assert fidelity_error(REAL, other, numeric=NUMERIC) == pytest.approx(2 / 3 * 0.25)


def test_the_range_is_that_of_both_tables() -> None:
    wide = REAL.assign(x=[0.0, 1.0, 2.0, 9900.0])
    # now 0, 1 and 2 fall on one level, and 99 onto the next
    assert fidelity_error(REAL, wide, numeric=NUMERIC) == pytest.approx(2 / 3 * 0.25)


def test_blank_numbers_are_a_level_of_their_own() -> None:
    blank = REAL.assign(x=pd.array([None, 1.0, 2.0, 99.0], dtype="Float64"))
    assert fidelity_error(REAL, blank, numeric=NUMERIC) == pytest.approx(2 / 3 * 0.25)
    assert fidelity_error(blank, blank, numeric=NUMERIC) == 0.0


def test_of_many_pairs_the_same_are_taken_every_time() -> None:
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(30)]
    one, other = (pd.DataFrame(rng.normal(size=(50, 30)), columns=names) for _ in range(2))
    found = fidelity_error(one, other, numeric=frozenset(names))
    assert found == fidelity_error(one, other, numeric=frozenset(names))
    assert found != fidelity_error(one, other, numeric=frozenset(names), limit=435)


def test_other_columns_and_no_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="same columns"):
        fidelity_error(REAL, REAL[["x", "y"]], numeric=NUMERIC)
    with pytest.raises(ValueError, match="rows"):
        fidelity_error(REAL, REAL.iloc[:0], numeric=NUMERIC)
