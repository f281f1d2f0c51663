"""The four sources of columns: a dictionary, typed lines, the names in a file, and a public file."""

from __future__ import annotations

import streamlit as st

from synth.app.project.describe import columns, sources
from synth.app.project.store import Project
from synth.app.ui import guards, state
from synth.app.ui import text as words
from synth.app.ui.schema import several
from synth.app.ui.text.schema import checks as checks_words
from synth.app.ui.text.schema import ways as ways_words
from synth.core.errors import Mistake
from synth.dictionaries import tables_in
from synth.dictionaries.drafts import BY_NAME

_LARGEST_DICTIONARY_MB = 10


def ways(project: Project) -> None:
    """Draw the four sources of columns. Once there are columns, they are in an expander."""
    some = bool(columns.entries_of(project.schema))
    if not some:
        st.header("Source of the columns", anchor=False)
    with st.expander("Load other columns", icon=":material/restart_alt:") if some else st.container():
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
    st.subheader("Load a data dictionary", anchor=False)
    st.markdown("A codebook that was written without this file.")
    given = st.file_uploader(
        "Dictionary",
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
            table = st.selectbox("Table in the dictionary", several, key="dictionary-table")
        if replacing:
            st.caption(ways_words.DICTIONARY_REPLACE)
        if not st.button("Load it", type="primary", key="load-dictionary"):
            return
        changed, loaded = sources.with_dictionary(
            project, raw, name=given.name, table=table, words=checks_words.WORDS
        )
    except Mistake as mistake:
        st.error(words.plain(str(mistake)), icon=":material/error:")
        return
    _take_all(changed)
    state.renew("dictionary")
    said = ways_words.loaded(loaded, changed.schema["unit"])
    state.note(*said, careful=len(said) > 1)
    st.rerun()


def _names(project: Project) -> None:
    st.subheader("Read the names from the file", anchor=False)
    is_typed = bool(project.data) and sources.tells_types(project.data)
    st.markdown(ways_words.NAMES_TYPED if is_typed else "Reads the first line and nothing else.")
    ready = bool(project.data) and sources.format_of(project.schema).header
    if not ready:
        st.caption(ways_words.NAMES_NEED)
    if st.button(
        "Read the names",
        icon=":material/view_column:",
        help="Columns whose names suggest an ID or an address are excluded at first.",
        disabled=not ready,
        key="read-names",
    ):
        with guards.shown():
            state.accept(sources.with_header(project))
            state.renew("grid")
            st.rerun()


def _read(project: Project, *, replacing: bool) -> None:
    """Draw the button that reads kinds, lists and ranges from a public file. A private file is never read."""
    st.subheader("Read all from the file", anchor=False)
    st.markdown("Only for a public or invented file: kinds, lists and ranges are read from it.")
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
        "Read the columns",
        icon=":material/find_in_page:",
        disabled=not (named and public),
        key="read-domains",
    ):
        with guards.shown():
            with st.spinner("Reading the public file"):
                changed = sources.with_domains(project, public=public)
            _take_all(changed)
            state.note(ways_words.READ_NOTE, careful=True)
            st.rerun()


def _take_all(changed: Project) -> None:
    """Replace all columns, and reset the fields that would otherwise restore the old ones."""
    state.accept(changed)
    state.renew("grid")
    state.renew("panel")
