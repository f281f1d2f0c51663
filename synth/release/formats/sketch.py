"""Draw rows from the schema and the rules alone: the structure of a release, and nothing else.

Analysts can write code with these rows before the release exists. Every column is uniform on its domain, as
far as the rules allow; 5% of the cells of a column that can be blank are blank. The rows are drawn by the
same code as those of a release, so they obey all rules and declared target proportions.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.columns.published import published, published_axes
from synth.core.discretisation import resolve_axes
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.schema import Schema
from synth.core.text.markdown import escaped
from synth.models.registry import GENERATORS
from synth.release import csv_text
from synth.release.bundle import lay_files, zipped
from synth.release.documents.datapackage import slug, table_schema
from synth.release.drawing import Drawing
from synth.release.formats.content import Content
from synth.release.formats.forms import form_named
from synth.release.layout import json_text
from synth.rules import MeasuredShare, Rules, parse_rules

WATERMARK = "structure only, no information about the people"
STEM = "structure-only"
ROWS, MOST_ROWS = 100, 100_000
"""Default and maximum number of rows."""
BLANK = 0.05
"""Share of blank cells in a column that can be blank, before the rules."""
UNDATED = dt.date(1980, 1, 1)
"""The day in the files, because a sketch belongs to no release."""

_README = """\
# {title}: {watermark}

These {rows:,} rows were drawn from the declared columns and rules. **No table was read.** Frequencies, means
and relations in them mean nothing. Use them only to write code for the release that will have these columns.

`datapackage.json` describes the columns.
"""


def sketch(
    schema: Schema, rules: Sequence[str | Mapping[str, Any]] | Rules = (), rows: int = ROWS
) -> pd.DataFrame:
    """Return rows that have the declared columns and obey the rules, drawn without reading anything.

    The same arguments always lead to the same rows. `.attrs["watermark"]` of the result states what they are.
    Raises: `Mistake` for contradictory rules, for too many rows, or if a domain is still to be estimated.
    """
    return _content(schema, rules, rows).frame


def files(
    schema: Schema,
    rules: Sequence[str | Mapping[str, Any]] | Rules = (),
    rows: int = ROWS,
    *,
    also: Sequence[str] = (),
) -> dict[str, bytes]:
    """Return the files of a sketch by name: CSV, README, description, and further formats (`forms`)."""
    content = _content(schema, rules, rows)
    table = csv_text.write(content.frame, content.axes).encode()
    title = schema.title or schema.name
    described = {
        "name": slug(f"{schema.name}-{STEM}"),
        "title": f"{title}: {WATERMARK}",
        "description": f"Rows drawn from the declared columns and rules: {WATERMARK}.",
        "resources": [
            {
                "name": STEM,
                "path": f"{STEM}.csv",
                "type": "table",
                "title": WATERMARK,
                "encoding": "utf-8",
                "schema": table_schema(schema),
            }
        ],
    }
    readme = _README.format(title=escaped(title), watermark=WATERMARK, rows=len(content.frame))
    return {
        f"{STEM}.csv": table,
        "README.md": readme.encode(),
        "datapackage.json": json_text(described).encode(),
        **{f"{STEM}{form.ending}": form.write(content) for form in map(form_named, dict.fromkeys(also))},
    }


def write_sketch(
    schema: Schema,
    out: str | Path,
    rules: Sequence[str | Mapping[str, Any]] | Rules = (),
    rows: int = ROWS,
    *,
    also: Sequence[str] = (),
) -> Path:
    """Write the files of a sketch to a new folder, and return its path. Raises: `Mistake` as in `sketch`."""
    return lay_files(files(schema, rules, rows, also=also), Path(out).expanduser().absolute())


def archive(schema: Schema, rules: Sequence[str | Mapping[str, Any]] | Rules = (), rows: int = ROWS) -> bytes:
    """Return the files of a sketch as a zip."""
    return zipped(files(schema, rules, rows), top=STEM)


def _content(schema: Schema, rules: Sequence[str | Mapping[str, Any]] | Rules, rows: int) -> Content:
    if not 1 <= rows <= MOST_ROWS:
        raise Mistake(f"A sketch has 1 to {MOST_ROWS:,} rows (you gave {rows:,}). Nothing was read.")
    if unknown := [column.name for column in schema.modelled if column.buy]:
        raise Mistake(
            f"The domain of {', '.join(map(repr, unknown))} is still to be estimated, so no values can be "
            "drawn. Declare it, or exclude the column from the sketch. Nothing was read."
        )
    parsed = rules if isinstance(rules, Rules) else parse_rules(list(rules), schema)
    axes = resolve_axes(schema, parsed)
    codebook = Codebook(schema=schema, axes=axes, zeros=parsed.zeros(axes))
    weights = tuple(
        Measurement(clique=(axis.name,), counts=_weights(axis, rows), variance=Fraction(1), units=0)
        for axis in axes
    )
    evidence = Evidence(codebook=codebook, answers=weights, total=float(rows))
    model = GENERATORS["independent"]().fit(evidence, seed=0)
    shares = [MeasuredShare(coded=c) for c in parsed.coded_shares(codebook) if c.declared is not None]
    _, table = Drawing(model=model, codebook=codebook, rules=parsed, shares=shares, seed=0).whole(rows)
    frame = published(table, schema)
    frame.attrs["watermark"] = WATERMARK
    return Content(
        frame=frame,
        axes=published_axes(codebook),
        form=schema.file,
        title=WATERMARK,
        sheet="structure only",
        day=UNDATED,
    )


def _weights(axis: Axis, rows: int) -> NDArray[np.int64]:
    """Return equal counts of the values of a column, and the counts of blanks. Shapes: int64[codes]."""
    counts = np.full(axis.size, max(rows, 100 * axis.cells) / axis.cells)
    counts[axis.missing_code :] = counts[: axis.cells].sum() * BLANK if axis.column.blank else 0.0
    whole: NDArray[np.int64] = np.rint(counts).astype(np.int64)
    return whole
