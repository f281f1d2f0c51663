"""Convert between the values of a column and the strings or labels that rules use for them."""

from __future__ import annotations

from synth.core.schema import Column, Value


def choices(column: Column) -> tuple[Value, ...]:
    """Return the values that a rule may name.

    These are the declared values, and the label for other values if there is one.
    """
    label = (column.other_label,) if column.outside_rule.value == "other" else ()
    return (*column.values, *label)


def spelled(value: Value) -> str:
    """Return the text of a value in a rule."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def meanings(column: Column) -> dict[str, Value]:
    """Return the labels that can be used for values.

    A label can be used if it is neither the text of a value nor the label of another value, ignoring case.
    """
    labels = [label.casefold() for label in column.labels]
    taken = {spelled(value).casefold() for value in choices(column)}
    return {
        label: value
        for label, value in zip(column.labels, column.values, strict=False)
        if label and label.casefold() not in taken and labels.count(label.casefold()) == 1
    }


def called(value: Value, column: Column) -> str:
    """Return the name of a value in rules, which is its label if no other value has that name, otherwise its
    text.
    """
    kind = type(value)  # true and 1 are different values
    mine = (label for label, own in meanings(column).items() if own == value and type(own) is kind)
    return next(mine, spelled(value))


def find_value(typed: Value, column: Column) -> Value | None:
    """Return the declared value that a typed string means.

    The first match is returned: the same value, the same text, the same text ignoring case, or the value with
    that label.
    """
    known = choices(column)
    if not column.values:
        return typed
    exact = [v for v in known if v == typed and isinstance(v, bool) == isinstance(typed, bool)]
    same = exact or [v for v in known if spelled(v) == spelled(typed)]
    folded = same or [v for v in known if spelled(v).casefold() == spelled(typed).casefold()]
    meant = {label.casefold(): value for label, value in meanings(column).items()}
    if not folded:
        return meant.get(spelled(typed).casefold())
    return folded[0] if len(folded) == 1 or same else None
