"""Rewrite the domain of a column, as people type it, in the words that `dictionaries.domain_text` reads.

`from 0 up to 120`, `between 0 and 120` and `0 ... 120` become `0 to 120`; `M, F missing 9` and `0 to 9 in 5
bins` are taken apart. Forms with several meanings stay as they are, so that the checks ask about them.
"""

from __future__ import annotations

import re
from typing import Any

from synth.core.cells.days import day_of
from synth.core.cells.words import plain
from synth.core.schema import DateOrder, FileFormat, iso_day

_CAN = r"(?:can|may|could|might)\s+be\s+(?:left\s+)?"
_NOTHING = r"(?:blank|blanks|empty|missing|null)"
_NOTHINGS = r"(?:blanks?|empty cells?|missings?|missing values?|nulls?)"
_ALLOWED = r"(?:allowed|possible|ok|permitted)"
_YES = (
    rf"{_CAN}{_NOTHING}|{_NOTHINGS}\s+(?:is |are )?{_ALLOWED}|(?:with|or)\s+{_NOTHINGS}|optional\)|nullable"
)
_NO = (
    rf"(?:never|not|cannot be|can't be|must not be)\s+{_NOTHING}|(?:no|without)\s+{_NOTHINGS}"
    rf"|{_NOTHINGS}\s+(?:is |are )?not\s+{_ALLOWED}|required\)"
)
_BLANK = re.compile(rf"[\s,;]*[(,;\s](?:(?P<yes>{_YES})|(?P<no>{_NO}))", re.I)
_BINS = re.compile(
    r"[\s,;]*[(,;\s](?:(?:in|with|into|using)\s+)?(?P<bins>\d+)\s+(?:equal\s+|equally wide\s+)?"
    r"(?:bins?|bands?|classes|intervals|groups)\)?\s*$",
    re.I,
)
_MISSING = re.compile(
    r"[\s,;]*[(,;\s](?:missing|blank if|na)(?:\s+(?:values?|codes?))?(?:\s*[:=]|\s+(?:is|are|if|means|as))?"
    r"\s+(?P<codes>[^()]+?)\)?\s*$",
    re.I,
)
_MEANS_MISSING = re.compile(
    r"[,;\s]*[,;]\s*(?P<code>[^,;=:\s]+)\s*(?:=|:|means|is|\s)\s*(?:missing|blank|empty|na|n/a|no data)\s*$",
    re.I,
)
_FROM = re.compile(r"(?:(?:values? |numbers? |range )?(?:from|between)|range)\s*:?\s+", re.I)
_TO = re.compile(
    r"\s+(?:up\s+to|through|thru|till|until|bis|to)\s+(?:and\s+including\s+)?|\s*\u2026\s*|\s*\.{2,}\s*"
    r"|\s+(?:-|\u2013|\u2014)\s+|\s*(?:\u2013|\u2014)\s*",
    re.I,
)
_AND = re.compile(r"\s+and\s+", re.I)
_NUMBER = r"[-+]?[0-9][0-9.,' ]*"
_BETWEEN = re.compile(rf"(?P<low>{_NUMBER})\s*(?:<=?|\u2264)\s*\w+\s*(?:<=?|\u2264)\s*(?P<high>{_NUMBER})")
_INSIDE = re.compile(rf"\[\s*(?P<low>{_NUMBER}?)\s*[,;]\s*(?P<high>{_NUMBER}?)\s*\]")
_LEAST, _MOST = (rf"{word}(?:imum)?\.?\s*[:=]?\s*" for word in ("min", "max"))
_LIMITS = re.compile(rf"{_LEAST}(?P<low>{_NUMBER}?)[\s,;]+{_MOST}(?P<high>{_NUMBER}?)", re.I)
_BEFORE = (
    r"at least|at most|up to|from|above|below|over|under|less than|more than|min|max|minimum|maximum|>=?|<=?"
    r"|\u2265|\u2264|since|after|until|before"
)
_AFTER = r"\+|and (?:more|above|over|up)|or (?:more|above|over|less|below)"
_ONE_END = re.compile(
    rf"(?:{_BEFORE})\s*[:=]?\s*(?:{_NUMBER}|\d{{4}}-\d\d-\d\d)|{_NUMBER}\s*(?:{_AFTER})"
    r"|(?:positive|non-?negative)(?:\s+(?:whole\s+|decimal\s+)?numbers?|\s+integers?)?",
    re.I,
)
"""Pattern of a range with one end, such as `>= 0`, `0 or more` or `at most 99`."""
_UNIT = re.compile(
    r"(?P<range>.*\d)\s*(?:\((?P<inside>[^\W\d_][^()]*)\)"
    r"|(?P<unit>[%\u20ac$\u00a3]|(?<=\s)[^\W\d_][\w/.\u00b2\u00b3]*(?: [^\W\d_][\w/.]*)?))",
    re.S,
)
_DASH = re.compile(r"^(\d+)\s*-\s*(\d+)\s+(?=[^\W\d_]|\(|%)")
_WORDS = re.compile(
    r"(?:\b(?:by|steps?|heaps|cut|as|in|missing|to|and|or|estimated|decimals?|bins?)\b|[,;|=<])", re.I
)
_ANY_ORDER = (DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST)


def tidied(typed: str) -> tuple[str, dict[str, Any]]:
    """Return a typed domain in plain form, and the facts of its clauses: `blank`, `bins` and `missing`.

    >>> tidied("M, F missing 9"), tidied("from 0 up to 120, can be blank")
    (('M, F', {'missing': ['9']}), ('0 to 120', {'blank': True}))
    >>> tidied("0 to 60 in 14 bins"), tidied("31/12/2019 - 31/12/2020")
    (('0 to 60', {'bins': 14}), ('2019-12-31 to 2020-12-31', {}))
    """
    words = typed.strip()
    facts: dict[str, Any] = {}
    while True:
        before = words
        if found := _at_end(_BLANK, words):
            words, facts["blank"] = words[: found.start()].strip(), found["yes"] is not None
        elif found := _at_end(_BINS, words):
            words, facts["bins"] = words[: found.start()].strip(), int(found["bins"])
        elif (found := _MEANS_MISSING.search(words)) and found.start():
            facts.setdefault("missing", []).insert(0, _bare(found["code"]))
            words = words[: found.start()].strip()
        elif (found := _at_end(_MISSING, words)) and found.start():
            parts = re.split(r"[,;]|\s+(?:and|or)\s+", found["codes"])
            codes = [_bare(code) for code in parts if code.strip()]
            words, facts["missing"] = words[: found.start()].strip(), codes + facts.get("missing", [])
        if words == before:
            return _range(words), facts


def has_one_end(words: str) -> bool:
    """Whether a text is a range with one end, such as `>= 0`, whose other end must be asked for."""
    return _ONE_END.fullmatch(words) is not None


def _at_end(pattern: re.Pattern[str], words: str) -> re.Match[str] | None:
    """Return the last match if only closing signs follow it."""
    found = next(iter(reversed(list(pattern.finditer(words)))), None)
    return found if found and not words[found.end() :].strip(" ).;") and found.start() else None


def _bare(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _range(words: str) -> str:
    """Return a range in the form `LOW to HIGH`, and any other text unchanged."""
    for form in (_BETWEEN, _INSIDE, _LIMITS):
        if found := form.fullmatch(words):
            return f"{found['low'].strip()} to {found['high'].strip()}"
    rest, starts = words, _FROM.match(words)
    if starts and re.match(r"[-+]?\d", words[starts.end() :]):
        rest = _AND.sub(" to ", words[starts.end() :], count=1)
    ends = _TO.split(rest, maxsplit=1)
    if len(ends) == 2:
        if dates := _dates(*ends):
            return dates
        is_list = "," in ends[0] or ends[1].split()[0].endswith(",")
        if re.match(r"[-+]?\d", ends[0]) and re.match(r"[-+]?\d", ends[1]) and not is_list:
            rest = f"{ends[0].strip()} to {ends[1].strip()}"
    dashed = rest if len(ends) == 2 else _DASH.sub(r"\1 to \2 ", rest)
    unit = _UNIT.fullmatch(dashed)
    if unit is None or _WORDS.search(said := (unit["inside"] or unit["unit"]).strip()):
        return rest
    is_range = re.fullmatch(rf"{_NUMBER} to {_NUMBER}", unit["range"].strip())
    return f"{unit['range'].strip()} in {said}" if is_range else rest


def _dates(low: str, high: str) -> str:
    """Return a range of dates in ISO form, or "" if an end is no date or could be two dates."""
    high, *more = re.split(r"\s+(?=(?:by|cut at|as|missing)\s)", high.strip(), maxsplit=1)
    for text in (low, high):
        if not re.search(r"\d{4}", text):
            return ""
    meant = set()
    for order in _ANY_ORDER:
        days = [day_of(plain(text), FileFormat(date_order=order)) for text in (low, high)]
        if None not in days:
            meant.add(tuple(iso_day(day) for day in days if day is not None))
    if len(meant) != 1:
        return ""
    first, last = meant.pop()
    return f"{first} to {last}" + "".join(f" {text}" for text in more)
