"""Forms drawn from declarations: a mechanism's fields, a budget."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import Field, dataclass, replace
from typing import Any

import streamlit as st

from synth.mechanisms import MECHANISMS
from synth.options import options_of
from synth.ui import state, text
from synth.ui.project import Budget, Method
from synth.ui.text import budget as words

EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0)
MOST_ROWS = 10**10
SMALLEST, LARGEST = 0.01, 20.0
HIGH = 5.0
"""Above this the page warns."""

SMALL = 0.5
"""Below this holding something back for comparing tells little."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One box of a form, derived from a dataclass field and its metadata."""

    name: str
    label: str
    help: str
    default: Any
    low: float | None
    high: float | None

    @staticmethod
    def of(field: Field[Any]) -> Entry:
        unit = field.metadata.get("unit", "")
        label = field.metadata["label"] + (f" ({unit})" if unit else "")
        return Entry(
            name=field.name,
            label=label,
            help=field.metadata["help"],
            default=field.default,
            low=field.metadata.get("low"),
            high=field.metadata.get("high"),
        )


def entries_of(kind: type) -> tuple[Entry, ...]:
    """The boxes of the form of a mechanism or a generator, in the order of its fields."""
    return tuple(Entry.of(field) for field in options_of(kind))


def changed(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Only what differs from the defaults of a mechanism or a generator."""
    return {e.name: values[e.name] for e in entries_of(kind) if values.get(e.name, e.default) != e.default}


def nearest(epsilon: float) -> float:
    """The step of the slider that is closest to a typed value, by ratio."""
    return min(EPSILONS, key=lambda step: max(step / epsilon, epsilon / step))


def options_form(
    kind: type, values: Mapping[str, Any], *, key: str, without: Collection[str] = ()
) -> dict[str, Any]:
    """Draw the options of a mechanism or a generator; returns those that differ from its defaults."""
    entries = [e for e in entries_of(kind) if e.name not in without]
    if not entries:
        st.caption(text.OPTIONS_NONE)
    given = {e.name: _box(e, values.get(e.name, e.default), key=f"{key}-{e.name}") for e in entries}
    return changed(kind, given)


def _box(entry: Entry, value: Any, *, key: str) -> Any:
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


def budget_form(budget: Budget, *, opened: bool) -> Budget:
    """Epsilon as slider and twin box, the public size of the table with the delta that follows from it, and
    the lifetime limit while no budget line exists."""
    state.start_value("epsilon-slider", nearest(budget.epsilon))
    state.start_value("epsilon-box", budget.epsilon)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.select_slider(
            text.EPSILON_LABEL,
            EPSILONS,
            format_func=lambda e: f"{e:g}",
            help=text.EPSILON_HELP,
            key="epsilon-slider",
            on_change=state.mirror,
            args=("epsilon-slider", "epsilon-box", float),
        )
        epsilon = st.number_input(
            text.EPSILON_BOX,
            SMALLEST,
            LARGEST,
            step=0.1,
            format="%.2f",
            key="epsilon-box",
            on_change=state.mirror,
            args=("epsilon-box", "epsilon-slider", nearest),
            width=150,
        )
    left, right = st.columns(2)
    most = left.number_input(
        words.ROWS_AT_MOST_LABEL,
        1,
        MOST_ROWS,
        budget.rows_at_most,
        placeholder=words.ROWS_AT_MOST_EMPTY,
        help=words.ROWS_AT_MOST_HELP,
        key="rows-at-most",
    )
    about = right.number_input(
        words.ROWS_ABOUT_LABEL,
        1,
        MOST_ROWS,
        budget.rows_about,
        placeholder=words.ROWS_ABOUT_EMPTY,
        help=words.ROWS_ABOUT_HELP,
        key="rows-about",
    )
    delta = delta_for(most)
    st.caption(words.allowance(delta), help=text.DELTA_HELP)
    lifetime = budget.lifetime
    if not opened:
        lifetime = st.number_input(
            text.LIFETIME_LABEL,
            SMALLEST,
            100.0,
            budget.lifetime,
            1.0,
            help=text.LIFETIME_HELP,
            key="lifetime",
        )
    return replace(
        budget,
        epsilon=float(epsilon),
        delta=delta,
        lifetime=float(lifetime),
        rows_at_most=most,
        rows_about=about,
    )


def delta_for(rows_at_most: int | None) -> float:
    """The allowance that follows from a public bound on the rows: one in it, at most one in ten million.

    >>> delta_for(None), delta_for(3_000), delta_for(10**9)
    (1e-07, 1e-07, 1e-09)
    """
    return 1 / max(10**7, rows_at_most or 0)


def method_form(method: Method) -> Method:
    """What the table should be good at, how many rows to make, and the method's own settings."""
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    with left:
        state.start_value("workload", method.workload)
        kept = st.segmented_control(
            text.WORKLOAD_LABEL,
            list(text.WORKLOAD_CHOICES),
            format_func=text.WORKLOAD_CHOICES.__getitem__,
            required=True,
            key="workload",
        )
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
    return replace(method, options=options, rows=rows, workload=kept or method.workload)
