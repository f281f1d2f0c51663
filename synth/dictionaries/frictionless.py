"""Read a Frictionless Table Schema (v1 or v2) as a public document, and write one for a release.

Facts that the descriptor does not contain (the population, the maximum number of rows per unit, and some
domains) are left open and never guessed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from synth.core.cells.days import day_of
from synth.core.cells.words import plain
from synth.core.errors import Mistake
from synth.core.schema import (
    DECIMAL_SIGNS,
    THOUSANDS,
    Column,
    DateOrder,
    FileFormat,
    Kind,
    Provenance,
    Schema,
    Value,
    iso_day,
)
from synth.dictionaries.check import show
from synth.dictionaries.reading import DATE_ORDERS, ForeignTable, Reading, common, common_order

KINDS = {"integer": Kind.INTEGER, "year": Kind.INTEGER, "number": Kind.DECIMAL, "date": Kind.DATE}
TYPES = {Kind.INTEGER: "integer", Kind.DECIMAL: "number", Kind.DATE: "date"}
PROFILE = "https://datapackage.org/profiles/2.0/tableschema.json"


def draft_frictionless(
    document: Mapping[str, Any], *, resource: str | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a schema document, and a sentence for each incomplete column.

    The input is a data package, a resource, or a bare table schema.

    A string with `categories` or an enum becomes a category (ordered if `categoriesOrdered`); boolean becomes
    a category of its two words; integer, year, number and date become ranges from their minimum and maximum;
    `required` means never blank; a single-field primary key is excluded, because an ID is never synthesised.
    Raises: `Mistake` only if there is no table to read.
    """
    chosen = _resource(document, resource)
    table = chosen.get("schema", chosen) if "fields" not in chosen else chosen
    fields = table.get("fields") if isinstance(table, Mapping) else None
    if not isinstance(fields, list) or not fields or not all(isinstance(f, Mapping) for f in fields):
        raise Mistake("The descriptor does not have a list of 'fields'. Use a Frictionless Table Schema.")
    key = table.get("primaryKey")
    keys = {key} if isinstance(key, str) else set(key or ()) if len(key or ()) == 1 else set()
    file = _file(chosen, table)
    return ForeignTable(
        name=str(chosen.get("name") or document.get("name") or "table"),
        title=str(chosen.get("title") or ""),
        description=str(chosen.get("description") or ""),
        file=file,
        stated=frozenset(field for key, field in _DIALECT.items() if key in _dialect(chosen)),
        readings=[_column(f, file, keys=keys) for f in fields],
    ).draft()


def _resource(document: Mapping[str, Any], name: str | None) -> Mapping[str, Any]:
    resources = document.get("resources")
    if not resources:
        return document
    named = {str(r.get("name")): r for r in resources}
    if name is None and len(resources) > 1:
        raise Mistake(f"The data package contains several resources ({', '.join(named)}); choose one.")
    if name is not None and name not in named:
        raise Mistake(f"The data package has no resource {show(name)}. It has: {', '.join(named)}.")
    chosen: Mapping[str, Any] = named[name] if name is not None else resources[0]
    return chosen


_DIALECT = {"header": "header", "delimiter": "delimiter", "quoteChar": "quote"}
"""The names of the `FileFormat` fields in a dialect."""


def _dialect(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of the file format, in either version of the standard."""
    dialect = resource.get("dialect")
    dialect = dialect if isinstance(dialect, Mapping) else {}
    return {**dialect, **dialect.get("csv", {})}


def _file(resource: Mapping[str, Any], table: Mapping[str, Any]) -> FileFormat:
    """Return the file format and the missing values. In the standard, only the empty string is missing by
    default.
    """
    dialect = _dialect(resource)
    tokens = [_label(token) for token in table.get("missingValues", [""])]
    return FileFormat(
        header=bool(dialect.get("header", True)),
        delimiter=str(dialect.get("delimiter", ",")),
        quote=str(dialect.get("quoteChar", '"')),
        decimal_sign=common([_decimal_sign(f) for f in table["fields"] if f.get("type") == "number"], "."),
        thousands=common([mark for f in table["fields"] if (mark := _thousands(f))], ""),
        date_order=common_order(_date_order(f) for f in table["fields"] if f.get("type") == "date"),
        missing=tuple(dict.fromkeys(str(token) for token in tokens)),
    )


def _decimal_sign(field: Mapping[str, Any]) -> str:
    return str(field.get("decimalChar", "."))


def _thousands(field: Mapping[str, Any]) -> str:
    """Return the declared thousands sign. Spaces and apostrophes need no declaration."""
    sign = str(field.get("groupChar", ""))
    return sign if sign in THOUSANDS and sign != _decimal_sign(field) else ""


def _date_order(field: Mapping[str, Any]) -> DateOrder | None:
    return DATE_ORDERS.get(str(field.get("format", "default")))


def _labelled(column: Column, value: Value, written: Value) -> dict[str, Value]:
    """Return a category in the form of version 2 of the standard, with the value and its label."""
    label = column.label_of(value)
    return {"value": written, **({"label": label} if label != str(value) else {})}


def _label(entry: Any) -> Any:
    """Return the value of a category.

    In version 2, an entry can be {value, label}, where value is the text in the file.
    """
    return entry.get("value") if isinstance(entry, Mapping) else entry


def _column(field: Mapping[str, Any], file: FileFormat, *, keys: Collection[str]) -> Reading:
    """Return a column, as far as it can be read from a field in this format."""
    name = str(field.get("name", ""))
    kind_of = str(field.get("type", "string"))
    constraints = field.get("constraints", {})
    common: dict[str, Any] = {
        "name": name,
        "title": str(field.get("title") or ""),
        "description": str(field.get("description") or ""),
        "blank": not constraints.get("required", False),
        "missing": tuple(str(_label(token)) for token in field.get("missingValues", []) if _label(token)),
        "provenance": Provenance.PUBLIC_DOCUMENT,
    }
    values = _values(field, kind_of, constraints)
    if name in keys:
        return Reading(column=Column(**common, kind=Kind.DROP))
    if values:
        ordered = bool(field.get("categoriesOrdered", False)) and "categories" in field
        kind = Kind.ORDERED if ordered else Kind.CATEGORY
        return Reading(column=Column(**common, kind=kind, values=values, labels=_labels(field)))
    kind = KINDS.get(kind_of, Kind.CATEGORY)
    if kind is Kind.CATEGORY:
        is_known = kind_of in ("string", "any")
        unclear = "" if is_known else f"Column {show(name)} has a kind that is not supported ({kind_of})."
        return Reading(column=Column(**common, kind=kind), unclear=unclear)
    if unclear := _misfit(field, kind):
        return Reading(column=Column(**common, kind=kind), unclear=unclear)
    common |= _own_form(field, kind, file)
    ends: dict[str, Any] = {end: _limit(constraints, end, kind, name) for end in ("min", "max")}
    if kind is Kind.DATE:
        form = file.of(Column(**common, kind=kind))
        ends = {end: value and _as_iso(value, form) for end, value in ends.items()}
    return Reading(column=Column(**common, kind=kind, **ends))


def _misfit(field: Mapping[str, Any], kind: Kind) -> str:
    """Return the reason why the numbers or dates of a field cannot be read, or "" if they can."""
    name = show(str(field.get("name", "")))
    if kind is Kind.DATE and _date_order(field) is None:
        return f"Column {name} has dates in a form that is not supported."
    if kind is Kind.DECIMAL and _decimal_sign(field) not in DECIMAL_SIGNS:
        return f"Column {name} has numbers with a decimal sign that is not supported."
    return ""


def _own_form(field: Mapping[str, Any], kind: Kind, file: FileFormat) -> dict[str, Any]:
    """Return the format of a field's numbers or dates, if it differs from the format of other fields."""
    if kind is Kind.DATE:
        order = _date_order(field)
        return {} if order in (DateOrder.YEAR_FIRST, file.date_order) else {"date_order": order}
    sign, mark = _decimal_sign(field), _thousands(field)
    is_other = kind is Kind.DECIMAL and sign != file.decimal_sign
    if is_other or mark not in ("", file.thousands):
        return {"decimal_sign": sign, "thousands": mark}
    return {}


def _as_iso(limit: str, file: FileFormat) -> str:
    """Return a limit as an ISO date if it is written like the cells."""
    day = day_of(plain(limit), file)
    return limit if day is None else iso_day(day)


def _values(field: Mapping[str, Any], kind_of: str, constraints: Mapping[str, Any]) -> tuple[Value, ...]:
    listed = field.get("categories") or constraints.get("enum") or ()
    values: tuple[Value, ...] = tuple(_label(entry) for entry in listed)
    if not values and kind_of == "boolean":
        words = [field.get(f"{truth}Values") for truth in ("false", "true")]
        values = (False, True) if words == [None, None] else tuple(str(w[0]) for w in words if w)
    return values


def _labels(field: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the labels of the categories, or () if no category has a label.

    A category without a label has an empty label.
    """
    listed = [e if isinstance(e, Mapping) else {} for e in field.get("categories") or ()]
    labels = tuple(str(entry.get("label") or "") for entry in listed)
    return labels if any(labels) else ()


def _limit(constraints: Mapping[str, Any], end: str, kind: Kind, name: str) -> int | float | str | None:
    """Return the minimum or maximum, or None if the descriptor has no such limit.

    The limit in the descriptor may be inclusive or exclusive, and may be a number or a string.
    """
    word, inward = ("inimum", 1) if end == "min" else ("aximum", -1)
    limit, exclusive = constraints.get(f"m{word}"), constraints.get(f"exclusiveM{word}")
    value = limit if limit is not None else exclusive
    if value is None or kind is Kind.DATE:
        return None if value is None else str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise Mistake(f"Column {show(name)}: {show(value)} is not a number.") from None
    if kind is Kind.DECIMAL:
        return number
    if limit is None:
        return math.floor(number) + 1 if inward > 0 else math.ceil(number) - 1
    return math.ceil(number) if inward > 0 else math.floor(number)


def to_frictionless(schema: Schema, *, missing: tuple[str, ...] = ("",)) -> dict[str, Any]:
    """Return a Table Schema (v2) of the synthetic table, with declared domains as constraints.

    `missing` contains the strings that represent blanks in the released CSV. If a column can contain the
    label for values outside its list, this label is one of its categories.
    """
    return {
        "$schema": PROFILE,
        "fields": [dict(_field(column)) for column in schema.published],
        "missingValues": list(missing),
    }


def _field(column: Column) -> Iterator[tuple[str, Any]]:
    yield "name", column.name
    words = [*column.values, *([column.other_label] if column.outside_rule.value == "other" else [])]
    if column.holds_bands:
        words = list(column.labels)
    elif column.write_labels:
        words = [column.label_of(word) for word in words]
    whole = bool(words) and all(isinstance(v, int) and not isinstance(v, bool) for v in words)
    by_kind = TYPES.get(column.kind, "integer" if whole else "string")
    yield "type", "string" if column.holds_bands else by_kind
    if column.title:
        yield "title", column.title
    if column.description:
        yield "description", column.description
    constraints: dict[str, Any] = {} if column.blank or column.separator else {"required": True}
    if column.separator:
        yield "separator", column.separator
        yield "options", words
    if column.exclusive is not None:
        yield "exclusiveOption", column.exclusive
    if column.combinations:
        yield "combinations", [list(own) for own in column.combinations]
    if column.formula:
        yield "formula", column.formula
    if column.limit:
        yield "limit", column.limit
    if column.totals:
        yield "totals", list(column.totals)
    if column.is_weight:
        yield "surveyWeight", True
    if column.id_format:
        yield "idFormat", column.id_format
        constraints = {"required": True, "unique": True}
    if column.holds_bands:
        yield "categories", words
        yield "categoriesOrdered", True
    if column.kind.has_values and column.values and not column.separator:
        plain = words if whole else [str(v) for v in words]
        named = any(column.labels) and not column.write_labels
        yield (
            "categories",
            [_labelled(column, v, w) for v, w in zip(words, plain, strict=True)] if named else plain,
        )
        yield "categoriesOrdered", column.kind is Kind.ORDERED
    if column.kind.has_range and column.min is not None and column.max is not None and not column.holds_bands:
        constraints |= {"minimum": column.min, "maximum": column.max}
    if column.cuts:
        labels = column.labels or ("",) * (len(column.cuts) + 1)
        starts = (column.min, *column.cuts)
        yield (
            "bands",
            [
                {"from": start, **({"label": label} if label else {})}
                for start, label in zip(starts, labels, strict=True)
            ],
        )
    if column.measured_in:
        yield "unit", column.measured_in
    if constraints:
        yield "constraints", constraints
