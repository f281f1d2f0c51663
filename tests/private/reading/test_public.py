from pathlib import Path

import pytest

from synth.core.errors import Mistake
from synth.core.schema import FileFormat, Schema, Unit
from synth.private.reading.public import texts_in

CANARY = "canary-41zp"


def declared(*, public: bool) -> Schema:
    form = FileFormat(delimiter=";")
    return Schema(
        name="t", population="p", unit=Unit(max_rows=1), columns=(), file=form, file_is_public=public
    )


def test_a_public_file_says_what_its_columns_hold(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_text("a;b\nx;1\n?;2\nx;1\ny;\n", encoding="utf-8")
    assert texts_in(place, declared(public=True))[0] == {"a": ("x", "y"), "b": ("1", "2")}


def test_a_private_file_is_not_even_opened(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="private") as caught:
        texts_in(tmp_path / f"{CANARY}.csv", declared(public=False))
    assert CANARY not in str(caught.value)
