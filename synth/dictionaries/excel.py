"""A dictionary in an Excel workbook: its first sheet as the lines of a CSV dictionary."""

from __future__ import annotations

import csv
import io
from importlib.util import find_spec

from synth.core.errors import Mistake
from synth.dictionaries import apart
from synth.dictionaries.check import show, text_of

_NEEDED = (
    "Excel workbooks are read by openpyxl, which is not installed here: pip install openpyxl. Or save the "
    "sheet as CSV."
)


def lines_of(raw: bytes, *, name: str) -> str:
    """The first sheet as CSV text. Raises: `Mistake` if `openpyxl` is not there or this is no workbook."""
    if find_spec("openpyxl") is None:
        raise Mistake(_NEEDED)
    try:
        rows = apart.told(raw, way=apart.WORKBOOK)
    except ValueError:
        raise Mistake(f"{show(name)} cannot be read as an Excel workbook.") from None
    width = max(
        (number for row in rows for number, cell in enumerate(row, start=1) if cell is not None), default=0
    )
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerows(["" if cell is None else text_of(cell) for cell in row[:width]] for row in rows)
    return out.getvalue()
