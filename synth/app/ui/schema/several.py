"""Widgets for many columns: a search, settings for several columns at once, and typed or pasted lines."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from synth.app.project.describe import several
from synth.app.project.describe.columns import Document, entries_of
from synth.app.project.describe.several import Together
from synth.app.project.store import Project
from synth.app.ui import guards, state
from synth.app.ui import text as words
from synth.app.ui.text.schema import grid as text
from synth.app.ui.text.schema import ways as ways_words
from synth.dictionaries.lists import known_lists

MANY = 12
"""Number of columns above which the page offers a search."""


def found(project: Project) -> tuple[str, ...] | None:
    """Return the columns that match the search, or None for all columns."""
    count = len(entries_of(project.schema))
    if count <= MANY:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input("Find columns", help=text.FIND_HELP, icon=":material/search:", key="find")
        is_open = st.toggle("Only incomplete ones", key="find-open")
    if not typed.strip() and not is_open:
        return None
    names = several.found(project.schema, typed, is_open=is_open)
    st.caption(text.FOUND.format(found=len(names), count=words.number_of(count, "column")))
    return names


def lines(project: Project) -> None:
    """Draw the field in which users type or paste one line per column."""
    st.subheader("Type or paste them", anchor=False)
    st.markdown("One line per column: its name, then its domain.")
    key = f"{state.generation('lines')}-lines"
    typed = st.text_area(
        "Lines",
        height=130,
        placeholder=ways_words.PASTE_PLACEHOLDER,
        help=ways_words.PASTE_HELP,
        key=key,
    )
    if st.button(ways_words.PASTE_BUTTON, icon=":material/content_paste:", key="take-lines"):
        with guards.shown():
            document, named = several.pasted(project.schema, typed)
            _change(project, document)
            state.renew("lines")
            state.note(*ways_words.pasted(document, named))
            st.rerun()


def together(project: Project, shown: tuple[str, ...] | None) -> None:
    """Draw an expander in which users change, move, group or remove several columns at once."""
    names = [str(entry["name"]) for entry in entries_of(project.schema)]
    if len(names) < 2:
        return
    with st.expander("Edit several columns", icon=":material/library_add_check:"):
        chosen: list[str] = st.multiselect(
            "Columns", names, placeholder="", key=f"{state.generation('several')}-columns"
        )
        if shown and st.toggle(f"All {len(shown)} shown", key="several-shown"):
            chosen = list(shown)
        _say(project, chosen)
        _arrange(project, chosen, names)
        _group(project, chosen)


def _say(project: Project, chosen: list[str]) -> None:
    """Draw the settings for all chosen columns, and the button that applies them."""
    key = state.generation("several")
    left, right = st.columns([3, 2])
    typed = left.text_input(text.SEVERAL_HOLDS, help=text.SEVERAL_HOLDS_HELP, key=f"{key}-holds")
    listed = right.selectbox(
        "or a known list",
        list(known_lists()),
        index=None,
        format_func=text.list_name,
        placeholder=text.SEVERAL_STAYS,
        key=f"{key}-list",
    )
    one, two, three, four = st.columns(4)
    stays = text.SEVERAL_STAYS
    kind = one.selectbox(text.KIND_HEAD, list(text.KIND_OF), index=None, placeholder=stays, key=f"{key}-kind")
    blank = two.selectbox(
        text.BLANK_HEAD,
        [True, False],
        index=None,
        format_func=text.SEVERAL_BLANKS.__getitem__,
        placeholder=stays,
        key=f"{key}-blank",
    )
    weight = three.number_input(
        text.WEIGHT_HEAD, min_value=0.0, value=None, placeholder=stays, key=f"{key}-weight"
    )
    source = four.selectbox(
        text.SOURCE_HEAD, list(text.SOURCE_OF), index=None, placeholder=stays, key=f"{key}-source"
    )
    said = Together(
        kind=text.KIND_OF[kind] if kind else None,
        holds=typed.strip() or listed,
        blank=blank,
        weight=weight,
        source=text.SOURCE_OF[source] if source else None,
    )
    label = text.SEVERAL_BUTTON.format(count=words.number_of(len(chosen), "column"))
    if st.button(label, type="primary", disabled=not chosen or said == Together(), key="set-several"):
        with guards.shown():
            _change(project, several.with_together(project.schema, chosen, said))
            state.renew("several")
            st.rerun()


def _arrange(project: Project, chosen: list[str], names: list[str]) -> None:
    """Draw the buttons that move and remove the chosen columns."""
    first = min((names.index(name) for name in chosen), default=0)
    ways = {
        "first": ("To the top", ":material/vertical_align_top:", _at(project, chosen, 0)),
        "up": ("Up", ":material/arrow_upward:", _at(project, chosen, first - 1)),
        "down": ("Down", ":material/arrow_downward:", _at(project, chosen, first + 1)),
        "last": ("To the end", ":material/vertical_align_bottom:", _at(project, chosen, len(names))),
        "remove": ("Remove", ":material/delete:", several.without(project.schema, chosen)),
    }
    with st.container(horizontal=True):
        for way, (label, icon, changed) in ways.items():
            if st.button(label, icon=icon, disabled=not chosen, key=f"{way}-several"):
                _change(project, changed)
                if way == "remove":
                    state.renew("several")
                st.rerun()


def _group(project: Project, chosen: list[str]) -> None:
    """Draw the existing groups, and the button that groups the chosen yes/no columns."""
    st.markdown(text.GROUP_NOTE)
    key = f"{state.generation('several')}-group"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name of the group", key=f"{key}-name")
        yes = st.text_input("Value that means yes", "1", key=f"{key}-yes")
        at_most = st.toggle("A row may have none", key=f"{key}-none")
        several = st.toggle("A row may have several", key=f"{key}-several", help=text.SEVERAL_HELP)
        alone = st.selectbox("Excludes the others", chosen, None, key=f"{key}-alone", disabled=not several)
        is_open = len(chosen) < 2 or not name.strip()
        if st.button("Group them", icon=":material/join:", disabled=is_open, key="group-several"):
            group: Document = {"name": name.strip(), "columns": chosen, "chosen": yes.strip()}
            group |= {"several": True} if several else {"at_most": at_most}
            group |= {"exclusive": alone} if several and alone else {}
            _regroup(project, [*project.schema.get("groups", ()), group])
    for place, group in enumerate(project.schema.get("groups", ())):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(words.plain(text.group_line(group)))
            if st.button("Ungroup", icon=":material/delete:", key=f"ungroup-{place}"):
                _regroup(project, [own for own in project.schema["groups"] if own is not group])


def _regroup(project: Project, groups: list[Document]) -> None:
    kept = {field: value for field, value in project.schema.items() if field != "groups"}
    _change(project, {**kept, "groups": groups} if groups else kept)
    state.renew("several")
    st.rerun()


def _at(project: Project, chosen: list[str], place: int) -> Document:
    return several.moved(project.schema, chosen, to=place)


def _change(project: Project, document: Document) -> None:
    state.accept(replace(project, schema=document))
    state.renew("panel")
