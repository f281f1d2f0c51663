import io
import zipfile
from typing import Any

import pytest

from synth.core.errors import Mistake
from synth.dictionaries import read_draft


def columns(draft: Any) -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in draft.document["columns"]}


def test_the_first_sheet_of_a_workbook_is_a_dictionary() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book, out = openpyxl.Workbook(), io.BytesIO()
    for line in (
        ["Name", "Type", "Values", "Min", "Max", None],
        ["sex", "category", "1 = m|2 = f", None, None],
    ):
        book.active.append(line)
    book.active.append(["age", "integer", None, 0, 99.0])
    book.save(out)
    found = columns(read_draft(out.getvalue(), name="d.xlsx"))
    assert found["sex"]["labels"] == ["m", "f"] and found["age"]["max"] == 99
    with (
        zipfile.ZipFile(io.BytesIO(out.getvalue())) as stated,
        zipfile.ZipFile(smaller := io.BytesIO(), "w") as to,
    ):
        for part in stated.namelist():
            text = stated.read(part)
            to.writestr(part, text.replace(b'<dimension ref="A1:F3"', b'<dimension ref="A1:A2"'))
    again = columns(read_draft(smaller.getvalue(), name="d.xlsx"))
    assert again == found, "what a sheet states of its own size is not what it holds"
    with pytest.raises(Mistake, match="cannot be read as an Excel workbook"):
        read_draft(b"no", name="d.xlsx")
