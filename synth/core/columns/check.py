"""Check the declarations of special columns, and describe their problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from synth.core.columns.choices import is_chosen
from synth.core.columns.combinations import EMPTY, MOST_CODES
from synth.core.columns.formula import names_in
from synth.core.columns.published import check_id_format, in_order
from synth.core.errors import Mistake
from synth.core.schema import BETWEEN_COLUMNS, NONE_CHOSEN, Column, Group, Kind, Outside, Schema, Value

OF_FORMULAS = {
    "name", "kind", "formula", "decimals", "title", "description", "measured_in", "provenance", "weight",
    "blank",
}  # fmt: skip
"""Options that a computed column may have."""
FEWEST_STRATA = 2


def own_problems(column: Column, schema: Schema) -> Iterator[str]:
    """Return the problems with the options, the formula or the IDs of a column."""
    if column.separator and not schema.leaves_out(column):
        yield from _option_problems(column)
    elif column.exclusive is not None or column.combinations:
        yield "only a multiple-choice column has an exclusive option or combinations; add its separator."
    if column.id_format:
        if not schema.leaves_out(column):
            yield "IDs can only be generated for an excluded column; set its kind to drop."
        try:
            check_id_format(column.id_format)
        except Mistake as mistake:
            yield f"the ID format '{column.id_format}' does not generate a unique ID for each row; {mistake}."
    if schema.leaves_out(column):
        return
    if column.limit:
        yield from _limit_problems(column, schema)
    if column.totals:
        yield from _stratum_problems(column, schema)
    if column.is_weight:
        yield from _weight_problems(column, schema)
    if not column.formula:
        return
    if column.kind not in (Kind.INTEGER, Kind.DECIMAL):
        yield f"its formula's result is a number; set its kind to integer or decimal (not {column.kind})."
    elif column.kind is Kind.DECIMAL and column.decimals is None:
        yield "declare the number of decimal places of its formula's result in 'decimals'."
    for field in fields(Column):
        if field.name not in OF_FORMULAS and getattr(column, field.name) != field.default:
            yield f"it is computed, so {field.name!r} does not apply; remove this option."
    try:
        for name, is_date in names_in(column.formula).items():
            yield from _operand_problems(name, column, schema, is_date=is_date)
    except Mistake as mistake:
        yield f"the formula '{column.formula}' is not understood: {mistake}."


def _operand_problems(name: str, column: Column, schema: Schema, *, is_date: bool) -> Iterator[str]:
    used = next((c for c in schema.published if c.name == name and not c.id_format), None)
    if used is None:
        yield f"its formula uses '{name}', which is not a column of the synthetic table."
    elif is_date is not (used.kind is Kind.DATE):
        what = "is not a date" if is_date else f"is a date; write year({name}) or days({name})"
        yield f"its formula uses '{name}', which {what}."
    elif used.separator or (used.kind.has_values and any(isinstance(value, str) for value in used.values)):
        yield f"its formula uses '{name}', whose values are not all numbers."


def _option_problems(column: Column) -> Iterator[str]:
    if column.kind is not Kind.CATEGORY or column.formula:
        yield f"only columns of kind category can have several values per cell (this one is {column.kind})."
    for field in ("buy", "merge_rare", "write_labels"):
        if getattr(column, field):
            yield f"its cells have several values, so {field!r} is not possible; remove it."
    other = (column.other_label,) if column.outside is Outside.OTHER else ()
    held = next((name for name in map(str, (*column.values, *other)) if column.separator in name), None)
    if held is not None:
        yield (
            f"the value '{held}' contains the separator {column.separator!r} of its cells; choose another "
            "separator."
        )
    yield from _set_problems((*column.values, *other), column.exclusive, column.combinations)
    if not column.joint and (column.exclusive is not None or column.combinations):
        yield "separate options have no exclusive option and no combinations; remove 'joint'."


def _set_problems(
    options: Sequence[Value], exclusive: Value | None, combinations: Sequence[Sequence[Value]]
) -> Iterator[str]:
    """Return the problems with the possible sets of options of a column or a group."""
    if EMPTY in map(str, options):
        yield f"'{EMPTY}' means that no option is chosen, so an option cannot have this name; rename it."
    if exclusive is not None and exclusive not in options:
        yield f"its exclusive option '{exclusive}' is not one of its options; declare it, or remove it."
    if len(combinations) > MOST_CODES:
        yield (
            f"it lists {len(combinations)} combinations; list at most {MOST_CODES}, or none, so that all "
            "combinations are possible."
        )
    for own in combinations:
        unknown = next((value for value in own if value not in options), None)
        if unknown is not None:
            yield f"a combination contains '{unknown}', which is not one of its options."
        elif exclusive in own and len(own) > 1:
            yield f"a combination contains the exclusive option '{exclusive}' and others; remove one of them."
        if len({*own}) < len(own):
            yield "a combination names an option twice; name it once."
    sets = [frozenset(own) for own in combinations]
    if len({*sets}) < len(sets):
        yield "a combination is listed twice; list it once."


def _limit_problems(column: Column, schema: Schema) -> Iterator[str]:
    if column.kind not in (Kind.INTEGER, Kind.DECIMAL) or column.formula:
        yield "only a number that is read from the file can have a limit."
    if column.multiple is not None:
        yield "a limit would break its multiples; remove one of the two."
    try:
        for name, is_date in names_in(column.limit).items():
            if schema.column(name) not in schema.modelled or name == column.name:
                yield f"its limit uses '{name}', which is not another modelled column."
            else:
                yield from _operand_problems(name, column, schema, is_date=is_date)
    except Mistake as mistake:
        yield f"the limit '{column.limit}' is not understood: {str(mistake).removesuffix('.')}."


def _stratum_problems(column: Column, schema: Schema) -> Iterator[str]:
    is_listed = column in schema.modelled and column.kind.has_values and not column.buy
    if not is_listed or column.blank or column.outside is Outside.OTHER:
        yield (
            "only a modelled column with a list of values, never blank and without other values, can have "
            "totals."
        )
    elif len(column.totals) != len(column.values) or len(column.values) < FEWEST_STRATA:
        yield f"it has {len(column.totals)} totals for {len(column.values)} values; give one for each."
    elif schema.total != sum(column.totals) or not schema.total:
        yield f"its totals add up to {sum(column.totals):,}; all strata need the same sum, above 0."


def _weight_problems(column: Column, schema: Schema) -> Iterator[str]:
    is_number = column.kind in (Kind.INTEGER, Kind.DECIMAL) and not column.formula
    if not is_number or (column.min is not None and float(column.min) < 0):
        yield "a survey weight must be a number that is read from the file and is at least 0."
    if sum(c.is_weight for c in schema.columns) > 1:
        yield "more than one column is declared as the survey weight; keep only one."


def group_problems(schema: Schema) -> Iterator[str]:
    """Return the problems with groups and with the names of the modelled columns."""
    grouped: dict[str, str] = {}
    for group in schema.groups:
        for problem in _group_set_problems(group):
            yield f"The group '{group.name}': {problem}"
        for name in group.columns:
            if grouped.setdefault(name, group.name) != group.name or group.columns.count(name) > 1:
                yield f"The column '{name}' is in two groups, or twice in one group; keep it only once."
            for sentence in _member_problems(group, name, schema):
                yield f"The group '{group.name}': {sentence}"
    faults = [problem for group in schema.groups for problem in _group_set_problems(group)]
    faults += [problem for c in schema.read if c.separator for problem in _option_problems(c)]
    if faults:
        return
    names = [*dict.fromkeys(c.name for c in schema.read if not c.separator and c.name not in grouped)]
    names += [part.name for choices in schema.choices for part in choices.parts]
    names += [group.name for group in schema.groups if not group.several]
    names += schema.options
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield f"Two modelled columns have the name '{name}': rename a column, an option, or a group."


def _group_set_problems(group: Group) -> Iterator[str]:
    if group.several and group.at_most:
        yield "any number of columns, or at most one, can be chosen; remove 'several' or 'at_most'."
    if not group.several and (group.exclusive is not None or group.combinations):
        yield "'exclusive' and 'combinations' need 'several', with which any number of columns is chosen."
    held = next((name for name in group.columns if BETWEEN_COLUMNS in name), None)
    if group.several and held is not None:
        yield f"the name '{held}' contains '{BETWEEN_COLUMNS}'; rename the column."
    yield from _set_problems(group.columns, group.exclusive, group.combinations)


def _member_problems(group: Group, name: str, schema: Schema) -> Iterator[str]:
    column = next((c for c in schema.read if c.name == name), None)
    if column is None:
        yield f"'{name}' is not a column of the file, or is excluded."
        return
    if name == NONE_CHOSEN and group.at_most:
        yield f"a column cannot have the name '{name}', because it means that no column is chosen."
    is_plain = column.kind is Kind.CATEGORY and not column.separator and column.outside is not Outside.OTHER
    if not is_plain or not 1 <= len(column.values) <= 2 or column.merge_rare:
        yield f"'{name}' is not a category with a list of one or two values."
        return
    try:
        is_chosen(column.values, group)
    except ValueError:
        listed = ", ".join(map(str, column.values))
        yield f"'{name}' has the values {listed}; '{group.chosen}', which means yes, is not among them."
    if len(column.values) == 1 and not column.blank:
        yield f"'{name}' has one value only, so it must be allowed to be blank."


def circle_problems(schema: Schema) -> Iterator[str]:
    """Return a sentence about columns that are computed from each other, if there are any.

    All formulas must be valid.
    """
    for formulas in (
        {c.name: c.formula for c in schema.published},
        {c.name: c.limit for c in schema.modelled},
    ):
        try:
            in_order(formulas)
        except Mistake as mistake:
            yield str(mistake)
