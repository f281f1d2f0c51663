"""Check a declared table, and describe problems with the declarations.

A run can start only if `problems` is empty. The problems contain no private facts. `dictionaries.remarks`
reports valid but unusual declarations.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise

from synth.core.cells.words import plain
from synth.core.columns.check import circle_problems, group_problems, own_problems
from synth.core.discretisation import DEFAULT_BINS, KEEP_EVERY_VALUE, multiples_in
from synth.core.errors import Mistake
from synth.core.numbers import exactly
from synth.core.schema import Binning, Bound, Column, Kind, Outside, Provenance, Schema, Value, in_units
from synth.dictionaries.words import FIELD_NAMES, Words

NONE_LEFT = (
    "The schema leaves no column to synthesise: each is excluded, is the ID column, or has no domain yet."
)
MOST_BINS = 1_000_000
"""Maximum number of bins in a range. With more bins, no noisy table of the column would be useful."""
MOST_HEAPS = 1000
"""Maximum number of heaps in a range. With more heaps, few people would share each of them."""
LARGEST_WHOLE = 2**53
"""Maximum whole number that can be distinguished from its neighbours as a floating-point edge."""


def show(value: object) -> str:
    """Format a typed value for a sentence. Strings are quoted, and long values are shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    written = f"'{value}'" if isinstance(value, str) else str(value)
    return written if len(written) <= 60 else written[:56] + " ..."


def text_of(value: Value) -> str:
    """Format a declared value as in a file. Two values with the same text cannot be distinguished."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_WHOLE:
        return str(int(value))
    return str(value).strip()


def span_of(column: Column) -> tuple[float, float] | None:
    """Return the smallest and largest value of a checked range column, or None if they are not declared.

    Dates are in days.
    """
    if column.min is None or column.max is None:
        return None
    return in_units(column.min), in_units(column.max)


def cells_of(column: Column) -> int | None:
    """Return the number of declared cells, without blanks, or None if the domain is not estimated yet."""
    if column.kind.has_values:
        return len(column.values) or None
    span = span_of(column)
    if span is None:
        return None
    if column.cuts:
        return len(column.cuts) + 1
    if column.multiple:
        first, last = multiples_in(*span, column.multiple)
        count = max(last - first + 1, 1)
        if column.step is not None:
            return math.ceil(count / max(column.step / column.multiple, 1))
        return min(count, column.bins or (count if count <= KEEP_EVERY_VALUE else DEFAULT_BINS))
    whole = column.kind is not Kind.DECIMAL
    width = span[1] - span[0] + whole
    if column.step is not None:
        return math.ceil(width / column.step)
    if column.bins is not None:
        return min(column.bins, int(width)) if whole else column.bins
    return int(width) if column.kind is Kind.INTEGER and width <= 64 else min(32, int(width)) if whole else 32


def problems(schema: Schema, words: Words = FIELD_NAMES) -> tuple[str, ...]:
    """Return one sentence for each problem that makes the schema unusable. A valid schema has no problems."""
    found = [*_table_problems(schema, words), *_column_problems(schema, words), *group_problems(schema)]
    return tuple(dict.fromkeys(found or circle_problems(schema)))


def check_schema(schema: Schema, words: Words = FIELD_NAMES) -> None:
    """Raise `Mistake` if there are problems, with one sentence per line."""
    if sentences := problems(schema, words):
        raise Mistake("\n".join(sentences))


def _table_problems(schema: Schema, words: Words) -> Iterator[str]:
    for label, value in (("name", schema.name), ("population", schema.population)):
        if not value.strip():
            yield f"The schema's {label!r} is empty; enter a text."
    if schema.unit.max_rows < 1:
        yield (
            "The schema's unit: 'max_rows' must be a whole number of at least 1 "
            f"(you gave {schema.unit.max_rows})."
        )
    rows = schema.rows_public
    if rows is not None and (isinstance(rows, bool) or rows < 1):
        yield (
            "The schema: 'rows_public' must be the publicly known number of rows, such as 26000, or be "
            f"left out (you gave {show(rows)})."
        )
    names = [c.name for c in schema.columns]
    for name in dict.fromkeys(n for n in names if names.count(n) > 1):
        yield f"The column {show(name)} is declared {_times(names.count(name))}; keep only one declaration."
    id_column = schema.unit.id_column
    if id_column is not None and id_column not in names:
        yield (
            f"The ID column {show(id_column)} is not declared{_or_nearest(id_column, names)}. Declare it, "
            f"or correct its name {words.id_place}."
        )
    if not schema.modelled:
        yield NONE_LEFT
    file = schema.file
    if file.quote and file.quote == file.delimiter:
        yield f"The schema's file: delimiter and quote are the same character ({show(file.quote)})."
    if file.thousands == file.decimal_sign:
        yield f"The schema's file: decimals and thousands have the same sign ({show(file.thousands)})."


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def _column_problems(schema: Schema, words: Words) -> Iterator[str]:
    for column in schema.columns:
        if column.provenance is Provenance.READ_FROM_FILE and not schema.file_is_public:
            yield (
                f"Column {show(column.name)}: the domain may be read from the file only if the file itself "
                f"is public; declare it in another way, {words.not_from_file}."
            )
        if not column.name.strip():
            yield "A column has an empty name; give every column a name."
        for sentence in own_problems(column, schema):
            yield f"Column {show(column.name)}: {sentence}"
        if schema.leaves_out(column) or column.formula:
            continue
        rule = _value_problems if column.kind.has_values else _range_problems
        for sentence in (*_common_problems(column), *_format_problems(column, schema), *rule(column, words)):
            yield f"Column {show(column.name)}: {sentence}"


def _common_problems(column: Column) -> Iterator[str]:
    if not (math.isfinite(column.weight) and column.weight >= 0):
        yield f"the weight must be a number of at least 0 (you gave {column.weight})."
    declared = bool(column.values) or (column.min is not None and column.max is not None)
    if column.buy and declared and column.provenance is not Provenance.ESTIMATED:
        yield (
            "the domain is declared and also marked for estimation; keep the declaration or set 'buy' "
            "to false."
        )
    if column.outside is Outside.CLAMP and column.kind.has_values:
        yield "a list of values has no ends for clamping; set 'outside' to missing or other."
    if column.outside is Outside.OTHER and column.kind.has_range:
        yield (
            f"a column of kind {column.kind} cannot contain the text {show(column.other_label)}; set "
            "'outside' to clamp or missing."
        )


def _format_problems(column: Column, schema: Schema) -> Iterator[str]:
    """Yield the problems with the signs and the order of dates that a column declares."""
    own = {"decimal_sign": column.decimal_sign, "thousands": column.thousands}
    stated = [name for name, sign in own.items() if sign is not None]
    if column.date_order is not None and column.kind is not Kind.DATE:
        yield "only dates have a 'date_order'; remove it."
    if not stated:
        return
    if column.kind is Kind.DATE:
        yield f"dates have no {stated[0]!r}; remove it."
    form = schema.file.of(column)
    if form.decimal_sign == form.thousands:
        yield (
            f"decimals and thousands have the same sign ({show(form.thousands)}); state both "
            "'decimal_sign' and 'thousands'."
        )
    elif not form.quote and form.delimiter in (form.decimal_sign, form.thousands):
        yield f"its numbers contain the delimiter ({show(form.delimiter)}), and cells are not in quotes."


def _value_problems(column: Column, words: Words) -> Iterator[str]:
    for field in ("min", "max", "bins", "step", "multiple", "heaps", "decimals", "cuts", "points"):
        value = getattr(column, field)
        if value is not None and value != ():
            yield (
                f"a column of kind {column.kind} has no {field!r} (you gave {show(value)}); "
                "list its 'values'."
            )
    if column.binning is not Binning.UNIFORM:
        yield f"a column of kind {column.kind} is not divided into bins; remove 'binning'."
    if not column.values and not column.buy:
        yield f"{words.values_missing}; enter it, or {words.buy_list}."
    texts = [plain(text_of(v)) for v in column.values]
    times = Counter(texts)
    first = dict(zip(reversed(texts), reversed(column.values), strict=True))
    for text, value in reversed(first.items()):
        if times[text] > 1:
            yield f"{show(value)} appears {_times(times[text])}."
    for value in column.values:
        if isinstance(value, float) and not math.isfinite(value):
            yield f"{value} is not a valid value; remove it from the list."
        elif isinstance(value, int) and abs(value) >= LARGEST_WHOLE:
            yield f"{value} is too large to be read as an exact number; write it as text, in quotes."
    yield from _label_problems(column, len(column.values), "values")
    yield from _reads_problems(column, texts)
    for token in (token for token in column.missing if plain(token) in texts):
        yield f"{show(token)} is a declared value and also means missing; keep one."
    if column.outside is Outside.OTHER and column.other_label.strip() in texts:
        yield (
            f"{show(column.other_label)} is a declared value and also the label for values outside the list; "
            "choose another 'other_label'."
        )
    elif (
        column.outside is Outside.OTHER
        and column.write_labels
        and column.other_label.strip() in map(str.strip, column.labels)
    ):
        yield (
            f"{show(column.other_label)} is the label of a value in the CSV and also of values outside the "
            "list; choose another 'other_label'."
        )


def _label_problems(column: Column, count: int, what: str) -> Iterator[str]:
    """Yield the problems with labels for `count` values or bands, each of which needs a unique label."""
    if not column.labels:
        if column.write_labels:
            yield "the CSV should contain its labels, but it has none; add labels, or remove this setting."
        return
    if len(column.labels) != count:
        yield f"it has {len(column.labels)} labels for {count} {what}; give one for each."
        return
    shown = [label.strip() or text_of(v) for label, v in zip(column.labels, column.values, strict=False)]
    shown = shown or [label.strip() for label in column.labels if label.strip()]
    times = Counter(shown)
    for label in (label for label in times if times[label] > 1):
        yield f"{_times(times[label])} the label {show(label)}; each of the {what} needs a unique label."


def _reads_problems(column: Column, texts: Sequence[str]) -> Iterator[str]:
    """Yield the problems with additional strings that are read as values."""
    if not column.reads:
        return
    if len(column.reads) != len(texts):
        yield f"'reads' has {len(column.reads)} lists for {len(texts)} values; give one for each."
        return
    owner = dict(zip(texts, texts, strict=True))
    for value, others in zip(texts, column.reads, strict=True):
        for text in map(plain, others):
            if owner.setdefault(text, value) != value:
                yield f"the text {show(text)} is read as {show(owner[text])} and as {show(value)}; keep one."


def _cut_problems(column: Column, words: Words, *, span: tuple[float, float] | None) -> Iterator[str]:
    """Yield the problems with the cuts of a range. `span` is the range if it is valid."""
    if not column.cuts:
        return
    for cut in column.cuts:
        if (sentence := _bound_problem(column.kind, "cuts", cut)) is not None:
            yield sentence
            return
    places = [in_units(cut) for cut in column.cuts]
    if any(a >= b for a, b in pairwise(places)):
        given = ", ".join(map(text_of, column.cuts))
        yield f"{words.cuts} must be in increasing order (you gave {given})."
    elif span is not None and places and not span[0] < places[0] <= places[-1] <= span[1]:
        wrong = column.cuts[0] if not span[0] < places[0] else column.cuts[-1]
        yield (
            f"{words.cuts} must be above the smallest value and at most the largest (you gave {show(wrong)})."
        )
    if column.bins is not None or column.step is not None or column.binning is not Binning.UNIFORM:
        yield f"{words.cuts} already divide the range; remove {words.bins}, {words.step} and 'binning'."


def _range_problems(column: Column, words: Words) -> Iterator[str]:
    if column.values:
        yield (
            f"a column of kind {column.kind} has no 'values'; give 'min' and 'max', "
            "or choose the kind ordered or category."
        )
    sound = True
    for field in ("min", "max"):
        value = getattr(column, field)
        if value is None and not column.buy:
            missing = words.end_missing.format(end=_end(field), field=field)
            yield f"{missing}; enter it, or {words.buy_range}."
        sentence = None if value is None else _bound_problem(column.kind, field, value)
        sound = sound and value is not None and sentence is None
        if sentence:
            yield sentence
    if sound:
        span = span_of(column)
        if span is not None and not span[0] < span[1]:
            yield (
                "the largest value must be above the smallest "
                f"(you gave min {column.min} and max {column.max})."
            )
        yield from _point_problems(column, words)
        for field in ("multiple", "heaps"):
            yield from _multiple_problems(column, field)
    yield from _cut_problems(column, words, span=span_of(column) if sound else None)
    if column.labels and not column.cuts:
        yield (
            f"labels name the bands between {words.cuts}, but there are none; add some, or remove the labels."
        )
    else:
        yield from _label_problems(column, len(column.cuts) + 1, "bands")
    if column.write_labels and column.labels and not all(label.strip() for label in column.labels):
        yield "the CSV should contain the names of its bands, so every band needs a name."
    if column.decimals is not None and column.kind is not Kind.DECIMAL:
        yield "only a decimal column has decimals; remove them."
    if column.bins is not None and column.step is not None:
        yield (
            f"give either {words.bins} or {words.step} (you gave {column.bins} bins and a width of "
            f"{exactly(column.step)})."
        )
    if column.bins is not None and not 1 <= column.bins <= MOST_BINS:
        yield f"{words.bins} must be a whole number from 1 to {MOST_BINS:,} (you gave {column.bins})."
    yield from _step_problems(column, words)


def _point_problems(column: Column, words: Words) -> Iterator[str]:
    span = span_of(column)
    for point in column.points:
        if (sentence := _bound_problem(column.kind, "points", point)) is not None:
            yield sentence
        elif span is not None and not span[0] <= in_units(point) <= span[1]:
            yield f"{words.points_outside} (you gave {show(point)})."


def _multiple_problems(column: Column, field: str) -> Iterator[str]:
    """Yield the problems with a field that declares multiples, for a column with a valid range."""
    size = getattr(column, field)
    if size is None:
        return
    if column.kind is Kind.DATE:
        yield f"dates have no {field!r} (you gave {exactly(size)})."
    elif not (math.isfinite(size) and size > 0) or (column.kind is Kind.INTEGER and size != int(size)):
        yield f"{field!r} must be above 0, and whole for whole numbers (you gave {exactly(size)})."
    elif (span := span_of(column)) is not None:
        first, last = multiples_in(*span, size)
        if last <= first:
            yield f"the range must contain at least two multiples of {exactly(size)}."
        elif field == "heaps" and last - first > MOST_HEAPS:
            yield f"the range has more than {MOST_HEAPS} multiples of {exactly(size)}; choose larger heaps."


def _or_nearest(name: str, declared: Sequence[str]) -> str:
    near = get_close_matches(name, declared, n=1)
    return f" (did you mean {show(near[0])}?)" if near else ""


ZERO_FIRST = re.compile(r"-?0\d+")
"""Pattern of a whole number that begins with a zero, such as a postcode."""


def _end(field: str) -> str:
    return {"min": "smallest", "max": "largest", "cuts": "cut's"}.get(field, "own-bin")


def _bound_problem(kind: Kind, field: str, value: Bound) -> str | None:
    if kind is Kind.DATE:
        try:
            dt.date.fromisoformat(value if isinstance(value, str) else "")
        except ValueError:
            return (
                f"the {_end(field)} date must be written year-month-day, like 2020-12-31 "
                f"(you gave {show(value)})."
            )
        return None
    if isinstance(value, str | bool) or not math.isfinite(value):
        if isinstance(value, str) and ZERO_FIRST.fullmatch(value):
            return (
                f"the {_end(field)} value begins with a zero, which a number would lose (you gave "
                f"{show(value)}). Write {int(value)}, or list the values if the zeros are part of them."
            )
        marks = (
            " with a decimal point and without thousands separators"
            if any(map(str.isdigit, str(value)))
            else ""
        )
        return f"the {_end(field)} value must be a number{marks} (you gave {show(value)})."
    if kind is Kind.INTEGER and value != int(value):
        return f"the {_end(field)} value must be a whole number (you gave {value})."
    if kind is Kind.INTEGER and abs(value) >= LARGEST_WHOLE:
        return f"the {_end(field)} value is too large to be divided exactly (you gave {value})."
    return None


def _step_problems(column: Column, words: Words) -> Iterator[str]:
    step = column.step
    if step is None:
        return
    if not (math.isfinite(step) and step > 0):
        yield f"{words.step} must be a number above 0 (you gave {exactly(step)})."
        return
    if column.kind is not Kind.DECIMAL and step != int(step):
        unit = "days" if column.kind is Kind.DATE else "values"
        yield f"{words.step} must be a whole number of {unit} (you gave {exactly(step)})."
    if not any(
        _bound_problem(column.kind, f, getattr(column, f))
        for f in ("min", "max")
        if getattr(column, f) is not None
    ):
        cells = cells_of(column) if column.bins is None else None
        if cells is not None and cells > MOST_BINS:
            yield (
                f"a width of {exactly(step)} divides the range into {cells:,} bins, more than "
                f"{MOST_BINS:,}; choose a larger width."
            )
