"""Panels of the page for one release package: its description and the accuracy of its rows."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from synth.analyst.kit import Kit
from synth.analyst.measured import Measured
from synth.app.figures import results as figures
from synth.app.ui import layout
from synth.app.ui import text as words
from synth.app.ui.text import asking as text
from synth.core.accounting import exact
from synth.core.numbers import number_of
from synth.release.opened import Bundle, open_bundle


@lru_cache(1)
def opened(place: str) -> tuple[Bundle, Kit]:
    """Open a package (a folder or zip file) once, and cache it. Raises: `Mistake` if there is none."""
    bundle = open_bundle(place)
    return bundle, Kit(Measured.in_files(bundle.files))


def head(bundle: Bundle) -> None:
    """Draw the title, the guarantee, and a warning for a practice run."""
    statement = bundle.statement
    release, unit = statement["release"], statement["unit"]
    st.title(words.plain(release["title"]), anchor=False)
    st.markdown(text.PACKAGE_LEAD)
    if release["rehearsal"]:
        st.warning(text.PRACTICE, icon=":material/theater_comedy:")
    facts = text.PACKAGE_FACTS.format(
        release=release["id"],
        rows=number_of(bundle.spec["rows"], "synthetic row"),
        unit=unit["name"],
        epsilon=exact(statement["epsilon"]),
        delta=exact(statement["delta"]),
        neighbours=statement["neighbours"],
    )
    st.caption(words.plain(facts))


def accuracy(bundle: Bundle) -> None:
    """Draw the mean error of the synthetic rows from the accuracy check."""
    st.header("Accuracy of the rows", anchor="accuracy")
    verdict = bundle.checks.verdict
    if verdict is None:
        st.info(text.NO_ACCURACY, icon=":material/info:")
        return
    layout.picture(figures.accuracy(verdict, bundle.checks.confidence), key="accuracy")
    st.markdown("\n".join(f"- {words.plain(line)}" for line in bundle.statement["accuracy"]))
