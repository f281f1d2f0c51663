"""Show the pairs of a release: a filter, a matrix with selectable cells, and one pair in detail."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from synth.app.figures import pairs as figures
from synth.app.figures.heat import Quantity, heat
from synth.app.project.results import pairs
from synth.app.project.results.pairs import PairView
from synth.app.project.results.released import PairBound, ReleaseView
from synth.app.ui import guards, layout, state
from synth.app.ui import text as words
from synth.app.ui.text import pairs as text
from synth.release.verdict.sentences import CAREFUL, DEFINITION

ONE, OTHER = "pair-one", "pair-other"
"""Session keys of the two fields that name the selected pair."""

CAREFUL_KEY = "careful-above"
"""Session key of the field for the error (%) above which a pair needs care."""


def errors(release: ReleaseView, folder: Path) -> None:
    """Draw a matrix of all pairs by error or bound, and the selected pair, as one fragment."""
    st.header("Pairs of columns", anchor="pairs")
    if not release.pairs:
        st.info("The table has one column, so there are no pairs.", icon=":material/info:")
        return
    st.fragment(_all, key="pairs-section")(release, folder)


def _all(release: ReleaseView, folder: Path) -> None:
    with guards.neutral():
        if not release.measures_pairs:
            _in_short(release)
        _matrix(release)
        _one(release, folder)


def _in_short(release: ReleaseView) -> None:
    """Draw a bar with the sources of all bounds, and state the lowest and the highest bound."""
    layout.picture(figures.supports(release.pairs), key="pairs-supports")
    bounded = [(words.plain(pair.name), pair.share) for pair in release.pairs if pair.share is not None]
    st.markdown(text.in_short(bounded))


def _matrix(release: ReleaseView) -> None:
    """Draw the filters, the matrix of the matching pairs, and the same pairs as a list."""
    titles = {view.name: view.title for view in release.columns}
    left, middle, right = st.columns([2, 2, 2], gap="small", vertical_alignment="bottom")
    sought = left.text_input("Search columns", help=text.SEARCH_HELP, key="pairs-search")
    order = layout.pick("Order of columns", text.ORDERS, on=middle, key="pairs-order")
    kinds: list[str] = []
    if not release.measures_pairs:
        kinds = layout.pick_several(
            text.KINDS_LABEL, text.KINDS, on=right, placeholder=text.KINDS_ALL, key="pairs-kinds"
        )
    limit = careful_above(release)
    doubtful = st.toggle(text.DOUBTFUL.format(share=words.share(limit)), key="pairs-doubtful")
    shown = pairs.narrowed(release.pairs, words=sought, kinds=kinds, beyond=limit if doubtful else None)
    if not shown:
        st.info("No pair matches. Shorten the search or choose *All*.", icon=":material/search_off:")
        return
    names = pairs.in_order(shown, titles, order)
    figure = figures.matrix(
        shown, names, titles, is_measured=release.measures_pairs, confidence=release.confidence
    )
    layout.pressed(figure, key="pairs-matrix", on_press=_press)
    confidence = words.share(release.confidence)
    note = text.note(len(names), confidence=confidence, is_measured=release.measures_pairs)
    st.caption(note, help=DEFINITION)
    layout.list_of(figure, key="pairs-list", on_pick=lambda place: _show(shown[place]))


def careful_above(release: ReleaseView) -> float:
    """Return the error above which a pair needs care, as chosen on the accuracy card."""
    if not release.is_judged:
        return pairs.RELIABLE
    return float(state.kept(CAREFUL_KEY) or 100 * CAREFUL) / 100


def _press(point: list[str]) -> None:
    """Handle a click on a cell of the matrix."""
    state.put({ONE: point[0], OTHER: point[1]})


def _show(pair: PairBound) -> None:
    """Handle the selection of a line in the list."""
    state.put({ONE: pair.clique[0], OTHER: pair.clique[1]})


def _one(release: ReleaseView, folder: Path) -> None:
    """Draw two fields for choosing a pair with the keyboard, and draw the chosen pair."""
    st.subheader("One pair", anchor="pair")
    clique = choose({view.name: view.title for view in release.columns}, first=_first(release), prefix="pair")
    if clique is None:
        return
    if pairs.found(release.pairs, *clique) is None:
        st.info(text.NOT_THERE, icon=":material/info:")
        return
    pair(pairs.view(folder, clique))


def _first(release: ReleaseView) -> tuple[str, str]:
    """Return the pair that is shown first, which has the highest error or bound."""
    known = [pair for pair in release.pairs if pair.shown is not None]
    one, other = max(known or release.pairs, key=lambda pair: pair.shown or 0.0).clique
    return one, other


def choose(titles: dict[str, str], *, first: tuple[str, str], prefix: str) -> tuple[str, str] | None:
    """Let the user choose two different columns, by default `first`. If both are the same, show a note and
    return None.
    """
    for key, name in zip((f"{prefix}-one", f"{prefix}-other"), first, strict=True):
        if state.kept(key) not in titles:
            state.put({key: name})
    left, right = st.columns(2, gap="small")
    one = layout.pick(text.ONE, titles, on=left, key=f"{prefix}-one")
    other = layout.pick(text.OTHER, titles, on=right, key=f"{prefix}-other")
    if one == other:
        st.info("Choose two different columns.", icon=":material/info:")
        return None
    return one, other


def pair(view: PairView) -> None:
    """Show the bound of a pair, its source, and its table as a heat map."""
    st.markdown(text.known(view))
    tables = {text.OWN: view.own} | ({text.MERGED: view.merged} if view.merged is not None else {})
    with st.container(horizontal=True):
        values = text.OWN
        if len(tables) > 1:
            values = layout.one_of(text.VALUES, {name: name for name in tables}, text.OWN, key="pair-values")
        table = tables[values]
        quantities = text.QUANTITIES if table.noisy is not None else {Quantity.SYNTHETIC: text.SYNTHETIC}
        shown = Quantity.SYNTHETIC
        if len(quantities) > 1:
            shown = layout.one_of(text.QUANTITY, quantities, Quantity.SYNTHETIC, key="pair-quantity")
        unit = layout.one_of(text.UNIT, text.units(view), False, key="pair-unit")
    layout.chart(heat(view, table, shown, percent=unit), key="pair-heat")
    st.caption(text.cells(view, table), help=None if table.noisy is None else text.CELLS_HELP)
