"""How a rule writes the values of a column, and which value was meant by a text or a label."""

from __future__ import annotations

from synth.core.schema import Column, Value


def choices(column: Column) -> tuple[Value, ...]:
    """Values a rule may name: the declared ones, and the label for other values where the column has one."""
    label = (column.other_label,) if column.outside_rule.value == "other" else ()
    return (*column.values, *label)


def spelled(value: Value) -> str:
    """How a value is written in a rule."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def meanings(column: Column) -> dict[str, Value]:
    """The labels by which values may be called: those that are no value's text and no other value's label,
    in any case."""
    labels = [label.casefold() for label in column.labels]
    taken = {spelled(value).casefold() for value in choices(column)}
    return {
        label: value
        for label, value in zip(column.labels, column.values, strict=False)
        if label and label.casefold() not in taken and labels.count(label.casefold()) == 1
    }


def called(value: Value, column: Column) -> str:
    """What a rule calls a value: its label where that is no other's, else its text."""
    kind = type(value)  # true is another value than 1
    mine = (label for label, own in meanings(column).items() if own == value and type(own) is kind)
    return next(mine, spelled(value))


def find_value(typed: Value, column: Column) -> Value | None:
    """The declared value that was typed: the same value, else the same text, else the same but for case, else
    the value of that label."""
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
