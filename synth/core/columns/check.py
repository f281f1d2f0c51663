"""Whether computed columns and generated ids make sense, in sentences about what the steward typed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from synth.core.columns.formula import names_in
from synth.core.columns.published import check_id_format, in_order
from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Schema

OF_FORMULAS = {
    "name", "kind", "formula", "decimals", "title", "description", "measured_in", "provenance", "weight",
    "blank",
}  # fmt: skip
"""Fields of a computed column."""


def own_problems(column: Column, schema: Schema) -> Iterator[str]:
    """Return what is wrong with the formula or the ids of one column."""
    if column.id_format:
        if not schema.leaves_out(column):
            yield "ids are generated for a column that is left out; set its kind to drop."
        try:
            check_id_format(column.id_format)
        except Mistake as mistake:
            yield f"the id format '{column.id_format}' gives rows no ids of their own; {mistake}."
    if not column.formula or schema.leaves_out(column):
        return
    if column.kind not in (Kind.INTEGER, Kind.DECIMAL):
        yield f"the result of a formula is a number; set its kind to integer or decimal (not {column.kind})."
    elif column.kind is Kind.DECIMAL and column.decimals is None:
        yield "state with how many 'decimals' the result of its formula is written."
    for field in fields(Column):
        if field.name not in OF_FORMULAS and getattr(column, field.name) != field.default:
            yield f"it is computed, so it has no {field.name!r}; leave it out."
    try:
        for name, is_date in names_in(column.formula).items():
            yield from _operand_problems(name, column, schema, is_date=is_date)
    except Mistake as mistake:
        yield f"the formula '{column.formula}' is not understood: {mistake}."


def _operand_problems(name: str, column: Column, schema: Schema, *, is_date: bool) -> Iterator[str]:
    used = next((c for c in schema.published if c.name == name and not c.id_format), None)
    if used is None:
        yield f"its formula names '{name}', which is not a column of the synthetic table."
    elif is_date is not (used.kind is Kind.DATE):
        what = "is not a date" if is_date else f"is a date; write year({name}) or days({name})"
        yield f"its formula uses '{name}', which {what}."
    elif used.kind.has_values and any(isinstance(value, str) for value in used.values):
        yield f"its formula uses '{name}', whose values are not all numbers."


def circle_problems(schema: Schema) -> Iterator[str]:
    """Return a sentence if columns are computed from each other. Formulas must be understood."""
    try:
        in_order(schema)
    except Mistake as mistake:
        yield str(mistake)
