"""Translate conditions on options to the columns that represent them, and keep these columns consistent.

The options of a multiple-choice column are modelled jointly (`core.columns.combinations`). A rule names an
option like a yes/no column, such as `'hobby: art' is yes`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from synth.core.columns.combinations import EMPTY, NO, YES, Choices
from synth.core.schema import Schema
from synth.rules.terms import Allow, Compare, Condition, Forbid, Part, Rule

MOST_TOGETHER = 2_000
"""Largest number of combinations of two parts in a rule that they cannot all be empty."""


def on_parts(rule: Rule, schema: Schema) -> Rule:
    """Return the rule with conditions on modelled columns instead of options. Its sentence is unchanged."""
    if not schema.options.keys() & {*rule.columns}:
        return rule
    return replace(rule, parts=tuple(_translated(part, schema) for part in rule.parts))


def condition_on_part(condition: Condition, schema: Schema) -> Condition:
    """Return a condition on an option as a condition on the column that represents it."""
    if condition.column not in schema.options:
        return condition
    choices, place = schema.options[condition.column]
    part, having = choices.where(place)
    values = tuple(label for label in part.labels if (YES if label in having else NO) in condition.values)
    return replace(condition, column=part.name, values=values)


def _translated(part: Part, schema: Schema) -> Part:
    if isinstance(part, Allow):
        rows = tuple(_merged([condition_on_part(c, schema) for c in row], schema) for row in part.rows)
        return Allow(tuple(c.column for c in rows[0]), rows)
    if isinstance(part, Compare):
        return replace(part, given=tuple(condition_on_part(c, schema) for c in part.given))
    return replace(part, conditions=tuple(condition_on_part(c, schema) for c in part.conditions))


def _merged(conditions: Sequence[Condition], schema: Schema) -> tuple[Condition, ...]:
    """Return one condition for each column, which holds if all conditions on this column hold."""
    found: dict[str, Condition] = {}
    for condition in conditions:
        other = found.setdefault(condition.column, condition)
        if other is not condition:
            labels = schema.column(condition.column).values
            kept = tuple(v for v in labels if _holds(other, v) and _holds(condition, v))
            blank = (other.blank and not other.negated) and (condition.blank and not condition.negated)
            found[condition.column] = Condition(condition.column, kept, blank=blank)
    return tuple(found.values())


def _holds(condition: Condition, value: object) -> bool:
    return (value in condition.values) is not condition.negated


def agreeing(choices: Choices) -> Iterator[Rule]:
    """Yield the rules that all parts of a multiple-choice column, or none, are blank or have the option that
    excludes the others, and that a row with options has one.
    """
    together = [Condition(part.name, blank=True) for part in choices.parts]
    for blank in [together] * choices.blank:
        yield from _all_or_none(blank)
    if choices.exclusive is not None and len(choices.parts) > 1:
        label = choices.options[choices.exclusive]
        yield from _all_or_none([Condition(part.name, (label,)) for part in choices.parts])
    can_be_empty = not choices.joint or (choices.keeps_empty and choices.exclusive is None)
    is_small = math.prod(len(part.sets) + 1 for part in choices.parts) <= MOST_TOGETHER
    if len(choices.parts) > 1 and is_small and not can_be_empty:
        empty = tuple(Condition(part.name, (EMPTY,)) for part in choices.parts)
        sentence = "never " + " and ".join(c.clause() for c in empty)
        yield Rule(sentence, (Forbid(empty),), stated=False)


def _all_or_none(conditions: Sequence[Condition]) -> Iterator[Rule]:
    for pair in pairwise(conditions):
        for one, other in (pair, pair[::-1]):
            sentence = f"if {one.clause()} then {other.clause()}"
            yield Rule(sentence, (Forbid((one, other.opposite())),), stated=False)
