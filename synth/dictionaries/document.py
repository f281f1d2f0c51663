"""Read and write the schema as JSON.

The file is checked in two steps. First its shape is checked against `synth/dictionaries/schema.schema.json`
(draft 2020-12), whose `must` annotations are parts of the messages in this module. Then its meaning is
checked by `synth.dictionaries.check`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from synth.core.errors import Mistake
from synth.core.schema import (
    Binning,
    Bound,
    Column,
    DateOrder,
    FileFormat,
    Group,
    Kind,
    LineBreaks,
    Outside,
    Provenance,
    Schema,
    Unit,
    Value,
)
from synth.dictionaries.check import check_schema, show, text_of
from synth.dictionaries.words import FIELD_NAMES, Words

ALWAYS_WRITTEN = {"rows_public", "provenance"}
"""Fields that are always written, because the guarantee depends on them."""


def load_schema(source: str | Path | Mapping[str, Any], words: Words = FIELD_NAMES) -> Schema:
    """Return a schema from a JSON file or an already parsed object.

    Omitted fields have the defaults of `Schema`.

    A field that is null counts as omitted. `words` contains the names of the fields in messages. Raises:
    `Mistake`, with one sentence per problem.
    """
    document = without_nulls(source if isinstance(source, Mapping) else read_json(source, what="schema"))
    if sentences := shape_problems(document, words):
        raise Mistake("\n".join(sentences))
    schema = _build(document)
    check_schema(schema, words)
    return schema


def dump_schema(schema: Schema) -> dict[str, Any]:
    """Return the schema as an object for JSON, so that `load_schema(dump_schema(s)) == s`.

    Fields with their default value are omitted, except those on which the guarantee depends.
    """
    document = dumped(schema)
    document["rows_public"] = schema.rows_public or False
    document["columns"] = document.pop("columns")
    return explicit(document)


def explicit(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document that states for each multiple-choice column how it is modelled (`stored`)."""
    columns = [{**c, "joint": c.get("joint", True)} if c.get("separator") else c for c in document["columns"]]
    return {**document, "columns": columns}


def stored(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of a package or a run, with the meaning that it had in its version.

    Up to version 0.9.0, each option of a multiple-choice column was a separate column.
    """
    columns = [{"joint": False, **c} if c.get("separator") else c for c in document["columns"]]
    return {**document, "columns": columns}


def read_json(path: str | Path, *, what: str) -> dict[str, Any]:
    """Return the JSON object in a file.

    Raises: `Mistake` if the file does not exist or is not JSON, or if an object repeats a name.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise Mistake(f"The {what} file '{path}' contains the field {show(name)} twice.")
        return dict(pairs)

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        document = json.loads(text, object_pairs_hook=once)
    except OSError:
        raise Mistake(f"The {what} file '{path}' cannot be opened; check the path.") from None
    except UnicodeDecodeError:
        raise Mistake(f"The {what} file '{path}' is not UTF-8 text; save it as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise Mistake(
            f"The {what} file '{path}' is not JSON: line {error.lineno}, column {error.colno}."
        ) from None
    if not isinstance(document, dict):
        raise Mistake(f"The {what} file '{path}' must contain one JSON object.")
    return document


def without_nulls(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object without optional fields that are null.

    Required fields are kept, so that they are reported.
    """
    root = _json_schema()

    def strip(value: Any, rule: Mapping[str, Any]) -> Any:
        if isinstance(value, Mapping):
            kept = {k: v for k, v in value.items() if v is not None or k in rule.get("required", ())}
            return {k: strip(v, rule.get("properties", {}).get(k, {})) for k, v in kept.items()}
        if isinstance(value, list | tuple):
            return [strip(v, rule.get("items", {})) for v in value]
        return value

    stripped: dict[str, Any] = strip(document, root)
    return stripped


@cache
def _json_schema() -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(
        (files("synth.dictionaries") / "schema.schema.json").read_text(encoding="utf-8")
    )
    return parsed


def shape_problems(document: Mapping[str, Any], words: Words = FIELD_NAMES) -> tuple[str, ...]:
    """Return the errors that the JSON Schema finds, as sentences in the order of the file."""
    return tuple(dict.fromkeys(sentence for _, sentence in _faults(document, words)))


def misshapen(document: Mapping[str, Any], words: Words = FIELD_NAMES) -> tuple[tuple[list[Any], str], ...]:
    """Return the fields that the JSON Schema does not accept, each with its path and its error.

    Fields that are missing or still null are not included, because a draft may leave them open.
    """
    faults: dict[tuple[Any, ...], str] = {}
    for path, sentence in _faults(document, words):
        deep = 3 if path[:1] == ["columns"] else 2 if path[:1] in (["unit"], ["file"]) else 1
        field = tuple(path[:deep])
        if path and field not in (("columns",), ("unit", "max_rows")) and not _is_open(document, path):
            faults.setdefault(field, sentence)
    return tuple((list(path), sentence) for path, sentence in faults.items())


def _is_open(document: Any, path: list[Any]) -> bool:
    """Whether the path does not exist or leads to null."""
    for step in path:
        inside = isinstance(document, Mapping) and step in document
        if not inside and not (isinstance(document, list) and isinstance(step, int)):
            return True
        document = document[step]
    return document is None


def _faults(document: Mapping[str, Any], words: Words) -> Iterator[tuple[list[Any], str]]:
    """Yield the path of each field with an error, and a sentence about the error."""
    validator = Draft202012Validator(_json_schema())
    errors = sorted(validator.iter_errors(document), key=lambda e: [str(p).zfill(6) for p in e.absolute_path])
    for error in errors:
        path = list(error.absolute_path)
        if error.validator == "required":
            names = [name for name in error.validator_value if name not in error.instance]
            yield from (([*path, name], _missing(path, name, document)) for name in names)
        elif error.validator == "additionalProperties":
            known = sorted(error.schema["properties"])
            names = [name for name in error.instance if name not in known]
            yield from (([*path, name], _unknown(path, name, known, document)) for name in names)
        else:
            yield path, _wrong(path, error.instance, error.schema["must"], document, words)


def _place(path: list[Any], document: Any) -> str:
    """Return the subject of a sentence, which is the part of the file that the sentence is about."""
    if path[:1] == ["columns"] and len(path) > 1:
        column = document["columns"][path[1]]
        name = column.get("name") if isinstance(column, Mapping) else None
        return f"Column {show(name)}" if isinstance(name, str) and name else f"Column number {path[1] + 1}"
    return f"The schema's {path[0]}" if path and path[0] in ("unit", "file") else "The schema"


def _missing(path: list[Any], name: str, document: Any) -> str:
    must = _rule_at([*path, name])["must"]
    return f"{_place(path, document)}: the field {name!r} is missing; it must be {must}."


def _unknown(path: list[Any], name: str, known: list[str], document: Any) -> str:
    near = get_close_matches(name.lower(), known, n=1, cutoff=0.5) or [k for k in known if k.startswith(name)]
    hint = f"did you mean {near[0]!r}?" if near else f"the known fields are: {', '.join(known)}."
    return f"{_place(path, document)}: the field {show(name)} is unknown; {hint}"


def _wrong(path: list[Any], value: Any, must: str, document: Any, words: Words) -> str:
    place = _place(path, document)
    own = 2 if path[:1] == ["columns"] else 1 if path[:1] in (["unit"], ["file"]) else 0
    inner = path[own:] if len(path) >= own else path
    named = {"provenance": words.provenance, "bins": words.bins, "step": words.step}
    subject = named.get(inner[0], f"{inner[0]!r}") if inner else "it"
    if len(inner) > 1:
        subject = f"entry {inner[1] + 1} of {inner[0]!r}"
    if value is None and inner == ["kind"]:
        return f"{place}: {words.open_kind.format(must=must)}."
    if value is None:
        return f"{place}: {subject} is still to be filled in; it must be {must}."
    known = _rule_at(path).get("enum", [])
    near = get_close_matches(value.lower(), known, n=1, cutoff=0.5) if isinstance(value, str) else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{place}: {subject} must be {must} (you gave {_cited(value)}{hint})."


def _cited(value: Any) -> str:
    if isinstance(value, list | dict):
        return show(json.dumps(value, ensure_ascii=False)).strip("'")
    return show(value)


def _rule_at(path: list[Any]) -> dict[str, Any]:
    rule = _json_schema()
    for step in path:
        rule = rule["items"] if isinstance(step, int) else rule["properties"][step]
    return rule


def _build(document: Mapping[str, Any]) -> Schema:
    given = {k: v for k, v in document.items() if k not in ("$schema", "unit", "file", "columns", "groups")}
    rows = given.pop("rows_public", False)
    return Schema(
        **given,
        unit=Unit(**{**document["unit"], "max_rows": int(document["unit"]["max_rows"])}),
        rows_public=int(rows) if rows else None,
        file=file_format(document.get("file", {})),
        columns=tuple(_column(c) for c in document["columns"]),
        groups=tuple(
            Group(**_as_nouns(g, {"columns": tuple, "combinations": _sets}))
            for g in document.get("groups", ())
        ),
    )


def file_format(document: Mapping[str, Any]) -> FileFormat:
    """Return the `file` field of a checked document as a dataclass."""
    nouns = {
        "missing": tuple,
        "notes": tuple,
        "skip_lines": int,
        "two_digit_years": int,
        "line_breaks": LineBreaks,
        "date_order": DateOrder,
    }
    return FileFormat(**_as_nouns(document, nouns))


def _as_nouns(document: Mapping[str, Any], nouns: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """Return the fields of a JSON object, converted to dataclasses of `synth.core.schema` where there is
    one.
    """
    return {name: nouns[name](value) if name in nouns else value for name, value in document.items()}


def _column(document: Mapping[str, Any]) -> Column:
    nouns = {
        "kind": Kind,
        "values": tuple,
        "bins": int,
        "decimals": int,
        "binning": Binning,
        "outside": Outside,
        "date_order": DateOrder,
    }
    lists: dict[str, Callable[[Any], Any]] = {
        "missing": lambda texts: tuple(map(text_of, texts)),
        "labels": tuple,
        "reads": lambda texts: tuple(map(tuple, texts)),
        "points": tuple,
        "cuts": tuple,
        "totals": tuple,
        "combinations": _sets,
    }
    given = _as_nouns(document, {**nouns, **lists, "provenance": Provenance})
    for field in ("min", "max"):
        if field in given:
            given[field] = _bound(given[field], given["kind"])
    if given.get("buy") and "provenance" not in given:
        given["provenance"] = Provenance.ESTIMATED
    return Column(**given)


def _sets(listed: Sequence[Sequence[Value]]) -> tuple[tuple[Value, ...], ...]:
    return tuple(tuple(own) for own in listed)


def _bound(value: Bound, kind: Kind) -> Bound:
    whole = kind is Kind.INTEGER and isinstance(value, float) and value.is_integer()
    return int(value) if whole else value


def dumped(noun: Schema | Unit | FileFormat | Column | Group) -> dict[str, Any]:
    """Return a dataclass of the schema as an object for JSON, without fields that have default values."""
    document: dict[str, Any] = {}
    for field in fields(noun):
        value = getattr(noun, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if value == default and type(value) is type(default) and field.name not in ALWAYS_WRITTEN:
            continue
        document[field.name] = _plain(value)
    return document


def _plain(value: Any) -> Any:
    if isinstance(value, Unit | FileFormat | Column | Group):
        return dumped(value)
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return str(value) if isinstance(value, StrEnum) else value
