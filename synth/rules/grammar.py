"""Parse rules that are written as sentences.

    rule       = "if" conditions "then" conditions | "never" conditions | conditions | share
    share      = "the share of records where" conditions "should be" wanted
    wanted     = [ "hidden as" ] number [ "%" ] | "as in the table"
    conditions = condition { "and" condition }
    condition  = column "is" [ "only" | "not" | "one of" ] item { ("or" | ",") item }
               | column "is" comparison column                        (after "then" only)
    item       = value | value "to" value | comparison value | "from" value "to" value
               | "between" value "and" value | "blank"
    comparison = "at least" | "at most" | "below" | "above" (also under, less than, over, more than)

Signs can replace words: `>=` or `≥`, `<=` or `≤`, `<`, `>`, `=`, and `!=` or `≠`, with or without `is` before
them. The words of the grammar are not case-sensitive. Columns and values can be written with or without
quotes. If a name without quotes matches several declared names, the longest name is used. A label can be used
instead of its value, unless another value or label has the same name. `is only x` means the same as `is x`.
`synth.rules.terms` explains the ends of ranges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from synth.core.errors import Mistake
from synth.core.schema import Column, Schema
from synth.rules.reader import NUMBER, Reader
from synth.rules.spelling import called, spelled
from synth.rules.terms import (
    AS_TABLE,
    HIDDEN_AS,
    SHARE_OF,
    SHOULD_BE,
    Compare,
    Condition,
    Forbid,
    Part,
    Rule,
    Share,
    quoted,
)


def parse_sentence(text: str, schema: Schema) -> Rule:
    """Return a sentence as a rule.

    Raises: `Mistake`, with a quote of the sentence and of the part that was not understood.
    """
    return _sentence(Reader(text.strip().removesuffix("."), schema))


def rename_columns(text: str, schema: Schema, names: Mapping[str, str]) -> str:
    """Return the sentence with renamed columns and no other changes. `schema` contains the old names.

    Raises: `Mistake` as in `parse_sentence`.
    """
    reader = Reader(text.strip().removesuffix("."), schema)
    _sentence(reader)
    changed = reader.text
    for start, end, name in sorted(reader.named, reverse=True):
        if name in names:
            changed = f"{changed[:start]}{quoted(names[name])}{changed[end:]}"
    return changed


def labelled(text: str, schema: Schema) -> str:
    """Return the sentence with labels in place of labelled values, and no other changes.

    A text that is not a sentence of the grammar is returned unchanged.
    """
    reader = Reader(text, schema)
    try:
        _sentence(reader)
    except Mistake:
        return text
    changed = reader.text
    for start, (end, value, column) in sorted(reader.valued.items(), reverse=True):
        if called(value, column) != spelled(value):
            changed = f"{changed[:start]}{quoted(called(value, column))}{changed[end:]}"
    return changed


def _sentence(reader: Reader) -> Rule:
    if reader.take(SHARE_OF):
        return _share(reader)
    given: list[Condition] = []
    if reader.take("never"):
        given = reader.conditions()
        reader.end()
        return Rule(never_text(given), (Forbid(tuple(given)),), never_text(given))
    if reader.take("if"):
        given = reader.conditions()
        if not reader.take("then"):
            raise reader.mistake("expected 'and', 'or' or 'then'")
    wanted = reader.conditions(comparing=True)
    reader.end()
    parts = tuple(_part(given, want, reader) for want in wanted)
    clauses = " and ".join(w.clause(only=True) if isinstance(w, Condition) else w.clause() for w in wanted)
    sentence = f"if {' and '.join(c.clause() for c in given)} then {clauses}" if given else clauses
    return Rule(sentence, parts, sentence)


def _share(reader: Reader) -> Rule:
    conditions = tuple(reader.conditions())
    if not reader.take(SHOULD_BE):
        raise reader.mistake(f"expected 'and' or '{SHOULD_BE}'")
    if reader.take(AS_TABLE):
        share = Share(conditions)
    else:
        hides = reader.take(HIDDEN_AS) is not None
        typed = reader.match(NUMBER)
        if typed is None:
            raise reader.mistake(f"expected a share such as 0.2 or 20%, or the words '{AS_TABLE}'")
        wanted = float(Decimal(typed).scaleb(-2)) if reader.match("%") else float(typed)
        if not 0 <= wanted <= 1:
            raise reader.wrong("a share must be between 0 and 1")
        share = Share(conditions, wanted, hides)
    reader.end()
    return Rule(share.sentence(), (share,), share.sentence())


def parse_condition(text: str, column: Column, schema: Schema) -> Condition:
    """Return the condition on a column from the text after `is`, for rules that are written as JSON objects.

    Raises: `Mistake`.
    """
    reader = Reader(text.strip(), schema)
    condition = reader.items(column)
    reader.end()
    return condition


def never_text(conditions: list[Condition]) -> str:
    """Return the sentence that forbids the combination of these conditions."""
    return "never " + " and ".join(c.clause() for c in conditions)


def _part(given: list[Condition], want: Condition | Compare, reader: Reader) -> Part:
    if isinstance(want, Condition):
        return Forbid((*given, want.opposite()))
    if {want.left, want.right} & {c.column for c in given}:
        raise reader.wrong("a column that is compared cannot also be used after 'if'")
    return replace(want, given=tuple(given))
