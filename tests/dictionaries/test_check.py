"""Test the checks of a declared table: every problem has a sentence."""

from __future__ import annotations

import pytest

from synth.core.errors import Mistake
from synth.core.schema import Binning, Column, DateOrder, FileFormat, Kind, Outside, Provenance, Schema, Unit
from synth.dictionaries import check_schema, problems


def ranged(**changes):
    return Column(**{"name": "age", "kind": Kind.INTEGER, "min": 0, "max": 99, **changes})


def listed(**changes):
    return Column(**{"name": "region", "kind": Kind.CATEGORY, "values": ("North", "South"), **changes})


def schema_of(*columns, **changes):
    return Schema(**{"name": "t", "population": "p", "unit": Unit(max_rows=1), "columns": columns, **changes})


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (
            ranged(min=90, max=17),
            "the largest value must be above the smallest (you gave min 90 and max 17).",
        ),
        (
            ranged(kind=Kind.DATE, min="2020-01-01", max="2020-01-01"),
            "the largest value must be above the smallest (you gave min 2020-01-01 and max 2020-01-01).",
        ),
        (listed(values=(1, "1", 1.0)), "1 appears 3 times."),
        (ranged(max=None), "the largest value 'max' is missing; enter it, or set 'buy' to true."),
        (
            listed(values=()),
            (
                "the list of 'values' is missing; enter it, or set 'buy' to true to estimate it with "
                "part of the budget."
            ),
        ),
        (ranged(min=0.5), "the smallest value must be a whole number (you gave 0.5)."),
        (ranged(max="old"), "the largest value must be a number (you gave 'old')."),
        (
            ranged(min="01067"),
            (
                "the smallest value begins with a zero, which a number would lose (you gave '01067'). "
                "Write 1067, or list the values if the zeros are part of them."
            ),
        ),
        (ranged(max=2**53), f"the largest value is too large to be divided exactly (you gave {2**53})."),
        (
            ranged(kind=Kind.DATE, min=5, max="2020-12-31"),
            "the smallest date must be written year-month-day, like 2020-12-31 (you gave 5).",
        ),
        (
            ranged(thousands="."),
            "decimals and thousands have the same sign ('.'); state both 'decimal_sign' and 'thousands'.",
        ),
        (ranged(date_order=DateOrder.DAY_FIRST), "only dates have a 'date_order'; remove it."),
        (
            ranged(kind=Kind.DATE, min="2020-01-01", max="2020-12-31", decimal_sign=","),
            "dates have no 'decimal_sign'; remove it.",
        ),
        (ranged(bins=4, step=5.0), "give either 'bins' or 'step' (you gave 4 bins and a width of 5)."),
        (ranged(bins=0), "'bins' must be a whole number from 1 to 1,000,000 (you gave 0)."),
        (ranged(step=-1.0), "'step' must be a number above 0 (you gave -1)."),
        (ranged(step=2.5), "'step' must be a whole number of values (you gave 2.5)."),
        (
            ranged(kind=Kind.DECIMAL, step=1e-9),
            (
                "a width of 0.000000001 divides the range into 99,000,000,000 bins, more than 1,000,000; "
                "choose a larger width."
            ),
        ),
        (
            ranged(values=(1, 2)),
            (
                "a column of kind integer has no 'values'; give 'min' and 'max', or choose the kind "
                "ordered or category."
            ),
        ),
        (ranged(decimals=1), "only a decimal column has decimals; remove them."),
        (
            ranged(bins=None, cuts=(18,), labels=("child", ""), write_labels=True),
            "the CSV should contain the names of its bands, so every band needs a name.",
        ),
        (listed(decimals=1), "a column of kind category has no 'decimals' (you gave 1); list its 'values'."),
        (
            listed(binning=Binning.PRIVTREE),
            "a column of kind category is not divided into bins; remove 'binning'.",
        ),
        (
            listed(buy=True),
            (
                "the domain is declared and also marked for estimation; keep the declaration or set "
                "'buy' to false."
            ),
        ),
        (
            listed(outside=Outside.CLAMP),
            "a list of values has no ends for clamping; set 'outside' to missing or other.",
        ),
        (
            ranged(outside=Outside.OTHER),
            "a column of kind integer cannot contain the text 'Other'; set 'outside' to clamp or missing.",
        ),
        (
            listed(values=("North", "Other"), outside=Outside.OTHER),
            (
                "'Other' is a declared value and also the label for values outside the list; choose "
                "another 'other_label'."
            ),
        ),
        (
            listed(labels=("Other", ""), write_labels=True, outside=Outside.OTHER),
            (
                "'Other' is the label of a value in the CSV and also of values outside the list; choose "
                "another 'other_label'."
            ),
        ),
        (
            listed(provenance=Provenance.READ_FROM_FILE),
            (
                "the domain may be read from the file only if the file itself is public; declare it in "
                "another way, estimate it, or set 'file_is_public' to true."
            ),
        ),
        (listed(weight=float("nan")), "the weight must be a number of at least 0 (you gave nan)."),
    ],
)
def test_a_fault_of_a_column_names_it_and_what_was_typed(column, sentence):
    stated = f"Column '{column.name}': {sentence}"
    assert problems(schema_of(column, listed(name="sound"))) == (stated,)
    with pytest.raises(Mistake):
        check_schema(schema_of(column))


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        (schema_of(listed(), listed()), "The column 'region' is declared twice; keep only one declaration."),
        (
            schema_of(listed(), unit=Unit(max_rows=2, id_column="pid")),
            ("The ID column 'pid' is not declared. Declare it, or correct its name in the schema's 'unit'."),
        ),
        (
            schema_of(listed(), unit=Unit(max_rows=0)),
            "The schema's unit: 'max_rows' must be a whole number of at least 1 (you gave 0).",
        ),
        (
            schema_of(listed(kind=Kind.DROP)),
            (
                "The schema leaves no column to synthesise: each is excluded, is the ID column, or has "
                "no domain yet."
            ),
        ),
        (
            schema_of(listed(), file=FileFormat(delimiter='"')),
            "The schema's file: delimiter and quote are the same character ('\"').",
        ),
        (schema_of(listed(), population=" "), "The schema's 'population' is empty; enter a text."),
    ],
)
def test_a_fault_of_the_table(schema, sentence):
    assert problems(schema) == (sentence,)
