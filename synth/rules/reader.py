"""Parse the columns, values and conditions of a sentence (`synth.rules.grammar`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from synth.core.errors import Mistake
from synth.core.schema import Bound, Column, Kind, Schema, Value, in_units, parse_date
from synth.rules.spelling import choices, find_value, meanings, spelled
from synth.rules.terms import Compare, Condition, Range

STOP = r"(?=\s*$|\s*,|\s+(?:or|to|and|then|should)\b)"
"""Pattern of the strings at which a value without quotes may end."""
COMPARISONS = {
    "at least": "at least",
    "at most": "at most",
    "below": "below",
    "under": "below",
    "less than": "below",
    "above": "above",
    "over": "above",
    "more than": "above",
}
SIGNS = {
    ">=": "at least", "=>": "at least", "≥": "at least", "<=": "at most", "=<": "at most", "≤": "at most",
    "<>": "not", "!=": "not", "≠": "not", "==": "", "=": "", "<": "below", ">": "above",
}  # fmt: skip
"""Signs, each with the words that have the same meaning. A longer sign comes before its beginning."""
SIGN = "|".join(map(re.escape, SIGNS))
NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
DATE = r"\d{4}-\d{2}-\d{2}"


@dataclass
class Reader:
    """A cursor over a sentence.

    `named` contains the start and end of each column name in the sentence, with the column. `valued` maps the
    start of each value from a list to its end, the value and its column.
    """

    text: str
    schema: Schema
    at: int = 0
    named: list[tuple[int, int, str]] = field(default_factory=list)
    valued: dict[int, tuple[int, Value, Column]] = field(default_factory=dict)

    def mistake(self, reason: str) -> Mistake:
        rest = self.text[self.at :].strip()
        place = f"at '{rest}'" if rest else "at its end"
        return Mistake(f"The rule '{self.text}' is not understood {place}: {_ended(reason)}")

    def wrong(self, reason: str) -> Mistake:
        """Return the error for a sentence that was understood but cannot be used."""
        return Mistake(f"The rule '{self.text}' cannot be used: {_ended(reason)}")

    def match(self, pattern: str) -> str | None:
        """Skip spaces, read the pattern, and return the matched text."""
        matched = re.compile(r"\s*(" + pattern + ")", re.IGNORECASE).match(self.text, self.at)
        if matched is None:
            return None
        self.at = matched.end()
        return matched.group(1)

    def take(self, *words: str) -> str | None:
        for word in words:
            if self.match(word.replace(" ", r"\s+") + r"\b"):
                return word
        return None

    def compares(self) -> str | None:
        """Read a comparison as a word or sign. Return its word, or None if there is none."""
        word = self.take(*COMPARISONS)
        if word is not None:
            return COMPARISONS[word]
        start, sign = self.at, self.match(SIGN)
        if sign is not None and SIGNS[sign] in COMPARISONS:
            return SIGNS[sign]
        self.at = start
        return None

    def quoted(self) -> str | None:
        typed = self.match(r"'[^']*'|\"[^\"]*\"")
        return None if typed is None else typed[1:-1]

    def end(self) -> None:
        if self.text[self.at :].strip():
            raise self.mistake("expected the end of the rule")

    def conditions(self, *, comparing: bool = False) -> list[Condition]:
        """Read one or more conditions joined by `and`.

        Comparisons between columns are accepted if `comparing` is true.
        """
        conditions: list[Condition] = []
        while True:
            column = self.column()
            compared = self.compared(column)
            if compared is not None and not comparing:
                raise self.mistake("two columns can be compared only after 'then'")
            conditions.append(compared or self.items(column))  # type: ignore[arg-type]
            if not self.take("and"):
                return conditions

    def column(self) -> Column:
        """Read a declared column and the word `is` after it. Before a sign, `is` can be omitted."""
        start = self._skip_space()
        typed = self.quoted()
        if typed is not None:
            name, end = self.known_column(typed), self.at
            if not (self.take("is", "are") or self._is_at_sign()):
                raise self.mistake("expected 'is'")
            return self._noted(start, end, name)
        columns = sorted(self.schema.known, key=lambda c: -len(c.name))
        for fold in (0, re.I):
            for column in columns:
                pattern = rf"{re.escape(column.name)}(?:(?i:\s+(?:is|are)\b)|(?=\s*(?:{SIGN})))"
                matched = re.compile(pattern, fold).match(self.text, start)
                if matched:
                    self.at = matched.end()
                    return self._noted(start, start + len(column.name), self.usable(column))
        typed = self.match(rf".+?(?=\s+(?:is|are)\b)|[^'\"]+?(?=\s*(?:{SIGN}))")
        self.at = start
        if typed is None:
            raise self.mistake("expected a column, the word 'is' and a value")
        return self.known_column(typed)

    def _is_at_sign(self) -> bool:
        return bool(re.match(SIGN, self.text[self.at :].lstrip()))

    def _skip_space(self) -> int:
        self.match("")
        return self.at

    def _noted(self, start: int, end: int, column: Column) -> Column:
        self.named.append((start, end, column.name))
        return column

    def known_column(self, typed: str) -> Column:
        names = {c.name: c for c in self.schema.known}
        folded = [c for c in self.schema.known if c.name.casefold() == typed.casefold()]
        if typed in names or len(folded) == 1:
            return self.usable(names.get(typed) or folded[0])
        near = get_close_matches(typed, names, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"the schema declares {', '.join(names)}."
        raise Mistake(f"The rule '{self.text}' names a column '{typed}' that is not declared; {hint}")

    def usable(self, column: Column) -> Column:
        if self.schema.leaves_out(column):
            raise Mistake(
                f"The rule '{self.text}' is about '{column.name}', which is excluded and not modelled."
            )
        if column not in self.schema.modelled and column.name not in self.schema.options:
            raise Mistake(
                f"The rule '{self.text}' is about '{column.name}', which is not modelled under this name. "
                "Write rules about the columns from which it is computed, its options, or its group."
            )
        return column

    def compared(self, column: Column) -> Compare | None:
        """Read a comparison such as `at most OTHER`, where OTHER is a column.

        For any other string, return None and read nothing.
        """
        start = self.at
        operator = self.compares()
        place = self._skip_space()
        typed = (self.quoted() or self.match(r".+?(?=\s*$|\s+(?:and|then)\b)")) if operator else None
        others = [c for c in self.schema.known if typed and c.name.casefold() == typed.casefold()]
        exact = [c for c in others if c.name == typed] or others
        own = typed is not None and (typed in map(spelled, column.values) or re.fullmatch(NUMBER, typed))
        if operator is None or not exact or own:
            self.at = start
            return None
        other = self.usable(exact[0])
        same = column.kind is other.kind
        if not (column.kind.is_ordered and same and column.values == other.values) or column == other:
            raise Mistake(
                f"The rule '{self.text}' compares '{column.name}' ({column.kind}) with '{other.name}' "
                f"({other.kind}): both must be of the same kind, and ordered columns must have the same "
                "values."
            )
        self._noted(place, self.at, other)
        return Compare(column.name, operator, other.name)

    def items(self, column: Column) -> Condition:
        """Read the items after `is`."""
        condition = Condition(column.name)
        start = self.at
        if self.value(column) is None:
            sign = self.match("<>|!=|≠|==?(?![<>=])")
            word = self.take("only", "not", "one of", "either") or (sign and SIGNS[sign])
            condition = replace(condition, negated=word == "not")
            if word == "only" and self.take("if"):
                raise self.mistake("write it as 'if ... then ...'")
        else:
            self.at = start
        while True:
            condition = self.item(column, condition)
            if not (self.match(r",\s*or\b") or self.match(",") or self.take("or")):
                break
        if not (condition.values or condition.ranges or condition.blank):
            raise self.mistake(f"expected a value of '{column.name}'")
        self.check_reach(column, condition)
        return condition

    def item(self, column: Column, condition: Condition) -> Condition:
        """Read one item and add it to the condition."""
        start = self.at
        first = self.value(column)
        if first is None:
            if self.match(r"blank" + STOP):
                return condition.including(blank=True)
            word = self.compares()
            between = None if word else self.take("from", "between")
            first = self.value(column)
            if first is None:
                self.at = start
                raise self.mistake(self.expectation(column))
            if word:
                return self.one_sided(column, condition, word, first)
            if between and not (self.take("to") or self.take("and")):
                raise self.mistake("expected 'to' and the upper end")
            if between:
                return self.span(column, condition, first)
        if self.take("to") or (column.kind.has_range and self.match(r"[\u2013-](?=\s*[\d.])")):
            return self.span(column, condition, first)
        if column.kind.has_range:
            return condition.including(ranges=[Range(_bound(first), _bound(first))])
        return condition.including([first])

    def expectation(self, column: Column) -> str:
        """Return the reason why no value of the column could be read at the cursor, and what to write
        instead.
        """
        ahead = self.text[self.at :].strip().casefold()
        if any(ahead.startswith(f"{c.name.casefold()} is ") for c in self.schema.known):
            return "'or' joins values of one column; for another column, write a second rule"
        if column.kind.has_range:
            kind = "a date like 2020-12-31" if column.kind is Kind.DATE else "a number"
            return f"'{column.name}' needs {kind}, a range like 'at least ...', or blank"
        known = [spelled(v) for v in column.values]
        rest = re.split(r",|\s+(?:or|and|then)\b", self.text[self.at :].strip())[0].strip().strip("'\"")
        if not rest:
            return f"'{column.name}' needs a value, such as '{known[0]}'"
        near = get_close_matches(rest, known, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else f"; declared are {', '.join(known[:8])}"
        more = " and others" if not near and len(known) > 8 else ""
        return f"'{rest}' is not a value of '{column.name}'{hint}{more}"

    def one_sided(self, column: Column, condition: Condition, word: str, end: Value) -> Condition:
        included = word.startswith("at")
        upward = word in ("at least", "above")
        if column.kind.has_range:
            low, high = (_bound(end), None) if upward else (None, _bound(end))
            made = Range(low, high, low_included=included or not upward, high_included=included or upward)
            return condition.including(ranges=[made])
        position = self.position(column, end)
        start = position + (not included) if upward else 0
        stop = len(column.values) if upward else position + included
        return condition.including(column.values[start:stop])

    def span(self, column: Column, condition: Condition, low: Value) -> Condition:
        high = self.value(column)
        if high is None:
            raise self.mistake(self.expectation(column))
        if column.kind.has_range:
            if in_units(_bound(low)) > in_units(_bound(high)):
                raise self.wrong(f"the first end of {low} to {high} is larger than the second")
            return condition.including(ranges=[Range(_bound(low), _bound(high))])
        first, last = self.position(column, low), self.position(column, high)
        if first > last:
            raise self.wrong(f"the first end of {low} to {high} is larger than the second")
        return condition.including(column.values[first : last + 1])

    def position(self, column: Column, value: Value) -> int:
        if column.kind is not Kind.ORDERED or value not in column.values:
            raise self.wrong(f"the values of '{column.name}' have no order; list them with 'or'")
        return column.values.index(value)

    def value(self, column: Column) -> Value | None:
        """Read a value of the column at the cursor. If there is none, return None and read nothing."""
        start = self._skip_space()
        value = self.number(column) if column.kind.has_range else self.listed(column)
        if value is None:
            self.at = start
        elif not column.kind.has_range:
            self.valued[start] = (self.at, value, column)
        return value

    def number(self, column: Column) -> Value | None:
        if column.kind is Kind.DATE:
            typed = self.match(rf"(?:'{DATE}'|\"{DATE}\"|{DATE})(?![\w-])")
            return None if typed is None else parse_date(typed.strip("'\"")).isoformat()
        typed = self.match(NUMBER + r"(?![\w.])")
        if typed is None:
            return None
        number = float(typed)
        if column.kind is Kind.INTEGER and not number.is_integer():
            raise self.wrong(f"'{column.name}' contains whole numbers, but {typed} is not a whole number")
        return int(number) if number.is_integer() else number

    def listed(self, column: Column) -> Value | None:
        typed = self.quoted()
        if typed is not None:
            return find_value(typed, column)
        if not column.values:
            start = self.at
            if self.match(
                r"(?:only|not|one\s+of|either|blank|from|between|at\s+least|at\s+most|below|above)\b"
            ):
                self.at = start
                return None
            return self.match(r"[^\s,](?:.*?)" + STOP)
        texts = {spelled(value): value for value in choices(column)} | meanings(column)
        for fold in (0, re.I):
            for text in sorted(texts, key=len, reverse=True):
                pattern = re.compile(r"\s*" + re.escape(text) + r"(?i:" + STOP + ")", fold)
                matched = pattern.match(self.text, self.at)
                if matched:
                    self.at = matched.end()
                    return texts[text]
        return None

    def check_reach(self, column: Column, condition: Condition) -> None:
        """Raise `Mistake` if a range is completely outside the declared range, which is probably a typing
        error.
        """
        if column.min is None or column.max is None:
            return
        low, high = in_units(column.min), in_units(column.max)
        for made in condition.ranges:
            start, stop = made.span(column.kind)
            if start > high or stop <= low:
                raise self.wrong(
                    f"no value of '{column.name}' is {made}; its declared range is {column.min} to "
                    f"{column.max}"
                )


def _ended(reason: str) -> str:
    return reason if reason.endswith("?") else f"{reason}."


def _bound(value: Value) -> Bound:
    """Return a value read by `Reader.number`: a number or an ISO date, never true or false."""
    return value
