"""Represent everything that a steward can declare or choose as short texts, and describe changes in words.

The names (`budget rows_about`, `column age: max`) are stored in decision logs, so that a later version can
compare with them. `change` describes them in words. All of this is public.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from itertools import takewhile
from typing import Any

from synth.app.project.spend.allocation import PARTS, word_of
from synth.app.project.store import Budget, Project
from synth.core.numbers import exactly
from synth.core.options import options_of
from synth.mechanisms import MECHANISMS
from synth.models.registry import GENERATORS

_WEIGHT = "budget weights "
UNTOUCHED = {f"{_WEIGHT}{part}": word_of(Budget(), part) for part in PARTS}
"""The default priorities of the parts of a budget. The Budget page stores them when it is opened, which is
not a choice. Entries from before that do not contain them.
"""

_LONGEST = 60
"""Number of characters above which a list is shortened to the part that changed."""

_CALLED = {
    "budget epsilon": "epsilon",
    "budget delta": "delta",
    "budget lifetime": "the limit of a new lifetime budget (epsilon)",
    "budget rows_at_most": "the largest possible number of rows",
    "budget rows_about": "the rough number of rows",
    "budget means": "the list of means and regressions",
    "budget reason": "the reason for exceeding the organisation's limit",
    "method name": "the method",
    "method generator": "the generator",
    "method compress": "the merging of rare values during the run",
    "method rows": "the number of rows to make",
    "method workload": "the size of the marginals to preserve",
    "method extras": "the list of further generators",
    "start source": "the starting table",
    "start digest": "the SHA-256 of the starting table",
    "start path": "the path of the starting table",
    "people": "who is in the table",
    "new_to": "the list of populations that the people are new to",
    "schema name": "the table's name",
    "schema title": "the table's title",
    "schema description": "the table's description",
    "schema population": "the population",
    "schema rows_public": "the public number of rows",
    "schema file_is_public": "the declaration that the file is public",
    "schema groups": "the groups of yes/no columns",
    "schema unit name": "who is protected",
    "schema unit max_rows": "the maximum rows per person",
    "schema unit id_column": "the ID column",
    "schema file header": "whether the file's first line is the header",
    "schema file delimiter": "the file's delimiter",
    "schema file quote": "the file's quotation mark",
    "schema file skip_lines": "the number of lines skipped at the file's start",
    "schema file encoding": "the file's encoding",
    "schema file escape": "the sign before quotes in the file's cells",
    "schema file sheet": "the sheet of the workbook",
    "schema file notes": "the list of beginnings of notes in the file",
    "schema file line_breaks": "the kind of the file's line breaks",
    "schema file decimal_sign": "the file's decimal sign",
    "schema file thousands": "the sign between thousands in the file",
    "schema file date_order": "the order of the file's dates",
    "schema file two_digit_years": "the century of the file's two-digit years",
    "schema file missing": "the list of the file's codes for missing values",
}
_PARTS = {
    "domain": "estimating domains",
    "columns": "single columns",
    "choosing": "selecting what to measure",
    "relations": "combinations of columns",
    "method": "the method",
    "shares": "target proportions as in the table",
    "means": "means and regressions",
    "comparison": "hold-out measurements",
    "verdict": "the accuracy check",
    "later": "the reserve for later",
}
_OF_A_COLUMN = {
    "kind": "the kind",
    "values": "the list of values",
    "labels": "the list of labels",
    "write_labels": "the writing of labels into the CSV",
    "reads": "the list of finer codes",
    "min": "the smallest value",
    "max": "the largest value",
    "bins": "the number of bins",
    "step": "the width of a bin",
    "multiple": "the number that all values are multiples of",
    "heaps": "the number to whose multiples people round",
    "decimals": "the number of decimals",
    "cuts": "the list of cuts",
    "points": "the list of values with their own bin",
    "binning": "the binning",
    "buy": "the setting that estimates the domain",
    "merge_rare": "the merging of rare values",
    "blank": "the setting that allows missing values",
    "missing": "the list of codes for missing values",
    "outside": "the treatment of values outside the domain",
    "other_label": "the label of other values",
    "weight": "the weight",
    "provenance": "the source of the domain",
    "title": "the title",
    "description": "the description",
    "measured_in": "the unit of measurement",
    "formula": "the formula",
    "id_format": "the format of generated IDs",
    "separator": "the sign between chosen options",
    "joint": "the joint model of the options",
    "exclusive": "the option that excludes the others",
    "combinations": "the possible combinations of options",
    "limit": "the limit of its values",
    "totals": "the public totals",
    "is_weight": "the use as a survey weight",
    "decimal_sign": "the decimal sign of the column",
    "thousands": "the sign between thousands in the column",
    "date_order": "the order of the column's dates",
}
_OF_A_DOMAIN = frozenset(
    ("kind", "values", "labels", "reads", "min", "max", "decimals", "multiple", "heaps", "missing", "blank")
)
"""Fields of a column that can come from a codebook."""
_COUNTS = ("budget rows_about", "budget rows_at_most", "method rows", "schema rows_public")
"""Names of the numbers of rows, which are written with thousands separators."""
_NUMBERS = ("epsilon", "delta", "lifetime", " min", " max", " step", " weight")
"""Name endings of fields with numbers. Any other value may be a code that looks like a number."""
_COLUMN = re.compile(r"(?:column (?P<one>.*?):|schema columns (?P<other>.*)) (?P<field>\w+)")


def inputs_of(project: Project) -> dict[str, str]:
    """Return everything that the steward can declare or choose, with one short text each."""
    schema = {name: value for name, value in project.schema.items() if name != "columns"}
    inputs = dict(_flat(schema, "schema"))
    for column in project.schema.get("columns", []):
        facts = {name: value for name, value in column.items() if name != "name"}
        inputs |= _flat(facts, f"column {column.get('name', '')}:")
    for rule in project.rules:
        inputs[f"rule {rule if isinstance(rule, str) else _text(rule)!r}"] = "stated"
    for part in ("budget", "method"):
        inputs |= _flat(asdict(getattr(project, part)), part)
    if project.start.path:  # the path may name people, so it is left out
        inputs |= {"start source": project.start.source, "start digest": project.start.digest}
    if project.people:
        inputs |= {"people": project.people.words, "new_to": ", ".join(project.new_to)}
    return inputs | {f"{_WEIGHT}{part}": word_of(project.budget, part) for part in PARTS}


def changes(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """Yield the differences in the order of declaration, with one phrase each. For a part of a domain, the
    phrase states the source of the domain, such as a public document.
    """
    for name in [*before, *(n for n in after if n not in before)]:
        if before.get(name) != after.get(name):
            yield change(name, before.get(name), after.get(name)) + _source(name, after)


def change(name: str, before: str | None, after: str | None) -> str:
    """Describe one change. None stands for a value that was not declared.

    >>> change("budget epsilon", "1.0", "2.0"), change("rule 'a'", "stated", None)
    ('epsilon was changed from 1 to 2', "the rule 'a' was removed")
    >>> change("budget rows_about", "null", "26000")
    'the rough number of rows was set to 26,000'
    """
    thing = called(name)
    if after is None or (after in ("null", "") and before is not None):
        return f"{thing} was removed"
    if after == "stated":
        return f"{thing} was added"
    if before in (None, "null", ""):
        return f"{thing} was set to {in_words(name, after)}"
    if max(len(before), len(after)) > _LONGEST:
        before, after = _apart(before.split(", "), after.split(", "))
    return f"{thing} was changed from {in_words(name, before)} to {in_words(name, after)}"


def _source(name: str, after: dict[str, str]) -> str:
    """Return the declared source of a changed part of a domain, or "" for another change or without one."""
    found = _COLUMN.fullmatch(name)
    if found is None or found["field"] not in _OF_A_DOMAIN or not found["one"]:
        return ""
    source = after.get(f"column {found['one']}: provenance")
    return f" (source: {source})" if source else ""


def called(name: str) -> str:
    """Describe in words a name from this module or from a project's document.

    >>> called("column age: max"), called("budget weights later")
    ('the largest value of column age', 'the weight of the reserve for later')
    """
    if name in _CALLED:
        return _CALLED[name]
    if (found := _COLUMN.fullmatch(name)) and found["field"] in _OF_A_COLUMN:
        return f"{_OF_A_COLUMN[found['field']]} of column {found['one'] or found['other']}"
    if name.startswith("schema columns "):
        return f"column {name.removeprefix('schema columns ')}"
    if name.startswith(_WEIGHT):
        part = name.removeprefix(_WEIGHT)
        return f"the weight of {_PARTS.get(part, part)}"
    if name.startswith("budget importance "):
        return f"the priority of column {name.removeprefix('budget importance ')} in combinations"
    if name.startswith("rule "):
        return f"the rule {_rule(name.removeprefix('rule '))}"
    for owner in ("method options ", "method generator_options "):
        if name.startswith(owner):
            return f"the setting {_setting(name.removeprefix(owner))}"
    return name.replace("_", " ")


def in_words(name: str, value: str) -> str:
    """Return a value in words, with yes or no for booleans and without exponents in numbers.

    >>> in_words("budget delta", "1e-07"), in_words("method rows", "26000")
    ('0.0000001', '26,000')
    """
    words = {"null": "nothing", "": "nothing", "true": "yes", "false": "no"}
    line = " ".join(value.split())
    if line in words:
        return words[line]
    if name == "method name" and line in MECHANISMS:
        return MECHANISMS[line].title
    if name in _COUNTS and line.isdigit():
        return f"{int(line):,}"
    if name.endswith(_NUMBERS) or "options " in name:
        with suppress(ValueError):
            return exactly(float(line))
    return line


def _rule(stated: str) -> str:
    """Return a rule as it was stated, with its reason, or otherwise described by its parts."""
    with suppress(ValueError):
        parts = json.loads(stated[1:-1].replace("\\'", "'"))
        if parts.keys() <= {"sentence", "because"} and "sentence" in parts:
            because = f" ({parts['because']})" if parts.get("because") else ""
            return f"{parts['sentence']!r}{because}"
        return repr(_spoken(parts))
    return stated


def _spoken(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key} {_spoken(part)}" for key, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(_spoken, value))
    return value if isinstance(value, str) else in_words("", json.dumps(value))


def _setting(name: str) -> str:
    """Return the label of an option of a method or generator, or its name if it has no label."""
    for kind in (*MECHANISMS.values(), *GENERATORS.values()):
        for field in options_of(kind):
            if field.name == name:
                return repr(str(field.metadata["label"]))
    return repr(name)


def _apart(before: list[str], after: list[str]) -> tuple[str, str]:
    """Return two lists without their common start and end.

    >>> _apart(["a", "b", "c", "d"], ["a", "x", "y", "d"])
    ('..., b, c, ...', '..., x, y, ...')
    """
    first = _shared(before, after)
    last = _shared(before[first:][::-1], after[first:][::-1])

    def middle(words: list[str]) -> str:
        kept = words[first : len(words) - last]
        return ", ".join(["..."] * (first > 0) + kept + ["..."] * (last > 0))

    return middle(before), middle(after)


def _shared(one: list[str], other: list[str]) -> int:
    """Return the number of equal words at the start of two lists."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _flat(value: dict[str, Any], name: str) -> Iterator[tuple[str, str]]:
    for key, part in value.items():
        if isinstance(part, dict):
            yield from _flat(part, f"{name} {key}")
        else:
            yield f"{name} {key}", _text(part)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(_text, value)))
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
