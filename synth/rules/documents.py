"""Read and write rules as JSON.

A file contains `{"rules": [...]}` (or the spec of a release, which has this field), a bare list, or a CSV of
allowed combinations whose first line names the columns. An entry is a sentence or one of these objects, each
with an optional `because`:

    {"sentence": "..."}
    {"allowed": {"columns": ["a", "b"], "rows": [["x", "y"], ...]}}
    {"forbidden": {"age": "0 to 14", "marital": ["married", "widowed"]}}
    {"determines": {"from": "a", "to": "b", "map": {"x": 1, ...}, "both_ways": false}}
    {"share": {"where": {"age": "below 30", "pay": "above 50"}, "should_be": 0.2, "hidden": false}}

`map` may also be `pairs`, a list like [["x", 1], ...]. A cell is a value, a condition such as `0 to 14` or
`at least 18`, null for blank, or a list of these. `determines` forbids all combinations of a listed value of
`from` with a value of `to` that is not mapped to it. Values of `from` that are not listed may be combined
with all values. `allowed` forbids every combination of declared values that is not listed. `should_be` is a
number from 0 to 1, or the text "as in the table". If it is a number, `because` must state its source.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from synth.core.errors import Mistake
from synth.core.schema import Column, Schema
from synth.rules.grammar import labelled, never_text, parse_condition, parse_sentence, rename_columns
from synth.rules.reader import Reader
from synth.rules.spelling import find_value, spelled
from synth.rules.terms import AS_TABLE, Allow, Condition, Forbid, Rule, Share, quoted

Entry = str | Mapping[str, Any]


def read_entries(source: str | Path | Sequence[Entry] | Mapping[str, Any]) -> list[Entry]:
    """Return the list of rule entries from a path (JSON or CSV), a list, or an object with the field `rules`.

    Raises: `Mistake` if the file cannot be read or does not contain a list of rules.
    """
    if isinstance(source, str | Path):
        try:
            raw = Path(source).read_bytes()
        except OSError:
            raise Mistake(f"The rules file '{source}' cannot be opened; check the path.") from None
        return entries_in(raw, name=str(source))
    if isinstance(source, Mapping):
        spec = str(source.get("format", "")).startswith("marginalia-spec/")
        unknown = [name for name in source if name not in ("rules", "$schema") and not spec]
        if unknown or "rules" not in source:
            raise Mistake(
                "Rules are a JSON object with the one field 'rules'"
                + (f", not '{unknown[0]}'." if unknown else "; it is missing.")
            )
        source = source["rules"]
    if not isinstance(source, list | tuple):
        raise Mistake("The field 'rules' must contain a list of sentences or objects.")
    return list(source)


def entries_in(raw: bytes, *, name: str) -> list[Entry]:
    """Return the list of rule entries in the bytes of a file.

    `name` distinguishes JSON from CSV and is used in error messages. Raises: `Mistake` as in `read_entries`.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Mistake(f"The rules file '{name}' is not UTF-8 text; save it as UTF-8.") from None
    if name.lower().endswith(".csv"):
        return _csv_entries(text, name)
    try:
        return read_entries(json.loads(text))
    except json.JSONDecodeError as error:
        raise Mistake(
            f"The rules file '{name}' is not JSON: line {error.lineno}, column {error.colno}."
        ) from None


def _csv_entries(text: str, name: str) -> list[Entry]:
    lines = [line for line in csv.reader(text.splitlines()) if any(line)]
    if len(lines) < 2:
        raise Mistake(f"The rules file '{name}' needs a line of column names and one line per combination.")
    rows = [[cell.strip() or None for cell in line] for line in lines[1:]]
    return [{"allowed": {"columns": [name.strip() for name in lines[0]], "rows": rows}}]


def parse_entry(entry: Entry, schema: Schema) -> Rule:
    """Return an entry of the list as a rule. Raises: `Mistake`, with a quote of the incorrect part."""
    if isinstance(entry, str):
        return _said(parse_sentence(entry, schema), schema)
    if not isinstance(entry, Mapping):
        raise Mistake(f"A rule is a sentence or an object, not {entry!r}.")
    _only(entry, [*FORMS, "because"], "A rule")
    given = [name for name in FORMS if name in entry]
    if len(given) != 1:
        raise Mistake(f"A rule object needs exactly one of {', '.join(FORMS)}; this one has {len(given)}.")
    because = entry.get("because", "")
    if not isinstance(because, str):
        raise Mistake(f"The reason 'because' of a rule must be text, not {because!r}.")
    (name,) = given
    return _said(replace(FORMS[name].read(entry[name], schema), because=because), schema)


def renamed_entry(entry: Entry, schema: Schema, names: Mapping[str, str]) -> Entry:
    """Return an entry with renamed columns, without any other changes. `schema` contains the old names.

    Raises: `Mistake` if the entry cannot be read.
    """
    if isinstance(entry, str):
        return rename_columns(entry, schema, names)
    rule = parse_entry(entry, schema)
    called = {name: names.get(name, name) for name in rule.columns}
    folded = {name.casefold(): other for name, other in called.items()}

    def new(typed: Any) -> Any:
        """Return the new name of a column. The case of names in objects is ignored, as in sentences."""
        return called.get(typed, folded.get(str(typed).casefold(), typed))

    if "sentence" in entry:
        return {**entry, "sentence": rename_columns(entry["sentence"], schema, names)}
    (name,) = (name for name in FORMS if name in entry)
    return {**entry, name: FORMS[name].renamed(entry[name], new)}


def _said(rule: Rule, schema: Schema) -> Rule:
    """Return the rule with labels instead of values in its sentence. `dump_entry` still writes the values.

    Raises: `Mistake` if the rule declares a number without a source.
    """
    share = rule.share
    if share is not None and share.wanted is not None and not share.hides and not rule.because.strip():
        raise Mistake(
            f"The rule '{rule.sentence}' declares a number. State its public source in 'because'; the "
            f"private file is not one. Or write '{AS_TABLE}' to measure it with part of the budget."
        )
    return replace(rule, sentence=labelled(rule.sentence, schema))


def dump_entry(rule: Rule) -> Entry:
    """Return the entry from which `parse_entry` creates the same rule."""
    if isinstance(rule.document, str):
        return {"sentence": rule.document, "because": rule.because} if rule.because else rule.document
    document = json.loads(json.dumps(rule.document))
    return {**document, "because": rule.because} if rule.because else {**document}


def _only(given: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(str(name), known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"the known fields are: {', '.join(known)}."
            raise Mistake(f"{what} has an unknown field '{name}'; {hint}")


def _column(name: Any, schema: Schema, what: str) -> Column:
    return Reader(what, schema).known_column(str(name))


def _cell(cell: Any, column: Column, schema: Schema) -> Condition:
    """Return a cell of a JSON rule as a condition on its column."""
    listed = cell if isinstance(cell, list | tuple) else [cell]
    merged = Condition(column.name)
    for part in listed:
        one = _single(part, column, schema)
        if one.negated and len(listed) > 1:
            raise Mistake(
                f"An entry in a list for '{column.name}' cannot start with 'not'; write it separately."
            )
        further = [r for r in dict.fromkeys(one.ranges) if r not in merged.ranges]
        merged = replace(merged, negated=one.negated).including(one.values, further, blank=one.blank)
    if not listed:
        raise Mistake(f"A rule has an empty list for '{column.name}'; name at least one value.")
    return merged


def _single(part: Any, column: Column, schema: Schema) -> Condition:
    if part is None:
        return Condition(column.name, blank=True)
    if not isinstance(part, str | int | float):
        raise Mistake(f"A rule has {part!r} for '{column.name}'; give a value, a range in words, or null.")
    if column.kind.has_values:
        value = find_value(part, column) if column.values or not isinstance(part, str) else None
        if value is not None:
            return Condition(column.name, values=(value,))
    return parse_condition(spelled(part), column, schema)


def _sentence(text: Any, schema: Schema) -> Rule:
    if not isinstance(text, str):
        raise Mistake(f"The field 'sentence' of a rule must be text, not {text!r}.")
    return parse_sentence(text, schema)


def _forbidden(given: Any, schema: Schema) -> Rule:
    if not isinstance(given, Mapping) or not given:
        raise Mistake("The field 'forbidden' must name columns and the values that cannot occur together.")
    conditions = [_cell(cell, _column(name, schema, "forbidden"), schema) for name, cell in given.items()]
    return Rule(never_text(conditions), (Forbid(tuple(conditions)),), {"forbidden": dict(given)})


def _allowed(given: Any, schema: Schema) -> Rule:
    if not isinstance(given, Mapping):
        raise Mistake("The field 'allowed' must be an object with 'columns' and 'rows'.")
    _only(given, ["columns", "rows", "pairs"], "An allowed rule")
    names, rows = given.get("columns"), given.get("rows", given.get("pairs"))
    if not isinstance(names, list | tuple) or not isinstance(rows, list | tuple) or not names or not rows:
        raise Mistake("An allowed rule needs 'columns' and 'rows', both lists with at least one entry.")
    columns = [_column(name, schema, "allowed") for name in names]
    if len({c.name for c in columns}) < len(columns):
        raise Mistake(f"The allowed rule names a column twice: {', '.join(map(str, names))}.")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, list | tuple) or len(row) != len(columns):
            raise Mistake(f"Row {number} of the allowed rule for {' and '.join(map(str, names))} does not "
                          "have one cell per column.")  # fmt: skip
    parsed = tuple(
        tuple(_cell(cell, column, schema) for cell, column in zip(row, columns, strict=True)) for row in rows
    )
    title = " and ".join(quoted(c.name) for c in columns)
    sentence = f"{title} occur only in the {len(rows)} combinations listed"
    return Rule(sentence, (Allow(tuple(c.name for c in columns), parsed),), {"allowed": dict(given)})


def _determines(given: Any, schema: Schema) -> Rule:
    if not isinstance(given, Mapping):
        raise Mistake("The field 'determines' must be an object with 'from', 'to' and 'map'.")
    _only(given, ["from", "to", "map", "pairs", "both_ways"], "A determines rule")
    if "from" not in given or "to" not in given:
        raise Mistake("A determines rule needs the fields 'from' and 'to'.")
    source, target = (_column(given[end], schema, "determines") for end in ("from", "to"))
    listed = given.get("map", given.get("pairs"))
    pairs = list(listed.items()) if isinstance(listed, Mapping) else listed
    sound = (
        isinstance(pairs, list | tuple)
        and pairs
        and all(isinstance(p, list | tuple) and len(p) == 2 for p in pairs)
    )
    if not sound or source == target:
        raise Mistake(
            f"A rule states that '{source.name}' determines '{target.name}', which needs two columns and a "
            "'map' from each value of the first to its value of the second, taken from a document."
        )
    mapped = [(_cell(a, source, schema), _cell(b, target, schema)) for a, b in pairs]
    origins = [a for a, _ in mapped]
    for origin in origins:
        if origins.count(origin) > 1:
            raise Mistake(f"A rule maps the value {origin.words()} of '{source.name}' more than once.")
    parts = [Forbid((a, b.opposite())) for a, b in mapped]
    verb = f"{quoted(source.name)} determines {quoted(target.name)}"
    if given.get("both_ways", False):
        parts += _backwards(mapped)
        verb = f"{quoted(source.name)} and {quoted(target.name)} determine each other"
    return Rule(f"{verb} ({len(mapped)} values listed)", tuple(parts), {"determines": dict(given)})


def _backwards(mapped: Sequence[tuple[Condition, Condition]]) -> list[Forbid]:
    """Return the same map in the opposite direction.

    Each value of the second column allows only the values of the first column that are mapped to it.
    """
    parts = []
    for target in dict.fromkeys(b for _, b in mapped):
        origins = [a for a, b in mapped if b == target]
        merged = Condition(origins[0].column)
        for origin in origins:
            merged = merged.including(origin.values, origin.ranges, blank=origin.blank)
        parts.append(Forbid((target, merged.opposite())))
    return parts


def _share(given: Any, schema: Schema) -> Rule:
    if not isinstance(given, Mapping):
        raise Mistake("The field 'share' must be an object with 'where' and 'should_be'.")
    _only(given, ["where", "should_be", "hidden"], "A share")
    where, wanted, hides = given.get("where"), given.get("should_be"), given.get("hidden", False)
    if not isinstance(where, Mapping) or not where:
        raise Mistake("The field 'where' of a share must name columns and the values that are counted.")
    number = float(wanted) if isinstance(wanted, int | float) and not isinstance(wanted, bool) else None
    if wanted != AS_TABLE and (number is None or not 0 <= number <= 1):
        raise Mistake(
            f"The field 'should_be' of a share must be a number from 0 to 1 or '{AS_TABLE}', not {wanted!r}."
        )
    if not isinstance(hides, bool) or (hides and number is None):
        raise Mistake("A hidden share needs the number that replaces it.")
    conditions = tuple(_cell(cell, _column(name, schema, "share"), schema) for name, cell in where.items())
    share = Share(conditions, number, hides)
    return Rule(share.sentence(), (share,), {"share": dict(given)})


def _keys(given: Any, new: Callable[[Any], Any]) -> Any:
    return {new(name): cell for name, cell in given.items()}


@dataclass(frozen=True, kw_only=True)
class Form:
    """A form of rules in JSON, as a field of the object.

    `read` returns the rule for the value of the field. `renamed` returns this value with new names of
    columns, which its second argument returns; for sentences, the grammar does this.
    """

    read: Callable[[Any, Schema], Rule]
    renamed: Callable[[Any, Callable[[Any], Any]], Any] = lambda given, new: given


FORMS: dict[str, Form] = {
    "sentence": Form(read=_sentence),
    "allowed": Form(
        read=_allowed,
        renamed=lambda given, new: {**given, "columns": [new(name) for name in given["columns"]]},
    ),
    "forbidden": Form(read=_forbidden, renamed=_keys),
    "determines": Form(
        read=_determines,
        renamed=lambda given, new: {**given, **{end: new(given[end]) for end in ("from", "to")}},
    ),
    "share": Form(read=_share, renamed=lambda given, new: {**given, "where": _keys(given["where"], new)}),
}
"""The forms of rules in JSON. To add one, write its two functions and an entry here."""
