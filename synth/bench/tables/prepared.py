"""How columns are cut and merged before a method sees them: the preprocessing that papers compare, by name.

  (none)        as the schema declares it: what we ship, public bins and all declared values
  uniform-100   every range with at least TRIGGER values in 100 equal bins; free, as the range is public
  privtree      every such range cut by PrivTree (`private.queries.TreeQuery`)
  merge         rare values merged by the dual threshold (`preprocess.rare`)

Names may be joined by plus signs. What is bought has PREPROCESS_SHARE of the price between its columns, which
is the papers' tenth, and the method has the rest; a range with fewer values keeps each of them.

Differs from the benchmark paper in: which columns are cut or merged follows from the schema, there from the
distinct values of the rows; ranges are the declared ones, there the least and largest real values; the paper
merges columns of at least 100 values, of which our tables have none, so here it is SEVERAL. What a table is
judged by never depends on it: values are read back into the codes of the schema as declared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.bench.tables.tables import BenchTable
from synth.core.errors import Mistake
from synth.core.schema import Binning, Column, Kind, Schema, in_units
from synth.core.table import CodeTable
from synth.evaluate.report import load_synthetic

TRIGGER, SEVERAL = 100, 10
UNIFORM = 100


def prepared(schema: Schema, words: str) -> Schema:
    """The schema with its columns declared so that they are cut and merged in this way.

    Raises: `Mistake` for a word that is not one, or one that changes nothing of this table.
    """
    for word in filter(None, words.split("+")):
        if word not in WAYS:
            raise Mistake(f"There is no preprocessing {word!r}. Choose among: {', '.join(WAYS)}.")
        columns = tuple(c if c.kind is Kind.DROP else WAYS[word](c) for c in schema.columns)
        if columns == schema.columns:
            raise Mistake(f"The preprocessing {word!r} changes no column of {schema.name!r}. Leave it out.")
        schema = replace(schema, columns=columns)
    return schema


def bins_of(schema: Schema, ordered: Mapping[str, int]) -> float | None:
    """How many bins a range with at least TRIGGER values has on average, None without any; `ordered` tells
    how many codes of a column are in order."""
    found = [ordered[c.name] for c in schema.modelled if c.kind.has_range and _values(c) >= TRIGGER]
    return float(np.mean(found)) if found else None


def recoded(table: BenchTable, codes: NDArray[np.integer[Any]], values: pd.DataFrame | None) -> CodeTable:
    """A synthetic table in the codes of the table as declared. Without values it is in them already."""
    if values is None:
        return CodeTable(table.domain, codes)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "synthetic.csv"
        values.to_csv(path, index=False)
        return load_synthetic(path, table.schema, table.axes)


def _values(column: Column) -> float:
    """How many values a range can have by its declaration."""
    if column.min is None or column.max is None or column.kind is Kind.DECIMAL:
        return float("inf")
    return in_units(column.max) - in_units(column.min) + 1


def _uniform(column: Column) -> Column:
    if not column.kind.has_range:
        return column
    plain = replace(column, cuts=(), labels=(), points=(), binning=Binning.UNIFORM)
    if _values(column) < TRIGGER:
        return replace(plain, bins=None, step=1)
    return replace(plain, bins=UNIFORM, step=None)


def _tree(column: Column) -> Column:
    if not column.kind.has_range or _values(column) < TRIGGER:
        return _uniform(column)
    return replace(_uniform(column), bins=None, binning=Binning.PRIVTREE)


def _merge(column: Column) -> Column:
    return replace(column, merge_rare=True) if len(column.values) >= SEVERAL else column


WAYS: dict[str, Callable[[Column], Column]] = {"uniform-100": _uniform, "privtree": _tree, "merge": _merge}
