"""Check that a table in another format has the cells and labels of the release.

Two versions of a library can write different bytes for the same table, so the contents are compared.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from synth.core.errors import Mistake
from synth.release.formats.content import Content
from synth.release.formats.forms import Form, check_forms


def agrees(form: Form, written: bytes, content: Content) -> bool:
    """Whether a file has this content. Without the library of the format, only checksums are compared, so the
    result is True.
    """
    try:
        check_forms([form.name])
    except Mistake:
        return True
    own = form.write(content)
    return written == own or (bool(form.needs) and _read(form, written) == _read(form, own))


def _read(form: Form, written: bytes) -> Any:
    """Return the cells and labels of a file, or None if it cannot be read."""
    if form.name == "xlsx":
        import openpyxl

        try:
            book = openpyxl.load_workbook(io.BytesIO(written), read_only=True)
            return {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book}
        except Exception:  # a damaged file can cause any error in the library
            return None
    import pyreadstat

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / f"table.{form.name}"
        place.write_bytes(written)
        try:
            table, meta = {"dta": pyreadstat.read_dta, "sav": pyreadstat.read_sav}[form.name](place)
        except Exception:
            return None
    cells = {name: [None if cell != cell else cell for cell in table[name].tolist()] for name in table}
    return cells, meta.column_names_to_labels, meta.variable_value_labels
