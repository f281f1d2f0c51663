"""Forms drawn from declarations: a mechanism's fields, and what its table should be good at."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import Field, dataclass, replace
from typing import Any

import streamlit as st

from synth.mechanisms import MECHANISMS
from synth.options import options_of
from synth.project.store import Method
from synth.ui import layout, state, text


@dataclass(frozen=True, kw_only=True)
class FormBox:
    """One box of a form, derived from a dataclass field and its metadata."""

    name: str
    label: str
    help: str
    default: Any
    low: float | None
    high: float | None

    @staticmethod
    def of(field: Field[Any]) -> FormBox:
        unit = field.metadata.get("unit", "")
        label = field.metadata["label"] + (f" ({unit})" if unit else "")
        return FormBox(
            name=field.name,
            label=label,
            help=field.metadata["help"],
            default=field.default,
            low=field.metadata.get("low"),
            high=field.metadata.get("high"),
        )


def boxes_of(kind: type) -> tuple[FormBox, ...]:
    """The boxes of the form of a mechanism or a generator, in the order of its fields."""
    return tuple(FormBox.of(field) for field in options_of(kind))


def changed(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Only what differs from the defaults of a mechanism or a generator."""
    return {e.name: values[e.name] for e in boxes_of(kind) if values.get(e.name, e.default) != e.default}


def options_form(
    kind: type, values: Mapping[str, Any], *, key: str, without: Collection[str] = ()
) -> dict[str, Any]:
    """Draw the options of a mechanism or a generator; returns those that differ from its defaults."""
    boxes = [e for e in boxes_of(kind) if e.name not in without]
    if not boxes:
        st.caption(text.OPTIONS_NONE)
    given = {e.name: _box(e, values.get(e.name, e.default), key=f"{key}-{e.name}") for e in boxes}
    return changed(kind, given)


def _box(entry: FormBox, value: Any, *, key: str) -> Any:
    if isinstance(entry.default, bool):
        return st.toggle(entry.label, value=value, help=entry.help, key=key)
    if isinstance(entry.default, (int, float)):
        kind = type(entry.default)
        low = None if entry.low is None else kind(entry.low)
        high = None if entry.high is None else kind(entry.high)
        step = 1 if kind is int else 0.05
        given = st.number_input(entry.label, low, high, kind(value), step, help=entry.help, key=key)
        return entry.default if given is None else given
    return st.text_input(entry.label, str(value), help=entry.help, key=key)


def method_form(method: Method) -> Method:
    """What the table should be good at, how many rows to make, and the method's own settings."""
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    with left:
        state.start_value("workload", method.workload)
        workload = layout.one_of(text.WORKLOAD_LABEL, text.WORKLOAD_CHOICES, key="workload")
    with right:
        rows = st.number_input(
            text.ROWS_LABEL,
            1,
            10_000_000,
            method.rows,
            placeholder=text.ROWS_EMPTY,
            help=text.ROWS_HELP,
            key="rows",
        )
    with st.expander(text.OPTIONS_TITLE, icon=":material/settings:"):
        options = options_form(MECHANISMS[method.name], method.options, key=method.name)
    return replace(method, options=options, rows=rows, workload=workload)
