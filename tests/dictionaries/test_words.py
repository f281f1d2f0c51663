"""Whoever does not write field names is told in words of their own, and only then."""

from __future__ import annotations

import pytest

from synth.core.errors import Mistake
from synth.dictionaries import load_schema
from synth.dictionaries.words import Words

DOCUMENT = {
    "name": "t",
    "population": "p",
    "unit": {"max_rows": 1},
    "columns": [{"name": "a", "kind": "category"}],
}


def test_the_words_take_the_place_of_the_field_names() -> None:
    with pytest.raises(Mistake, match="the list of 'values' is missing; give it, or set 'buy' to true"):
        load_schema(DOCUMENT)
    with pytest.raises(Mistake, match="no list yet; give it, or press Buy"):
        load_schema(DOCUMENT, Words(values_missing="no list yet", buy_list="press Buy"))
