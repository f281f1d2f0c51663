from typing import Any

import pytest

from synth.core.schema import DateOrder, FileFormat
from synth.dictionaries import load_schema
from synth.dictionaries.observed import MOST_VALUES, columns_of


@pytest.mark.parametrize(
    ("texts", "domain"),
    [
        (["3", "-1", " 12"], {"kind": "integer", "min": -1, "max": 12}),
        (["0", "1"], {"kind": "category", "values": [0, 1]}),
        (["007", "012", "1"], {"kind": "category", "values": ["007", "012", "1"]}),
        (["1.5", "2", "-.25"], {"kind": "decimal", "min": -0.25, "max": 2.0}),
        (["2020-01-31", "1999-12-01"], {"kind": "date", "min": "1999-12-01", "max": "2020-01-31"}),
        ([], {"kind": "drop"}),
        ([f"name {i}" for i in range(MOST_VALUES + 1)], {"kind": "drop"}),
    ],
)
def test_a_kind_and_a_domain_from_texts(texts: list[str], domain: dict[str, Any]) -> None:
    (entry,) = columns_of({"c": texts})
    assert entry == {"name": "c", **domain, "provenance": "read from file"}


def test_numbers_and_dates_are_found_in_the_declared_form() -> None:
    form = FileFormat(decimal_sign=",", date_order=DateOrder.DAY_FIRST)
    cost, born, words = columns_of(
        {"cost": ["2,5", "10"], "born": ["31.12.1999", "1/2/2001"], "words": ["1.5", "2001-02-01"]}, form
    )
    assert (cost["kind"], cost["min"], cost["max"]) == ("decimal", 2.5, 10.0)
    assert (born["kind"], born["min"], born["max"]) == ("date", "1999-12-31", "2001-02-01")
    assert words["kind"] == "category"


def test_such_columns_are_accepted_for_a_public_file_and_for_no_other() -> None:
    columns = columns_of({"a": ["1", "2", "3"], "b": ["x", "y"]})
    document = {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": columns}
    assert len(load_schema({**document, "file_is_public": True}).modelled) == 2
    with pytest.raises(Exception, match="public"):
        load_schema(document)
