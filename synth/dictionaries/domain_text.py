"""Convert between the domain of a column and the text of a cell.

A single line describes the domain completely, and the form of the line determines the kind:

* `0 to 99` is a range of whole numbers, `0.0 to 1.5` is a range of numbers with one decimal place, and
  `2020-01-01 to 2020-12-31` is a range of dates. A range can be followed, in this order, by `by 5` (the width
  of a bin), `steps of 10` (all numbers are multiples of 10), `heaps of 5` (people round to multiples of 5),
  `cut at 18, 65`, `as child, adult, old` (names of the bands between the cuts), `in years` (the unit), and
  `missing 999, -9` (texts that mean missing). Lists can also end with `missing 9`.
* `can be blank`, `never blank` and `in 14 bins` may follow. `ranges.tidied` lists further forms that people
  type.
* `yes, no` is a list, and `1 = male, 2 = female` is a list with labels. Inside a list, `1 to 9` means all
  these whole numbers. Values can be separated by bars or line breaks instead of commas. A value that contains
  a comma is put in quotes.
* `poor < fair < good` is an ordered list, from lowest to highest.
* `several of red, green, blue` means that a cell can contain several values, separated by semicolons.
  `several by | of red, green` sets a different separator. `any` can be used instead of `several`. The list
  can be followed by `, or only none` (an option that excludes all others) and by `, combinations red,
  red;green, none` (the possible combinations).
* The name of a well-known list, such as `months`, stands for this list (`dictionaries.lists`).
* `left out` excludes the column. `ids P-{:06d}` and `ids uuid` generate IDs for an excluded column.
* `= a + b` computes the column in the output. `= a / b, 2 decimals` also sets the number of decimal places.
* `estimated` estimates the list of values. `whole numbers estimated`, `decimal numbers estimated` and `dates
  estimated` estimate the ends of a range. `numbers` and `range` alone mean decimals, the words may be in any
  order, and the term of earlier versions is still accepted.

This module reads no file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from synth.core.cells.ranges import has_one_end, tidied
from synth.core.columns.combinations import EMPTY
from synth.core.numbers import number_of
from synth.core.schema import Bound, Kind, Value
from synth.dictionaries.check import ZERO_FIRST, text_of
from synth.dictionaries.lists import named

Facts = dict[str, Any]
"""The fields of a column in a schema document."""

LEFT_OUT, ESTIMATED, IDS = "left out", "estimated", "ids"
ESTIMATES = (ESTIMATED, "bought")
"""The words that request an estimate. The second is the word of earlier versions."""
ESTIMABLE: dict[str, tuple[Kind, ...]] = {
    "": (Kind.CATEGORY, Kind.ORDERED, Kind.INTEGER, Kind.DECIMAL, Kind.DATE),
    "list": (Kind.CATEGORY, Kind.ORDERED),
    "list of value": (Kind.CATEGORY, Kind.ORDERED),
    "value": (Kind.CATEGORY, Kind.ORDERED),
    "range": (Kind.DECIMAL, Kind.INTEGER, Kind.DATE),
    "range of number": (Kind.DECIMAL, Kind.INTEGER),
    "number": (Kind.DECIMAL, Kind.INTEGER),
    "decimal": (Kind.DECIMAL,),
    "decimal number": (Kind.DECIMAL,),
    "whole number": (Kind.INTEGER,),
    "date": (Kind.DATE,),
}
"""The words beside `estimated`, in the singular, with the kinds that they can mean. The first kind is the
default.
"""
MOST_LISTED = 10_000
"""Minimum number of whole numbers that are always a range and never a list."""
_DAY = r"\d{4}-\d{2}-\d{2}"
_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE = re.compile(
    rf"(?P<low>{_DAY}|{_NUMBER})\s*(?:\bto\b|\.\.+|\u2013|\u2014)\s*(?P<high>{_DAY}|{_NUMBER})(?P<more>(?:\s+\D.*)?)",
    re.S,
)
_GROUPED = r"\d{1,3}(?:\.\d{3})+,\d+"
_END = rf"(?:{_GROUPED}|[^\s,|]*\d[^\s,|]*(?:[ ,'\u2019\u00a0\u202f]\d{{3}}(?!\d)[^\s,|]*)*)"
_WORDS = r"(?:by|step|steps of|heaps of|cut at|as|in|missing)"
_MEANT = re.compile(
    rf"(?P<low>{_END})(?:\s*(?:\bto\b|\.\.+|\u2013|\u2014)\s*|\s+-\s+)(?P<high>{_END})"
    rf"(?P<more>(?:\s+{_WORDS}\s.*)?)",
    re.S,
)
"""Pattern of a range whose ends cannot be read, such as `0 to 60,000.00` or `1924 - 2o23`. No list has this
form.
"""
_COMMAS = re.compile(
    rf"(?P<low>-?\d+,\d+)(?:\s*(?:\bto\b|\.\.+|\u2013|\u2014)\s*|\s+-\s+)(?P<high>-?\d+,\d+)(?P<more>(?:\s+{_WORDS}\s.*)?)",
    re.S,
)
"""Pattern of a range with decimal commas, such as `0,00 to 8000,00`. In a list, a space follows each
comma.
"""
_OPEN = re.compile(rf"{_END}\s*(?:\bto\b|\.\.+)|(?:\bto\b|\.\.+)\s*{_END}")
"""Pattern of a range with one end, such as `0 to`."""
_MIXED = re.compile(rf"{_NUMBER}\s*(?:\bto\b|\.\.+)\s*-?\d+,\d+")
"""Pattern of a range that ends with a decimal comma, such as `1 to 3,5`. It could also be a list."""
_DASHED = re.compile(r"(?P<low>\d+)\s*-\s*(?P<high>\d+)(?P<more>)")
_MORE = re.compile(
    r"(?:\s+(?:by|step)\s+(?P<step>\S+))?(?:\s+steps of\s+(?P<multiple>\S+))?"
    r"(?:\s+heaps of\s+(?P<heaps>\S+))?"
    r"(?:\s+cut at\s+(?P<cuts>.+?))?(?:\s+as\s+(?P<labels>.+?))?"
    r"(?:\s+in\s+(?P<unit>.+?))?(?:\s+missing\s+(?P<missing>.+))?",
    re.S,
)
_SPAN = re.compile(r"(-?\d+)\s*(?:\bto\b|\.\.+|\u2013)\s*(-?\d+)")
_LABEL = re.compile(
    r"\s+=>?\s+|\s*(?<![<>=!\s])\s*=>?\s*(?=[^\s=>])|\s*\u2192\s*|\s*:\s+(?=\S)|(?<=\w):(?=[^\W\d_])"
)
"""Pattern of the sign between a value and its label: `1 = male`, `A=Yes` or `1: male`, but not 08:30."""
_LABELLED = (
    re.compile(r"(?P<value>\w{1,4})\s+-\s+(?P<label>[^\W\d_].*)", re.S),
    re.compile(r"(?P<value>\w{1,4})\s*\((?P<label>[^()]+)\)", re.S),
    re.compile(r"(?P<value>\d{1,4})[.)]\s+(?P<label>[^\W\d_].*)", re.S),
)
"""Patterns of values with labels, which are only read if all parts of a list have them: `M (male)`."""
_ORDER = re.compile(r"\s+<\s+")
_AS_DATE = re.compile(r"\d+([-./])\d+\1\d+")
_DECIMALS = re.compile(r"\d\.(\d+)(?![\d.]|[eE])")
_SEVERAL = re.compile(
    r"(?:several|any)(?:\s+by\s+(?P<separator>\S))?\s+of\s+(?P<values>.+?)"
    r"(?:,?\s+or only\s+(?P<exclusive>[^,|]+?))?(?:,?\s+combinations\s+(?P<combinations>.+))?",
    re.S | re.I,
)
_FORMULA = re.compile(r"=\s*(?P<formula>.+?)(?:,\s*(?P<decimals>\d+)\s+decimals?)?", re.S)
_COMMA, _BAR, _SEMICOLON = re.compile(r","), re.compile(r"\|"), re.compile(r";")
_OR = re.compile(r"\s+or\s+")
_SLASH = re.compile(r"\s*/\s*|\s+or\s+")
"""Pattern of the signs that separate the values of a list without commas, such as `yes/no`."""
_WORD = re.compile(r"[^\W_][\w' -]+|[^\W\d_]")
_SPELLED = re.compile(r"n/?a|i/o|w/o|and/or|km/h|m/s", re.I)
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u201e": "\u201c", "\u00ab": "\u00bb"}
_BRACKETS = {"[": "]", "{": "}", "(": ")"}
_QUOTED = re.compile(r'"[^"]*"|\u201c[^\u201d]*\u201d|(?<!\w)\'[^\']*\'(?!\w)')
_MARKS = re.compile(r"[,|<=]|^\s|\s$|\b(to|in|as|by)\b")
"""Pattern of the characters with a special meaning in a cell. A value that contains one of them is put in
quotes.
"""


def read(typed: str, kind: Kind | None = None) -> tuple[Kind | None, Facts]:
    """Return the kind and the facts that a string describes.

    `kind` is the kind that is already chosen, or None.

    Clauses such as `can be blank`, `in 14 bins` and `missing 9` may follow (`ranges.tidied`). Invalid input,
    and input that could mean several things, is kept in the facts, so that the checks quote it and ask.
    """
    words, said = tidied(typed)
    kind, facts = _read(words, kind)
    return kind, {**facts, **said}


def _read(words: str, kind: Kind | None) -> tuple[Kind | None, Facts]:
    if not words:
        return kind, {}
    if words.lower() in (LEFT_OUT, "-"):
        return Kind.DROP, {}
    if words.lower().startswith(f"{IDS} "):
        return Kind.DROP, {"id_format": words[len(IDS) :].strip()}
    if computed := _FORMULA.fullmatch(words):
        decimals = computed["decimals"]
        facts: Facts = {"formula": computed["formula"]}
        if decimals is not None:
            return Kind.DECIMAL, {**facts, "decimals": int(decimals)}
        return Kind.DECIMAL if kind is Kind.DECIMAL else Kind.INTEGER, facts
    if several := _SEVERAL.fullmatch(words):
        return Kind.CATEGORY, _several(several)
    if meant := kinds_estimated(words):
        return kind or meant[0], {"buy": True}
    known = named(words)
    if known is not None:
        suits = kind if kind is not None and kind.has_values else known.kind
        facts = {"values": list(known.values), "labels": list(known.labels)}
        facts["reads"] = [list(texts) for texts in known.reads]
        return suits, {field: given for field, given in facts.items() if given}
    ways = (_RANGE, _DASHED, _MEANT, _COMMAS)
    found = next(filter(None, (way.fullmatch(words) for way in ways)), None)
    if found is not None and (kind is None or not kind.has_values):
        facts = _range(found)
        return kind or (Kind.DECIMAL if _COMMAS.fullmatch(words) else _kind_of(facts)), facts
    if kind is None and (_OPEN.fullmatch(words) or has_one_end(words)):
        kind = Kind.DATE if re.search(_DAY, words) else Kind.DECIMAL if decimals_in(words) else Kind.INTEGER
    if kind is None and _MIXED.fullmatch(words):
        kind = Kind.DECIMAL
    if kind is not None and kind.has_range:
        return kind, {"min": words}
    return _listed(words, kind)


def _several(typed: re.Match[str]) -> Facts:
    """Return the facts of a list of options. An exclusive option can be listed, or follow the list."""
    _, facts = _listed(typed["values"], Kind.CATEGORY)
    facts["separator"] = typed["separator"] or ";"
    known = {text_of(value): value for value in facts.get("values", ())}
    if typed["exclusive"] is not None:
        alone = typed["exclusive"].strip().strip('"')
        if alone not in known:
            facts["values"] = [*facts.get("values", ()), alone]
            facts |= {"labels": [*facts["labels"], ""]} if facts.get("labels") else {}
        facts["exclusive"] = known.setdefault(alone, alone)
    if typed["combinations"] is not None:
        cells = [text_of(cell) for cell in listed(typed["combinations"])[0]]
        sets = [[] if cell == EMPTY else cell.split(facts["separator"]) for cell in cells]
        facts["combinations"] = [[known.get(one.strip(), one.strip()) for one in own] for own in sets]
    return facts


def kinds_estimated(typed: str) -> tuple[Kind, ...]:
    """Return the kinds that a text about estimation can mean, or () if it is not about estimation.

    >>> kinds_estimated("dates estimated"), kinds_estimated("estimated dates"), kinds_estimated("0 to 99")
    ((<Kind.DATE: 'date'>,), (<Kind.DATE: 'date'>,), ())
    """
    words = " ".join(typed.lower().split())
    if words == "?":
        return ESTIMABLE[""]
    for word in ESTIMATES:
        beside = words.removesuffix(word) if words.endswith(word) else words.removeprefix(word)
        if beside != words:
            return ESTIMABLE.get(beside.strip().removesuffix("s"), ())
    return ()


def _range(found: re.Match[str]) -> Facts:
    low, high = _end(found["low"]), _end(found["high"])
    facts: Facts = {"min": low, "max": high}
    more = _MORE.fullmatch(_masked(found["more"]))
    if more is None:
        return {**facts, "max": f"{found['high']}{found['more']}"}
    said = {name: found["more"][slice(*more.span(name))] for name, given in more.groupdict().items() if given}
    if "step" in said:
        facts["step"] = bound(said["step"])
    facts |= {field: bound(said[field]) for field in ("multiple", "heaps") if field in said}
    if "cuts" in said:
        facts["cuts"] = [bound(cut) for cut in _parts(said["cuts"])]
    parts = (said.get(name, "") for name in ("step", "multiple", "heaps", "cuts"))
    typed = decimals_in(found["low"], found["high"], *parts)
    if typed is not None and _kind_of(facts) is Kind.DECIMAL:
        facts["decimals"] = typed
    if "labels" in said:
        facts["labels"] = [_unquoted(label) for label in _parts(said["labels"])]
    if "missing" in said:
        facts["missing"] = [_unquoted(text) for text in _parts(said["missing"])]
    if "unit" in said:
        facts["measured_in"] = said["unit"].strip()
    return facts


def _end(typed: str) -> Bound:
    """Return a typed end of a range.

    If it begins with a zero, like some postcodes, it remains text, because a number would lose the zero.
    """
    return typed.strip() if ZERO_FIRST.fullmatch(typed.strip()) else bound(typed)


def _kind_of(facts: Facts) -> Kind:
    ends = [
        facts["min"],
        facts["max"],
        *facts.get("cuts", ()),
        facts.get("step", 1),
        facts.get("multiple", 1),
    ]
    if any(isinstance(end, str) and _AS_DATE.match(end) for end in ends[:2]):
        return Kind.DATE
    return Kind.DECIMAL if any(isinstance(end, float) or "." in str(end) for end in ends) else Kind.INTEGER


def decimals_in(*typed: str) -> int | None:
    """Return the maximum number of decimal places in these strings, or None if none of them has a decimal
    point.

    >>> decimals_in("34.0", "42.0", "0.25"), decimals_in("0", "100")
    (2, None)
    """
    found = [len(digits) for text in typed for digits in _DECIMALS.findall(text)]
    return max(found, default=None)


def bound(typed: str) -> Bound:
    """Return a typed end of a range as a number if possible, otherwise as text."""
    word = typed.strip()
    for read_number in (int, float):
        with suppress(ValueError):
            number = read_number(word)
            return number if math.isfinite(number) else word
    return word


def _listed(words: str, kind: Kind | None) -> tuple[Kind, Facts]:
    ordered = len(_split(words, _ORDER)) > 1
    values, labels = listed(words)
    facts: Facts = {"values": list(values), **({"labels": list(labels)} if labels else {})}
    return kind or (Kind.ORDERED if ordered else Kind.CATEGORY), facts


def listed(typed: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the values of a list as typed, and their labels if any value has a label.

    >>> listed("1 = male, 2 = female"), listed("1 to 3, 9")
    ((('1', '2'), ('male', 'female')), (('1', '2', '3', '9'), ()))
    """
    in_order = _split(typed, _ORDER)
    values: list[str] = []
    labels: list[str] = []
    parts = in_order if len(in_order) > 1 else _parts(typed)
    every = next((form for form in _LABELLED if all(map(form.fullmatch, parts))), None)
    for part in parts:
        marked = every.fullmatch(part) if every is not None and len(parts) > 1 else None
        value, *label = [marked["value"], marked["label"]] if marked else _split(part, _LABEL, most=1)
        span = _SPAN.fullmatch(part)
        if span is not None and 0 <= int(span[2]) - int(span[1]) < MOST_LISTED:
            among = [str(number) for number in range(int(span[1]), int(span[2]) + 1)]
        else:
            among = [_unquoted(value)]
        values += among
        labels += [_unquoted(label[0])] if label else [""] * len(among)
    return tuple(values), tuple(labels) if any(labels) else ()


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] else text


def _parts(typed: str) -> list[str]:
    """Return the parts of a list.

    They are separated by line breaks if there are several lines, otherwise by bars, semicolons or commas. A
    list without these signs may have slashes or the word "or", such as `yes/no`.
    """
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    if len(lines) > 1:
        return lines
    if len(typed) > 1 and _BRACKETS.get(typed[0]) == typed[-1] and typed[0] not in typed[1:]:
        typed = typed[1:-1].strip()
    mark = next((mark for mark in (_BAR, _SEMICOLON) if mark.search(_masked(typed))), _COMMA)
    parts = [part for part in _split(typed, mark) if part]
    if len(parts) > 1 and mark is _COMMA:  # a, b or c
        *parts, last = parts
        parts += [word for word in _split(last.removeprefix("or "), _OR) if word]
    if len(parts) == 1:
        words = _split(typed, _SLASH)
        if all(map(_WORD.fullmatch, words)) and not _SPELLED.fullmatch(typed):
            return words
    return parts


def _split(text: str, mark: re.Pattern[str], *, most: int | None = None) -> list[str]:
    """Split a string at separators outside quotes, at most `most` times."""
    parts, start = [], 0
    for found in list(mark.finditer(_masked(text)))[:most]:
        parts.append(text[start : found.start()].strip())
        start = found.end()
    return [*parts, text[start:].strip()]


def _masked(text: str) -> str:
    """Return a string of the same length in which the quoted parts are masked."""
    return _QUOTED.sub(lambda found: "\0" * len(found[0]), text)


def written(entry: Mapping[str, Any]) -> str:
    """Return the cell text for a column of a document. Reading it returns the same column."""
    if entry.get("kind") == Kind.DROP:
        return f"{IDS} {entry['id_format']}" if entry.get("id_format") else LEFT_OUT
    if entry.get("formula"):
        decimals = entry.get("decimals")
        return f"= {entry['formula']}" + ("" if decimals is None else f", {number_of(decimals, 'decimal')}")
    if entry.get("buy"):
        is_range = entry.get("kind") in list(Kind) and Kind(entry["kind"]).has_range
        return f"{Kind(entry['kind']).words}s {ESTIMATED}" if is_range else ESTIMATED
    if entry.get("values"):
        return _written_list(entry)
    ends = [entry.get("min"), entry.get("max")]
    if ends == [None, None]:
        return ""
    text = " to ".join(_written_bound(end, entry) for end in ends if end is not None)
    if entry.get("step") is not None:
        text += f" by {text_of(entry['step'])}"
    if entry.get("multiple") is not None:
        text += f" steps of {text_of(entry['multiple'])}"
    if entry.get("heaps") is not None:
        text += f" heaps of {text_of(entry['heaps'])}"
    if entry.get("cuts"):
        text += f" cut at {', '.join(text_of(cut) for cut in entry['cuts'])}"
    if entry.get("labels"):
        text += f" as {', '.join(map(_quoted, entry['labels']))}"
    if entry.get("measured_in"):
        text += f" in {entry['measured_in']}"
    if entry.get("missing"):
        text += f" missing {', '.join(_quoted(text_of(token)) for token in entry['missing'])}"
    return text


def _written_bound(end: Any, entry: Mapping[str, Any]) -> str:
    """Return an end of a range as text.

    A decimal keeps its point and the typed zeros, so that the text is read as the same end.
    """
    decimals = entry.get("decimals")
    if isinstance(end, float) and isinstance(decimals, int) and float(text := f"{end:.{decimals}f}") == end:
        return text if "." in text else repr(end)
    return repr(end) if isinstance(end, float) and entry.get("kind") == Kind.DECIMAL else text_of(end)


def _written_list(entry: Mapping[str, Any]) -> str:
    parts = written_parts(entry["values"], entry.get("labels", ()))
    if separator := entry.get("separator"):
        text = f"several{f' by {separator}' if separator != ';' else ''} of {', '.join(parts)}"
        if entry.get("exclusive") is not None:
            text += f", or only {text_of(entry['exclusive'])}"
        if sets := entry.get("combinations"):
            cells = [separator.join(map(text_of, own)) or EMPTY for own in sets]
            text += f", combinations {', '.join(map(_quoted, cells))}"
        return text
    return (" < " if entry.get("kind") == Kind.ORDERED else ", ").join(parts)


def written_parts(values: Sequence[Value], labels: Sequence[str], *, alone: bool = True) -> list[str]:
    """Return each value with its label, as typed. Commas are quoted unless each part is on a separate
    line.
    """
    given = [*labels, *[""] * len(values)]
    quoted = _quoted if alone else _marked
    texts = [quoted(text_of(value)) for value in values]
    return [f"{t} = {quoted(label)}" if label else t for t, label in zip(texts, given, strict=False)]


def _marked(text: str) -> str:
    """Return a string for a separate line, with quotes only if it would otherwise be read differently."""
    again = listed(f"{text}\n-")[0][:-1]
    return text if again == (text,) else f'"{text}"'


def _quoted(text: str) -> str:
    return f'"{text}"' if _MARKS.search(text) else text
