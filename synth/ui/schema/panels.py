"""Panels of the columns page: where columns come from, the grid, the panel beside it, the checks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from synth.errors import Mistake
from synth.figures.figure import Figure
from synth.preprocess.axes import axis_of, decimals_of
from synth.project import columns, declared, lookup, rules, sources
from synth.project import several as facts
from synth.project.columns import Details
from synth.project.declared import Declared
from synth.project.store import Project
from synth.schema import Kind
from synth.schema_io import tables_in, warnings
from synth.schema_io.check import MANY_CELLS, cells_of
from synth.schema_io.drafts import BY_NAME
from synth.ui import guards, layout, state
from synth.ui import text as words
from synth.ui.schema import grid, several
from synth.ui.text.schema import checks as checks_words
from synth.ui.text.schema import column as text
from synth.ui.text.schema import ways as ways_words

_LARGEST_DICTIONARY_MB = 10


def ways(project: Project) -> None:
    """Four ways to columns; once there are some, folded away."""
    some = bool(columns.entries_of(project.schema))
    if not some:
        st.header(ways_words.WAYS_TITLE, anchor=False)
    with st.expander(ways_words.WAYS_AGAIN, icon=":material/restart_alt:") if some else st.container():
        left, right = st.columns(2, gap="medium")
        with left.container(border=True, height="stretch"):
            _dictionary(project, replacing=some)
        with right.container(border=True, height="stretch"):
            several.lines(project)
        left, right = st.columns(2, gap="medium")
        with left.container(border=True, height="stretch"):
            _names(project)
        with right.container(border=True, height="stretch"):
            _read(project, replacing=some)


def _dictionary(project: Project, *, replacing: bool) -> None:
    st.subheader(ways_words.DICTIONARY_TITLE, anchor=False)
    st.markdown(ways_words.DICTIONARY_BODY)
    given = st.file_uploader(
        ways_words.DICTIONARY_LABEL,
        sorted(suffix.removeprefix(".") for suffix in {".json", ".csv", *BY_NAME}),
        help=ways_words.DICTIONARY_HELP,
        max_upload_size=_LARGEST_DICTIONARY_MB,
        key=f"{state.generation('dictionary')}-dictionary",
    )
    if given is None:
        return
    try:
        raw, table = given.getvalue(), None
        if several := tables_in(raw, name=given.name):
            table = st.selectbox(ways_words.TABLE_LABEL, several, key="dictionary-table")
        if replacing:
            st.caption(ways_words.DICTIONARY_REPLACE)
        if not st.button(ways_words.DICTIONARY_BUTTON, type="primary", key="load-dictionary"):
            return
        changed, loaded = sources.with_dictionary(
            project, raw, name=given.name, table=table, words=checks_words.WORDS
        )
    except Mistake as mistake:
        st.error(words.plain(str(mistake)), icon=":material/error:")
        return
    _take_all(changed)
    state.renew("dictionary")
    state.note(*ways_words.loaded(loaded, changed.schema["unit"]))
    st.rerun()


def _names(project: Project) -> None:
    st.subheader(ways_words.NAMES_TITLE, anchor=False)
    st.markdown(ways_words.NAMES_BODY)
    ready = bool(project.data) and sources.format_of(project.schema).header
    if not ready:
        st.caption(ways_words.NAMES_NEED)
    if st.button(
        ways_words.NAMES_BUTTON, icon=":material/view_column:", disabled=not ready, key="read-names"
    ):
        with guards.shown():
            state.accept(sources.with_header(project))
            state.renew("grid")
            st.rerun()


def _read(project: Project, *, replacing: bool) -> None:
    """Kinds, lists and ranges as a public file has them; of a private one nothing is read."""
    st.subheader(ways_words.READ_TITLE, anchor=False)
    st.markdown(ways_words.READ_BODY)
    public = bool(project.schema.get("file_is_public"))
    if not public:
        state.follow("file-is-public", False, of=project.data)
        public = st.checkbox(ways_words.READ_PUBLIC, help=ways_words.READ_PUBLIC_HELP, key="file-is-public")
    named = bool(project.data) and sources.format_of(project.schema).header
    if not named:
        st.caption(ways_words.NAMES_NEED)
    elif replacing:
        st.caption(ways_words.DICTIONARY_REPLACE)
    if st.button(
        ways_words.READ_BUTTON,
        icon=":material/find_in_page:",
        disabled=not (named and public),
        key="read-domains",
    ):
        with guards.shown():
            with st.spinner(ways_words.READING):
                changed = sources.with_domains(project, public=public)
            _take_all(changed)
            state.note(ways_words.READ_NOTE)
            st.rerun()


def _take_all(changed: Project) -> None:
    """Keep columns that replace all others; boxes about these begin anew, or they would write them back."""
    state.accept(changed)
    state.renew("grid")
    state.renew("panel")


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
    with st.container(border=True):
        return _detail(project, entries)


def _detail(project: Project, entries: dict[str, dict[str, Any]]) -> Project:
    st.subheader(text.PANEL_TITLE, anchor=False)
    names = list(entries)
    first = names.index(columns.first_of(project.schema))
    name = st.selectbox(text.PANEL_LABEL, names, index=first, key="panel-column", width=340)
    if name not in entries:
        return project
    entry, place = entries[name], list(entries).index(name)
    kind = Kind(entry["kind"]) if entry.get("kind") in list(Kind) else None
    if kind is None or kind is Kind.DROP:
        st.caption(text.PANEL_NO_KIND if kind is None else text.PANEL_DROPPED)
        return project
    drawn = state.generation("panel")
    given, key = columns.details_of(entry), f"{drawn}-{place}"
    left, right = st.columns(2, gap="large")
    with left:
        if entry.get("buy"):
            st.info(text.BOUGHT_NOTE)
        draw = _values if kind.has_values else _range
        given = draw(given, kind, key, bought=bool(entry.get("buy")))
    with right:
        title = st.text_input(text.TITLE_LABEL, given.title, key=f"{key}-title")
        description = st.text_area(
            text.DESCRIPTION_LABEL, given.description, height=90, key=f"{key}-description"
        )
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
            text.VALUES_ORDERED if kind is Kind.ORDERED else text.VALUES_LABEL,
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
            st.warning(text.VALUES_TWICE.format(names=named), icon=":material/warning:")
        if len(values) > MANY_CELLS:
            st.caption(text.VALUES_MANY.format(most=MANY_CELLS))
        if any(labels):
            written = st.toggle(
                text.WRITE_LABELS,
                given.write_labels,
                help=text.WRITE_LABELS_HELP,
                key=f"{key}-write",
            )
            given = replace(given, write_labels=written)
    rare = st.toggle(text.RARE_LABEL, given.merge_rare, help=text.RARE_HELP, key=f"{key}-rare")
    return replace(given, values=values, merge_rare=rare)


def _range(given: Details, kind: Kind, key: str, *, bought: bool) -> Details:
    """How a range is cut."""
    adaptive = st.toggle(text.ADAPTIVE_LABEL, given.adaptive, help=text.ADAPTIVE_HELP, key=f"{key}-adaptive")
    step, points = given.step, given.points
    if not adaptive and not bought:
        step = st.number_input(
            text.STEP_LABEL,
            min_value=0.0,
            value=None if given.step is None else float(given.step),
            step=0.5 if kind is Kind.DECIMAL else 1.0,
            placeholder=text.STEP_EMPTY,
            help=text.STEP_HELP,
            key=f"{key}-step",
        )
    if not bought:
        points = st.text_input(text.POINTS_LABEL, given.points, help=text.POINTS_HELP, key=f"{key}-points")
        if not adaptive:
            given = _bands(given, key)
        if kind is Kind.DECIMAL:
            decimals = st.number_input(
                text.PLACES_LABEL,
                min_value=1,
                max_value=15,
                value=given.decimals,
                step=1,
                placeholder=text.PLACES_EMPTY,
                help=text.PLACES_HELP,
                key=f"{key}-decimals",
            )
            given = replace(given, decimals=None if decimals is None else int(decimals))
        measured = st.text_input(
            text.MEASURED_LABEL,
            given.measured_in,
            help=text.MEASURED_HELP,
            key=f"{key}-measured",
        )
        given = replace(given, measured_in=measured)
    return replace(given, adaptive=adaptive, step=step or None, points=points)


def _bands(given: Details, key: str) -> Details:
    """Cuts of one's own and what the bands between them are called."""
    cuts = st.text_input(text.CUTS_LABEL, given.cuts, help=text.CUTS_HELP, key=f"{key}-cuts")
    labels = given.labels
    if cuts.strip():
        typed = st.text_input(
            text.BANDS_LABEL,
            columns.written_labels(given.labels),
            help=text.BANDS_HELP,
            key=f"{key}-bands",
        )
        labels = columns.split_values(typed)
        if any(labels):
            written = st.toggle(
                text.WRITE_BANDS,
                given.write_labels,
                help=text.WRITE_BANDS_HELP,
                key=f"{key}-write",
            )
            given = replace(given, write_labels=written)
    return replace(given, cuts=cuts, labels=labels if cuts.strip() else ())


def _finer(given: Details, key: str) -> Details:
    """Codes of a finer level than is published: which count as which value, and the level as a length."""
    typed = st.text_area(
        text.READS_LABEL,
        columns.written_reads(given.values, given.reads),
        height=90,
        help=text.READS_HELP,
        key=f"{key}-reads",
    )
    given = replace(given, reads=columns.typed_reads(typed, given.values))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = st.number_input(
            text.LEVEL_LABEL,
            min_value=1,
            value=None,
            step=1,
            placeholder=text.LEVEL_EMPTY,
            help=text.LEVEL_HELP,
            key=f"{key}-level",
        )
        if st.button(text.LEVEL_BUTTON, disabled=length is None, key=f"{key}-group") and length is not None:
            given = columns.at_level(given, int(length))
            state.renew("panel")
    return _looked_up(given, key)


def _looked_up(given: Details, key: str) -> Details:
    """A hierarchy from a table of codes and groups, from a file or pasted."""
    with st.expander(text.LOOKUP_TITLE, icon=":material/account_tree:"):
        st.caption(text.LOOKUP_NOTE)
        held = st.file_uploader(text.LOOKUP_FILE, type=["csv", "tsv", "txt"], key=f"{key}-lookup-file")
        typed = st.text_area(
            text.LOOKUP_TYPED,
            placeholder=text.LOOKUP_PLACEHOLDER,
            height=90,
            key=f"{key}-lookup",
        )
        headed = st.checkbox(
            text.LOOKUP_HEADED, value=held is not None, key=f"{key}-headed-{held is not None}"
        )
        if st.button(
            text.LOOKUP_BUTTON, disabled=held is None and not typed.strip(), key=f"{key}-use-lookup"
        ):
            with guards.shown():
                lines = typed if held is None else lookup.text_in(held.getvalue())
                table = lookup.read(lines, headed=headed)
                given, left = lookup.applied(given, table)
                state.note(text.looked_up(table, left))
                state.renew("panel")
    return given


def _strangers(given: Details, kind: Kind, key: str) -> Details:
    """What becomes of cells outside the list or the range."""
    if kind.has_range:
        outside = st.toggle(
            text.BLANK_OUTSIDE,
            given.blank_outside,
            help=text.BLANK_OUTSIDE_HELP,
            key=f"{key}-outside",
        )
        return replace(given, blank_outside=outside)
    other, label = (
        st.toggle(text.OTHER_LABEL, given.other, help=text.OTHER_HELP, key=f"{key}-other"),
        "",
    )
    if other:
        label = st.text_input(text.OTHER_NAME, given.other_label, key=f"{key}-other-label")
    return replace(given, other=other, other_label=label or given.other_label)


def checks(project: Project) -> bool:
    """What is missing or does not hold, and what is worth a look; whether the columns can be used."""
    st.header(checks_words.CHECKS_TITLE, anchor=False)
    if not columns.entries_of(project.schema):
        st.info(checks_words.EMPTY, icon=":material/info:")
        return False
    open_ones = [str(e["name"]) for e in columns.entries_of(project.schema) if facts.waits(e)]
    if open_ones:
        st.info(checks_words.waiting([words.plain(name) for name in open_ones]), icon=":material/edit_note:")
    problems = columns.problems_of(project.schema, checks_words.WORDS, leave=open_ones)
    if open_ones and not problems:
        return False
    if problems:
        listed = "\n".join(f"- {words.plain(sentence)}" for sentence in checks_words.gathered(problems))
        st.error(f"{checks_words.open_ends(len(problems))}\n\n{listed}", icon=":material/error:")
        return False
    table = declared.read_columns(project)
    st.success(checks_words.CHECKS_SOUND, icon=":material/check_circle:")
    _rules(project, table)
    worth = warnings(table.schema, checks_words.WORDS)
    if worth:
        with st.expander(checks_words.WARNINGS_TITLE.format(count=len(worth)), icon=":material/lightbulb:"):
            st.markdown("\n".join(f"- {words.plain(line)}" for line in checks_words.gathered(worth)))
    with st.expander(checks_words.OVERVIEW_TITLE, icon=":material/table_view:"):
        _overview(table)
    return True


def _rules(project: Project, table: Declared) -> None:
    """A word if the rules stated before do not go with the columns any more, and a way to take them out."""
    try:
        declared.read(project)
    except Mistake as mistake:
        st.warning(f"{checks_words.RULES_OFF}\n\n{words.plain(str(mistake))}", icon=":material/rule:")
        gone = rules.misfits(table.schema, project.rules)
        if gone and st.button(checks_words.rules_out(len(gone)), icon=":material/delete:", key="rules-out"):
            kept = tuple(entry for place, entry in enumerate(project.rules) if place not in gone)
            state.accept(replace(project, rules=kept))
            st.rerun()


def _overview(table: Declared) -> None:
    """Every column with its domain, its cells and the badge that says how the domain is known."""
    st.caption(checks_words.OVERVIEW_NOTE)
    alt = checks_words.OVERVIEW_ALT.format(count=words.number_of(len(table.schema.modelled), "column"))
    layout.table(Figure(frame=column_table(table), words=alt))


def column_table(table: Declared) -> pd.DataFrame:
    """One row per modelled column, in words and badges (Markdown)."""
    bounded = [column for column in table.schema.modelled if cells_of(column) is not None]
    axes = {column.name: axis_of(column, table.rules.cuts(column.name)) for column in bounded}
    cells = {name: str(axis.size) for name, axis in axes.items()}
    decimals = {name: decimals_of(axis) for name, axis in axes.items() if axis.column.kind is Kind.DECIMAL}
    rows = [
        {
            "Column": f"**{words.plain(column.heading)}**",
            "Kind": checks_words.KIND_NAME[column.kind],
            "Domain": words.plain(checks_words.domain_of(column, decimals.get(column.name))),
            "Bins": cells.get(column.name, "to be bought"),
            "Blanks": "yes" if column.blank else "no",
            "Where it comes from": checks_words.badge(column.provenance),
        }
        for column in table.schema.modelled
    ]
    return pd.DataFrame(rows)


def frozen(project: Project) -> None:
    """The columns a run has used, to be read only."""
    st.info(checks_words.FROZEN, icon=":material/lock:")
    _overview(declared.read_columns(project))
