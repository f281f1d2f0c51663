"""Forms for the options of a mechanism or generator, and for the marginals to preserve."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import Field, replace
from types import MappingProxyType
from typing import Any

import streamlit as st

from synth.app.project.store import Method
from synth.app.ui import layout, state
from synth.app.ui.text import method as text
from synth.core.options import options_of


def label_of(option: Field[Any]) -> str:
    """Return the label of an option, with its unit."""
    label, unit = option.metadata["label"], option.metadata["unit"]
    return f"{label} ({unit})" if unit else str(label)


def changed(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that differ from the defaults of a mechanism or generator."""
    return {o.name: values[o.name] for o in options_of(kind) if values.get(o.name, o.default) != o.default}


def options_form(
    kind: type,
    values: Mapping[str, Any],
    *,
    key: str,
    without: Collection[str] = (),
    columns: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Draw the options of a mechanism or generator, and return those that differ from the defaults. `columns`
    has the titles of the columns that an option may name, by name.
    """
    options = [o for o in options_of(kind) if o.name not in without]
    if not options:
        st.caption("This method has no settings.")
    given = {
        o.name: _column_box(o, values.get(o.name, o.default), columns, key=f"{key}-{o.name}")
        if o.metadata["is_column"]
        else _box(o, values.get(o.name, o.default), key=f"{key}-{o.name}")
        for o in options
    }
    return changed(kind, given)


def _column_box(option: Field[Any], value: str, columns: Mapping[str, str], *, key: str) -> str:
    """Let the user choose one column, or none."""
    names = ("", *columns)
    return st.selectbox(
        label_of(option),
        names,
        names.index(value) if value in names else 0,
        format_func=lambda name: columns.get(name, "None"),
        help=option.metadata["help"],
        key=key,
    )


def _box(option: Field[Any], value: Any, *, key: str) -> Any:
    label, note, default = label_of(option), option.metadata["help"], option.default
    if isinstance(default, bool):
        return st.toggle(label, value=value, help=note, key=key)
    if isinstance(default, (int, float)):
        kind, ends = type(default), (option.metadata["low"], option.metadata["high"])
        low, high = (None if end is None else kind(end) for end in ends)
        step = 1 if kind is int else 0.05
        given = st.number_input(label, low, high, kind(value), step, help=note, key=key)
        return default if given is None else given
    return st.text_input(label, str(value), help=note, key=key)


def goals(method: Method) -> Method:
    """Ask which marginals to preserve, and how many rows to generate."""
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    with left:
        state.start_value("workload", method.workload)
        workload = layout.one_of("Preserve", text.WORKLOAD_CHOICES, key="workload")
    with right:
        rows = st.number_input(
            "Rows to generate",
            1,
            10_000_000,
            method.rows,
            placeholder="as estimated",
            help="Leave empty to generate about as many rows as the table has, by a noisy estimate.",
            key="rows",
        )
    return replace(method, rows=rows, workload=workload)
