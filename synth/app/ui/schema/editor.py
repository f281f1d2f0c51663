"""The grid of all columns, and a panel below it with one column in detail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from synth.app.project.describe import columns, lookup
from synth.app.project.describe.columns import Document
from synth.app.project.store import Project
from synth.app.ui import guards, layout, state
from synth.app.ui import text as words
from synth.app.ui.schema import grid, several
from synth.app.ui.text.schema import column as text
from synth.app.ui.text.schema import file as file_text
from synth.core.schema import Binning, Kind, Outside
from synth.dictionaries.check import text_of
from synth.dictionaries.remarks import MANY_CELLS


def editor(project: Project) -> tuple[Project, bool]:
    """Draw all columns and one of them in detail.

    The second result is True if input in the grid cannot be saved. Input from the grid is applied first. Then
    the panel is read, although it is below the grid, and the grid is drawn last. So neither overwrites the
    changes of the other.
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
    """Draw one column in detail. Each field is saved as soon as the user leaves it."""
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
    given, key = dict(entry), f"{drawn}-{place}"
    left, right = st.columns(2, gap="large")
    is_computed = bool(entry.get("formula"))
    with left:
        if entry.get("buy"):
            st.info(text.ESTIMATED_LIST if kind.has_values else text.ESTIMATED_RANGE)
        if is_computed:
            st.caption(text.PANEL_COMPUTED)
        else:
            given |= _values(given, kind, key) if kind.has_values else _range(given, kind, key)
    with right:
        title, description = given.get("title", ""), given.get("description", "")
        given["title"] = st.text_input("Title", title, key=f"{key}-title").strip()
        typed = st.text_area("Description", description, height=90, key=f"{key}-description")
        given["description"] = typed.strip()
        if not is_computed:
            tokens = st.text_input(
                "Missing in this column",
                _joined(given, "missing"),
                help=text.MISSING_HELP,
                key=f"{key}-missing",
            )
            given |= {"missing": list(columns.split_values(tokens)) or None, **_strangers(given, kind, key)}
            given |= _signs(given, kind, key) if kind.has_range else {}
        if kind.has_values and not entry.get("buy"):
            given = _finer(given, key)
    kept = state.accept(replace(project, schema=columns.with_column(project.schema, given)))
    if state.generation("panel") != drawn:
        st.rerun()  # a button has changed fields above it
    return kept


def _values(given: Document, kind: Kind, key: str) -> Document:
    """Draw the list of values and their number."""
    facts: Document = {}
    if not given.get("buy"):
        before = given.get("values", ())
        typed = st.text_area(
            text.VALUES_ORDERED if kind is Kind.ORDERED else "Values, one per line",
            columns.written_values(before, given.get("labels", ())),
            height=210,
            help=text.VALUES_HELP,
            key=f"{key}-values",
        )
        values, labels = columns.typed_values(typed, before)
        facts = {"values": values, "labels": labels}
        st.caption(words.number_of(len(values), "value"))
        if twice := columns.repeated(values):
            named = words.plain(words.some(twice))
            st.warning(f"Listed more than once: {named}.", icon=":material/warning:")
        if len(values) > MANY_CELLS:
            st.caption(f"More than {MANY_CELLS} values: each gets noise, so fewer values are more accurate.")
        if any(labels):
            written = st.toggle(
                "Write labels into the CSV",
                given.get("write_labels", False),
                help="Otherwise the CSV has the codes, and the data dictionary explains them.",
                key=f"{key}-write",
            )
            facts["write_labels"] = written or None
        totals = st.text_input(
            "Public number of rows of each value",
            ", ".join(map(str, given.get("totals", ()))),
            help=text.TOTALS_HELP,
            key=f"{key}-totals",
        )
        facts["totals"] = columns.typed_points(totals, Kind.INTEGER)
    is_merged = given.get("merge_rare", False)
    rare = st.toggle("Model rare values together", is_merged, help=text.RARE_HELP, key=f"{key}-rare")
    return {**facts, "merge_rare": rare or None}


def _range(given: Document, kind: Kind, key: str) -> Document:
    """Draw the fields that divide a range into bins."""
    is_adaptive = st.toggle(
        text.ADAPTIVE_LABEL,
        given.get("binning") == Binning.PRIVTREE,
        help=text.ADAPTIVE_HELP,
        key=f"{key}-adaptive",
    )
    facts: Document = {"binning": Binning.PRIVTREE.value if is_adaptive else None}
    if given.get("buy"):
        return facts
    if not is_adaptive:
        step = st.number_input(
            "Width of one bin",
            min_value=0.0,
            value=None if given.get("step") is None else float(given["step"]),
            step=0.5 if kind is Kind.DECIMAL else 1.0,
            placeholder="as in the grid",
            help="Instead of a number of bins. For dates, in days.",
            key=f"{key}-step",
        )
        facts["step"] = int(step) if step and step == int(step) else step or None
    if kind is not Kind.DATE:
        for field, label, note in text.MULTIPLES:
            size = st.number_input(
                label,
                min_value=0.0,
                value=None if given.get(field) is None else float(given[field]),
                step=0.5 if kind is Kind.DECIMAL else 1.0,
                placeholder="none",
                help=note,
                key=f"{key}-{field}",
            )
            facts[field] = int(size) if size and size == int(size) else size or None
    points = st.text_input(
        text.POINTS_LABEL, _joined(given, "points"), help=text.POINTS_HELP, key=f"{key}-points"
    )
    facts["points"] = columns.typed_points(points, kind)
    facts |= {"cuts": None, "labels": None} if is_adaptive else _bands(given, kind, key)
    if kind is Kind.DECIMAL:
        facts["decimals"] = st.number_input(
            "Decimals in the CSV",
            min_value=1,
            max_value=15,
            value=given.get("decimals"),
            step=1,
            placeholder="by its bins",
            help="Decimal places in the CSV. Default: two more than the bin width has, and at least two.",
            key=f"{key}-decimals",
        )
    measured = st.text_input(
        "Unit",
        given.get("measured_in", ""),
        help="Such as years or US dollars. Charts show it after the title.",
        key=f"{key}-measured",
    )
    is_weight = kind is not Kind.DATE and st.toggle(
        "Survey weight", given.get("is_weight", False), help=text.WEIGHT_HELP, key=f"{key}-is-weight"
    )
    if kind is not Kind.DATE:
        limit = st.text_input("Never above", given.get("limit", ""), help=text.LIMIT_HELP, key=f"{key}-limit")
        facts["limit"] = limit.strip() or None
    return {**facts, "measured_in": measured.strip(), "is_weight": is_weight or None}


def _bands(given: Document, kind: Kind, key: str) -> Document:
    """Draw the fields for the cuts of a range and the names of the bands between them."""
    typed = st.text_input(
        "Start of each band", _joined(given, "cuts"), help=text.CUTS_HELP, key=f"{key}-cuts"
    )
    cuts = columns.typed_points(typed, kind)
    if not cuts:
        return {"cuts": None, "labels": None}
    named = st.text_input(
        "Names of the bands",
        columns.written_labels(given.get("labels", ())),
        help="From the lowest band up: child, adult, old. Enter one name more than there are cuts.",
        key=f"{key}-bands",
    )
    facts: Document = {"cuts": cuts, "labels": list(columns.split_values(named))}
    if facts["labels"]:
        written = st.toggle(
            "Write these names into the CSV",
            given.get("write_labels", False),
            help="Otherwise it has numbers or dates inside the bands, as the Parquet file does.",
            key=f"{key}-write",
        )
        facts["write_labels"] = written or None
    return facts


def _joined(given: Document, field: str) -> str:
    return ", ".join(map(text_of, given.get(field, ())))


def _finer(given: Document, key: str) -> Document:
    """Draw the fields for codes that are finer than the published values: which codes count as which value,
    or the number of first characters to publish.
    """
    values = given.get("values", ())
    typed = st.text_area(
        "Codes that count as a value",
        columns.written_reads(values, given.get("reads", ())),
        height=90,
        placeholder=text.READS_PLACEHOLDER,
        help=text.READS_HELP,
        key=f"{key}-reads",
    )
    lost = columns.stray_reads(typed, values)
    if lost:
        st.error(text.reads_lost(lost), icon=":material/error:")
    given = {**given, "reads": columns.typed_reads(typed, values)}
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


def _looked_up(given: Document, key: str) -> Document:
    """Draw the fields for a table of codes and groups, which can be uploaded or pasted."""
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
            "The first line contains headings", value=held is not None, key=f"{key}-headed-{held is not None}"
        )
        if st.button("Use this table", disabled=held is None and not typed.strip(), key=f"{key}-use-lookup"):
            with guards.shown():
                lines = typed if held is None else lookup.text_in(held.getvalue())
                table = lookup.read(lines, headed=headed)
                given, left = lookup.applied(given, table)
                state.note(text.looked_up(table, left), careful=bool(left))
                state.renew("panel")
    return given


def _signs(given: Document, kind: Kind, key: str) -> Document:
    """Draw the fields for the number or date format of the column, if it differs from the rest of the
    file.
    """
    dates: dict[str, str] = {order.value: shown for order, shown in file_text.DATES.items()}
    if kind is Kind.DATE:
        return _own(given, "date_order", dates, key, st)
    left, right = st.columns(2)
    own = _own(given, "decimal_sign", file_text.DECIMALS, key, left)
    marks = {mark: shown for mark, shown in file_text.THOUSANDS.items() if mark != own["decimal_sign"]}
    return own | _own(given, "thousands", marks, f"{key}-{own['decimal_sign']}", right)


def _own(given: Document, field: str, forms: Mapping[str, str], key: str, place: Any) -> Document:
    """Draw a field for one format of the column. None means the format of the file."""
    shown = {_OF_FILE: text.AS_FILE, **forms}
    start, label, note = given.get(field, _OF_FILE), text.FORM_LABELS[field], text.FORM_HELP
    form = layout.pick(label, shown, start, on=place, help=note, key=f"{key}-{field}")
    return {field: None if form == _OF_FILE else form}


_OF_FILE = "file"


def _strangers(given: Document, kind: Kind, key: str) -> Document:
    """Draw the fields that state how cells outside the list or range are treated."""
    before = given.get("outside")
    if kind.has_range:
        is_blank = st.toggle(
            "Cells outside count as blank",
            before == Outside.MISSING,
            help="Otherwise they are moved to the nearest end of the range.",
            key=f"{key}-outside",
        )
        return {"outside": Outside.MISSING.value if is_blank else None}
    is_kept = st.toggle(
        "Keep other values together", before == Outside.OTHER, help=text.OTHER_HELP, key=f"{key}-other"
    )
    if not is_kept:
        return {"outside": None, "other_label": None}
    label = st.text_input("Name of that value", given.get("other_label", "Other"), key=f"{key}-other-label")
    own = label.strip()
    return {"outside": Outside.OTHER.value, "other_label": own if own != "Other" else None}
