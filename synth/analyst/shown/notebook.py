"""Write the notebook of a release package, which shows the first steps in Python with their outputs.

The analyst's kit computes the outputs, without a Jupyter kernel. Each step returns its code and the output of
the code. A test runs the code and compares the outputs.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from synth.analyst.answers import Status
from synth.analyst.kit import Kit
from synth.analyst.measured import Measured
from synth.analyst.shown.picture import Picture
from synth.core.axis import Axis
from synth.core.evidence import Evidence
from synth.core.measurements.formula import Formula
from synth.core.schema import Kind
from synth.core.text import markdown
from synth.release.layout import REHEARSAL, Layout

MOST_CELLS = 32
"""Maximum number of rows in a picture or a table."""
MOST_TRIES = 12
"""Maximum number of questions that are tried for a step."""
FIRST_ROWS, MOST_COLUMNS = 3, 20
"""Number of rows, and maximum number of columns, of the synthetic table that are shown."""

LEAD = """\
# {title}: first steps

{watermark}This notebook belongs to release {release}. Its outputs were computed from the noisy measurements
of the release when the package was written. Further questions use no privacy budget.

To run it, open it in the unpacked folder of the release package, with Marginalia and Jupyter installed. If
your viewer does not show the pictures, mark the notebook as trusted. Save your changes in a copy, because
`marginalia verify` checks this file."""
WATERMARK = f"**{REHEARSAL}: a practice run without a privacy guarantee, not a release.** "
LOAD = """\
## Load the data

`data` has the synthetic rows. `kit` answers questions from the noisy measurements."""
CHART = """\
## A column, with intervals

Each row is the number of records with one value. The thick interval is for the private records. The thin one
is for the population, if the records are a random sample of it. All intervals hold together at 95%."""
TABLE = """\
## A table of two columns

`low` and `high` are the ends of the intervals for the private records. The last two columns are for the
population. Estimates contain noise, so small ones can be negative."""
MEAN = """\
## A mean{by}

Blanks are excluded. If bins contain several values, the interval includes every possible mean of them."""
REGRESSION = """\
## A measured regression

This release measured what these regressions need."""
LIMITS = """\
## What not to ask

- **Standard errors, p-values or intervals from `data`.** They ignore the privacy noise and are too narrow.
- **Regressions on `data`.** Their intervals are far too narrow. A release can measure a regression for you.
- **Single people or small groups.** No row of `data` is a real person. A small count is of little use if its
  interval is wide.
- **Sums and differences of intervals.** Ask for the combined quantity instead, for example with
  `kit.difference`.
- **Relations that were not measured.** The kit gives a bound, or states what is missing."""
SENTENCE = r"""    print(answer.sentence, end="\n\n")"""
UNMEASURED = "\n\nThe next two columns were not measured together, so there is no answer."
NEXT = """\
## Ask more

`help(kit)` lists all questions. `marginalia ask` followed by the package answers them without Python."""

Step = tuple[str, str, list[dict[str, Any]]]
"""The Markdown text, the code, and the outputs of the code. The code may be empty."""


def write(evidence: Evidence, files: Mapping[str, bytes], release: Mapping[str, Any]) -> bytes:
    """Return the notebook of a release package (nbformat 4.5).

    `files` contains the results of the run, and `evidence` is what they contain about measurements. `release`
    is the `release` field of the privacy statement.
    """
    kit, layout = Kit(Measured.around(evidence, files)), Layout(rehearsal=release["rehearsal"])
    title = markdown.escaped(release["title"].strip())
    watermark = WATERMARK if release["rehearsal"] else ""
    lead = LEAD.format(title=title, watermark=watermark, release=release["id"])
    cells, number = [_markdown(lead)], 0
    for text, code, outputs in (_load(files, layout), *_steps(kit), (NEXT, "", [])):
        cells.append(_markdown(text))
        if code:
            number += 1
            cells.append(_code(code, outputs, number))
    notebook = {
        "cells": [{"id": f"cell-{place}", **cell} for place, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _load(files: Mapping[str, bytes], layout: Layout) -> Step:
    path = json.dumps(layout.csv)
    code = (
        "import pandas as pd\n"
        "import synth\n\n"
        f"data = pd.read_csv({path})\n"
        'kit = synth.open(".")\n'
        'print(f"{len(data):,} rows and {len(data.columns):,} columns")\n'
        f"print(pd.read_csv({path}, nrows={FIRST_ROWS}).T.head({MOST_COLUMNS}).to_string(header=False))"
    )
    file = pq.ParquetFile(io.BytesIO(files[layout.parquet]))
    size = f"{file.metadata.num_rows:,} rows and {len(file.schema_arrow):,} columns"
    first = pd.read_csv(io.BytesIO(files[layout.csv]), nrows=FIRST_ROWS).T.head(MOST_COLUMNS)
    return LOAD, code, [_printed(size, first.to_string(header=False))]


def _steps(kit: Kit) -> Iterator[Step]:
    """Yield the steps that this release can answer."""
    for step in (_chart, _table, _mean, _regressions, _limits):
        found = step(kit)
        if found is not None:
            yield found


def _chart(kit: Kit) -> Step | None:
    for name in islice(_by_labels(kit), MOST_TRIES):
        if kit.measured.domain.size([name]) <= MOST_CELLS:
            table = kit.table([name])
            if table.cells:
                return CHART, f"kit.draw(kit.table([{_text(name)}]))", [_shown(kit.draw(table))]
    return None


def _table(kit: Kit) -> Step | None:
    size = kit.measured.domain.size
    pairs = [pair for pair in _measured_pairs(kit) if 4 <= size(pair) <= MOST_CELLS]
    for pair in sorted(pairs, key=size)[:MOST_TRIES]:
        table = kit.table(pair)
        if table.cells:
            code = (
                f"table = kit.table([{', '.join(map(_text, pair))}])\n"
                "print(table.sentence)\n"
                'print(table.frame().to_string(index=False, float_format="{:,.0f}".format))'
            )
            frame = table.frame().to_string(index=False, float_format="{:,.0f}".format)
            return TABLE, code, [_printed(table.sentence, frame)]
    return None


def _mean(kit: Kit) -> Step | None:
    for column, by in islice(_means(kit), MOST_TRIES):
        found = kit.mean(column, by=by)
        answers = found if isinstance(found, tuple) else (found,)
        if len(answers) <= MOST_CELLS and all(a.status is Status.INTERVAL for a in answers):
            group = "" if by is None else f", by={_text(by)}"
            code = f"kit.draw(kit.mean({_text(column)}{group}))"
            text = MEAN.format(by="" if by is None else " by group")
            return text, code, [_shown(kit.draw(answers))]
    return None


def _means(kit: Kit) -> Iterator[tuple[str, str | None]]:
    """Yield pairs of a column and the column that defines its groups, or None without groups.

    Measured means come first, then pairs that were measured together, then single columns.

    Means of numbers come before means of dates.
    """
    for formula in _formulas(kit):
        if not formula.regressors and len(formula.by) <= 1:
            yield formula.response.column, formula.by[0] if formula.by else None
    axes = _axes(kit)
    dates = {name for name, axis in axes.items() if axis.column.kind is Kind.DATE}
    numbers = sorted((name for name, axis in axes.items() if not axis.labels), key=dates.__contains__)
    for pair in sorted(_measured_pairs(kit), key=lambda pair: bool(dates & {*pair})):
        column, by = pair if pair[0] in numbers else pair[::-1]
        if column in numbers and axes[by].labels and kit.measured.domain.size([by]) <= MOST_CELLS:
            yield column, by
    yield from ((name, None) for name in numbers)


def _regressions(kit: Kit) -> Step | None:
    code, lines = list[str](), list[str]()
    for formula in _formulas(kit):
        if formula.regressors:
            how = kit.logistic if formula.is_logistic else kit.regression
            text = formula.text.strip().removeprefix("logistic ") if formula.is_logistic else formula.text
            code.append(f"for answer in kit.{how.__name__}({_text(text)}):\n{SENTENCE}")
            lines += [f"{answer.sentence}\n" for answer in how(text)]
    return (REGRESSION, "\n".join(code), [_printed(*lines)]) if code else None


def _limits(kit: Kit) -> Step:
    """Return advice about what not to ask, with an example if two columns were not measured together."""
    related, domain = set(_measured_pairs(kit)), kit.measured.domain
    for pair in islice(combinations(domain.names, 2), len(related) + 1):
        if pair not in related and domain.size(pair) <= MOST_CELLS**2:
            code = f"print(kit.table([{', '.join(map(_text, pair))}]).sentence)"
            return LIMITS + UNMEASURED, code, [_printed(kit.table(pair).sentence)]
    return LIMITS, "", []


def _axes(kit: Kit) -> dict[str, Axis]:
    return {axis.name: axis for axis in kit.measured.codebook.axes}


def _by_labels(kit: Kit) -> list[str]:
    """Return the columns, starting with columns that have three or more listed values."""
    axes = _axes(kit)
    return sorted(axes, key=lambda name: len(axes[name].labels) < 3)


def _measured_pairs(kit: Kit) -> list[tuple[str, str]]:
    """Return the pairs of columns that were measured together, in the order of the measurements."""
    pairs = (pair for fact in kit.measured.facts for pair in combinations(fact.clique, 2))
    return list(dict.fromkeys(pairs))


def _formulas(kit: Kit) -> list[Formula]:
    return [Formula.of(text) for text in kit.measured.spec.get("means", ())]


def _text(text: str) -> str:
    """Return a string as Python code."""
    return json.dumps(text, ensure_ascii=False)


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}


def _code(code: str, outputs: Sequence[dict[str, Any]], number: int) -> dict[str, Any]:
    shown = [{**out, "execution_count": number} if "data" in out else out for out in outputs]
    cell = {"cell_type": "code", "execution_count": number, "metadata": {}}
    return {**cell, "outputs": shown, "source": _lines(code)}


def _printed(*texts: str) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": _lines("\n".join(texts) + "\n")}


def _shown(picture: Picture) -> dict[str, Any]:
    data = {"image/svg+xml": _lines(picture.svg), "text/plain": _lines(repr(picture))}
    return {"data": data, "metadata": {}, "output_type": "execute_result"}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
