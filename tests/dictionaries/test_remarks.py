"""Test that valid but unusual declarations have a remark, and that usual declarations have none."""

from __future__ import annotations

import pytest

from synth.core.numbers import TIMES
from synth.core.schema import Provenance, Unit
from synth.dictionaries import problems, warnings
from tests.dictionaries.test_check import listed, ranged, schema_of


def test_reading_from_a_public_file_is_allowed_and_warned():
    schema = schema_of(listed(provenance=Provenance.READ_FROM_FILE), file_is_public=True)
    assert problems(schema) == ()
    said = "The domain of 'region' was read from the file: a release has no guarantee."
    assert warnings(schema) == (said,)


@pytest.mark.parametrize(
    ("schema", "part"),
    [
        (
            schema_of(listed(), unit=Unit(max_rows=4)),
            "One person may have 4 rows, and no ID column limits them",
        ),
        (schema_of(ranged(max=999, bins=500)), "Column 'age': 500 values or bins are many"),
        (schema_of(ranged(max=9, bins=25)), "has only 10 values, so 10 bins are used instead of 25."),
        (
            schema_of(listed(values=tuple(range(1990, 2001)))),
            "Column 'region': its values are numbers. If neighbouring values are similar, declare it as",
        ),
        (schema_of(listed(values=("North", "?"))), "Column 'region': '?' is also read as blank"),
        (schema_of(listed(values=("=A1",))), "Column 'region': '=A1' starts like a formula"),
        (
            schema_of(ranged(buy=True, min=None, max=None)),
            "Column 'age': the ends of its range of whole numbers",
        ),
        (
            schema_of(listed(buy=True, values=())),
            "Column 'region': its list of values is estimated with part",
        ),
        (
            schema_of(listed(values=("bought 0 to 99",))),
            "Column 'region': its only value is 'bought 0 to 99'.",
        ),
        (schema_of(listed(other_label="Abroad")), "Column 'region': the label 'Abroad' is not used"),
        (schema_of(listed(weight=0)), "Every column has weight 0"),
        (schema_of(ranged(name="patientID")), "Column 'patientID': its name looks like an ID"),
        (
            schema_of(ranged(max=250_000, bins=None, cuts=(50, 500, 5000))),
            "the band from 5,000 to 250,000 covers most of the range, so the mean",
        ),
        (
            schema_of(ranged(min=-90_000, max=500, bins=None, cuts=(0, 100))),
            "the mean of the column may be far off. Declare a narrower range.",
        ),
        (
            schema_of(ranged(name="zip", bins=4999, max=90000), ranged(name="job", bins=999, max=5000)),
            f"'zip'{TIMES}'job' has 5.0 million combinations. The limit is 1 million. Use fewer",
        ),
    ],
)
def test_warnings_say_what_to_look_at(schema, part):
    assert problems(schema) == ()
    assert any(part in sentence for sentence in warnings(schema))


def test_why_wide_bands_matter_is_said_once_however_many_columns_have_one() -> None:
    wide = {"max": 250_000, "bins": None, "cuts": (50, 500, 5000)}
    said = warnings(schema_of(ranged(name="gain", **wide), ranged(name="loss", **wide)))
    assert sum("covers most of the range" in sentence for sentence in said) == 2
    assert [sentence.startswith("Counts do not show where") for sentence in said].count(True) == 1
    assert not any("wide band" in sentence for sentence in warnings(schema_of(ranged(max=639, bins=None))))


@pytest.mark.parametrize(
    "schema",
    [
        schema_of(listed(name="idle"), ranged(name="grid", bins=10), listed(name="emailed")),
        schema_of(ranged(max=63, bins=None), ranged(name="b", max=639, bins=16)),
        schema_of(ranged(max=639, bins=None, step=10)),
        schema_of(ranged(max=99, bins=None, cuts=(18, 40, 65))),
    ],
)
def test_what_is_in_order_gets_no_warning(schema):
    assert warnings(schema) == ()
