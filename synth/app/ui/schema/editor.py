"""All columns in a grid, and one of them in detail below it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from synth.app.project.describe import columns, lookup
from synth.app.project.describe.columns import Details
from synth.app.project.store import Project
from synth.app.ui import guards, state
from synth.app.ui import text as words
from synth.app.ui.schema import grid, several
from synth.app.ui.text.schema import column as text
from synth.core.schema import Kind
from synth.dictionaries.remarks import MANY_CELLS


def editor(project: Project) -> tuple[Project, bool]:
    """All columns at once with one of them in detail below; whether something in the grid cannot be kept.

    What was typed into the grid is taken first, then the panel is read, though it is drawn below, and the
    grid is drawn last: so that neither saves over the other.
    """
    project = grid.take(project)
    above = st.container()
    shown = None
    with above:
        shown = several.found(project)
        place = st.container()
        several.together(project, shown)
    project = _panel(project)
    with place:
        return project, grid.draw(project, shown)


def _panel(project: Project) -> Project:
    """One column in detail; kept as soon as a box is left."""
    entries = {entry["name"]: entry for entry in columns.entries_of(project.schema)}
    if not entries:
        return project
    with st.expander("Column details", icon=":material/tune:", key="stacked-detail"):
        return _detail(project, entries)


def _detail(project: Project, entries: dict[str, dict[str, Any]]) -> Project:
    names = list(entries)
    first = names.index(columns.first_of(project.schema))
    name = st.selectbox("Column", names, index=first, key="panel-column", width=340)
    if name not in entries:
        return project
    entry, place = entries[name], list(entries).index(name)
    kind = Kind(entry["kind"]) if entry.get("kind") in list(Kind) else None
    if kind is None or kind is Kind.DROP:
        st.caption("Enter its domain in the grid first." if kind is None else text.PANEL_DROPPED)
        return project
    drawn = state.generation("panel")
    given, key = columns.details_of(entry), f"{drawn}-{place}"
    left, right = st.columns(2, gap="large")
    with left:
        if entry.get("buy"):
            st.info(text.BOUGHT_LIST if kind.has_values else text.BOUGHT_RANGE)
        draw = _values if kind.has_values else _range
        given = draw(given, kind, key, bought=bool(entry.get("buy")))
    with right:
        title = st.text_input("Title", given.title, key=f"{key}-title")
        description = st.text_area("Description", given.description, height=90, key=f"{key}-description")
        given = replace(given, title=title, description=description)
        given = _strangers(given, kind, key)
        if kind.has_values and not entry.get("buy"):
            given = _finer(given, key)
    kept = state.accept(replace(project, schema=columns.with_details(project.schema, name, given)))
    if state.generation("panel") != drawn:
        st.rerun()  # a button has changed what boxes above it hold
    return kept


def _values(given: Details, kind: Kind, key: str, *, bought: bool) -> Details:
    """The list of values with its count."""
    values = given.values
    if not bought:
        typed = st.text_area(
            text.VALUES_ORDERED if kind is Kind.ORDERED else "Values, one per line",
            columns.written_values(given.values, given.labels),
            height=210,
            help=text.VALUES_HELP,
            key=f"{key}-values",
        )
        values, labels = columns.typed_values(typed, given.values)
        given = replace(given, labels=labels)
        st.caption(words.number_of(len(values), "value"))
        if twice := columns.repeated(values):
            named = words.plain(words.some(twice))
            st.warning(f"Listed more than once: {named}.", icon=":material/warning:")
        if len(values) > MANY_CELLS:
            st.caption(f"More than {MANY_CELLS} values: each gets noise, so fewer values are more accurate.")
        if any(labels):
            written = st.toggle(
                "Write labels into the CSV",
                given.write_labels,
                help="Otherwise the CSV has the codes, and the data dictionary explains them.",
                key=f"{key}-write",
            )
            given = replace(given, write_labels=written)
    rare = st.toggle("Model rare values together", given.merge_rare, help=text.RARE_HELP, key=f"{key}-rare")
    return replace(given, values=values, merge_rare=rare)


def _range(given: Details, kind: Kind, key: str, *, bought: bool) -> Details:
    """How a range is cut."""
    adaptive = st.toggle(text.ADAPTIVE_LABEL, given.adaptive, help=text.ADAPTIVE_HELP, key=f"{key}-adaptive")
    step, points = given.step, given.points
    if not adaptive and not bought:
        step = st.number_input(
            "Width of one bin",
            min_value=0.0,
            value=None if given.step is None else float(given.step),
            step=0.5 if kind is Kind.DECIMAL else 1.0,
            placeholder="as in the grid",
            help="Instead of a number of bins. For dates, in days.",
            key=f"{key}-step",
        )
    if not bought:
        points = st.text_input(text.POINTS_LABEL, given.points, help=text.POINTS_HELP, key=f"{key}-points")
        if not adaptive:
            given = _bands(given, key)
        if kind is Kind.DECIMAL:
            decimals = st.number_input(
                "Decimals in the CSV",
                min_value=1,
                max_value=15,
                value=given.decimals,
                step=1,
                placeholder="by its bins",
                help="Decimal places in the CSV. By default two more than the bin width needs, at least two.",
                key=f"{key}-decimals",
            )
            given = replace(given, decimals=None if decimals is None else int(decimals))
        measured = st.text_input(
            "Unit",
            given.measured_in,
            help="Such as years or US dollars. Charts show it after the title.",
            key=f"{key}-measured",
        )
        given = replace(given, measured_in=measured)
    return replace(given, adaptive=adaptive, step=step or None, points=points)


def _bands(given: Details, key: str) -> Details:
    """Cuts of one's own and what the bands between them are called."""
    cuts = st.text_input("Start of each band", given.cuts, help=text.CUTS_HELP, key=f"{key}-cuts")
    labels = given.labels
    if cuts.strip():
        typed = st.text_input(
            "Names of the bands",
            columns.written_labels(given.labels),
            help="From the lowest band up: child, adult, old. One more than there are cuts.",
            key=f"{key}-bands",
        )
        labels = columns.split_values(typed)
        if any(labels):
            written = st.toggle(
                "Write these names into the CSV",
                given.write_labels,
                help="Otherwise it has numbers or dates inside the bands, as the Parquet file does.",
                key=f"{key}-write",
            )
            given = replace(given, write_labels=written)
    return replace(given, cuts=cuts, labels=labels if cuts.strip() else ())


def _finer(given: Details, key: str) -> Details:
    """Codes of a finer level than is published: which count as which value, and the level as a length."""
    typed = st.text_area(
        "Codes that count as a value",
        columns.written_reads(given.values, given.reads),
        height=90,
        help=text.READS_HELP,
        key=f"{key}-reads",
    )
    given = replace(given, reads=columns.typed_reads(typed, given.values))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = st.number_input(
            "Publish only the first characters",
            min_value=1,
            value=None,
            step=1,
            placeholder="all",
            help="Codes with the same beginning become one value.",
            key=f"{key}-level",
        )
        if st.button("Group them", disabled=length is None, key=f"{key}-group") and length is not None:
            given = columns.at_level(given, int(length))
            state.renew("panel")
    return _looked_up(given, key)


def _looked_up(given: Details, key: str) -> Details:
    """A hierarchy from a table of codes and groups, from a file or pasted."""
    with st.expander("From a table of codes and groups", icon=":material/account_tree:"):
        st.caption(text.LOOKUP_NOTE)
        held = st.file_uploader("Table as a CSV file", type=["csv", "tsv", "txt"], key=f"{key}-lookup-file")
        typed = st.text_area(
            "or its lines",
            placeholder=text.LOOKUP_PLACEHOLDER,
            height=90,
            key=f"{key}-lookup",
        )
        headed = st.checkbox(
            "The first line holds headings", value=held is not None, key=f"{key}-headed-{held is not None}"
        )
        if st.button("Use this table", disabled=held is None and not typed.strip(), key=f"{key}-use-lookup"):
            with guards.shown():
                lines = typed if held is None else lookup.text_in(held.getvalue())
                table = lookup.read(lines, headed=headed)
                given, left = lookup.applied(given, table)
                state.note(text.looked_up(table, left), careful=bool(left))
                state.renew("panel")
    return given


def _strangers(given: Details, kind: Kind, key: str) -> Details:
    """What becomes of cells outside the list or the range."""
    if kind.has_range:
        outside = st.toggle(
            "Cells outside count as blank",
            given.blank_outside,
            help="Otherwise they are moved to the nearest end of the range.",
            key=f"{key}-outside",
        )
        return replace(given, blank_outside=outside)
    other, label = (
        st.toggle("Keep other values together", given.other, help=text.OTHER_HELP, key=f"{key}-other"),
        "",
    )
    if other:
        label = st.text_input("Name of that value", given.other_label, key=f"{key}-other-label")
    return replace(given, other=other, other_label=label or given.other_label)
