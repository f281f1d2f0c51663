"""Test that decoded values of any type have an atom, and that unknown values are other or blank."""

import numpy as np
import pandas as pd
import pytest

from synth.core.schema import Column, Kind
from synth.rules.atoms import Atoms, is_blank
from synth.rules.terms import Condition, Range

AGE = Atoms.of(
    Column(name="age", kind=Kind.INTEGER, min=0, max=30), [Condition("age", ranges=(Range(5, 9),))]
)
BORN = Atoms.of(
    Column(name="born", kind=Kind.DATE, min="2011-01-01", max="2011-12-31"),
    [Condition("born", ranges=(Range("2011-03-01", None),))],
)
WARD = Atoms.of(Column(name="ward", kind=Kind.CATEGORY, values=(0, 1)), [])


@pytest.mark.parametrize(
    "cells",
    [[4, 5, 9, 10, None], np.array([4, 5, 9, 10, np.nan]), pd.Series([4, 5, 9, 10, None], dtype="Int64")],
)
def test_numbers(cells):
    assert AGE.of_values(cells).tolist() == [0, 1, 1, 2, AGE.blank]


def test_what_is_no_number_is_other():
    assert AGE.of_values([4, "young", None]).tolist() == [0, AGE.other, AGE.blank]
    assert BORN.of_values(["soon", "2011-03-01"]).tolist() == [BORN.other, 1]


@pytest.mark.parametrize(
    "cells",
    [
        ["2011-02-28", "2011-03-01", None],
        np.array(["2011-02-28", "2011-03-01", "NaT"], dtype="datetime64[D]"),
        pd.to_datetime(pd.Series(["2011-02-28", "2011-03-01", None])),
    ],
)
def test_dates(cells):
    assert BORN.of_values(cells).tolist() == [0, 1, BORN.blank]


@pytest.mark.parametrize(
    "cells", [[0, 1, 7, None], ["0", "1", "7", ""], pd.Series([0, 1, 7, None], dtype="Int64")]
)
def test_labels(cells):
    assert WARD.of_values(cells).tolist() == [0, 1, WARD.other, WARD.blank]


def test_blank_is_none_nan_na_and_the_empty_text():
    assert [is_blank(c) for c in (None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), "")] == [True] * 6
    assert not any(map(is_blank, (0, False, " ", "NA")))


def test_masks_and_words():
    assert AGE.words(0) == "0 to 4" and AGE.words(1) == "5 to 9" and AGE.words(2) == "10 to 30"
    assert BORN.words(0) == "2011-01-01 to 2011-02-28"
    assert AGE.words(AGE.blank) == "blank" and AGE.words(AGE.other) == "Other"
    mask = AGE.mask(Condition("age", ranges=(Range(5, 9),), blank=True))
    assert mask.tolist() == [False, True, False, False, True]
    mask = AGE.mask(Condition("age", ranges=(Range(5, 9),), blank=True, negated=True))
    assert mask.tolist() == [True, False, True, True, False]
