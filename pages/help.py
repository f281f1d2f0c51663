"""What the app does, the questions people ask, the words, and what to do when something goes wrong."""

from __future__ import annotations

import streamlit as st

from synth.app.project import journey
from synth.app.ui import layout
from synth.app.ui.text import help as text


def story() -> None:
    """The five steps, and what is promised."""
    for place, (title, body) in enumerate(text.STORY, 1):
        with st.container(border=True):
            st.header(f"{place}. {title}", anchor=False)
            st.markdown(body)
    st.header(text.PROMISE_TITLE, anchor=False)
    st.markdown("\n".join(f"- {sentence}" for sentence in text.PROMISED))


def fold(entries: tuple[tuple[str, str], ...]) -> None:
    """Questions that open into their answers."""
    for question, answer in entries:
        with st.expander(question):
            st.markdown(answer)


layout.header(journey.BY_NAME["help"].title, text.LEAD)
first, questions, words, troubles = st.tabs(list(text.TABS))
with first:
    story()
with questions:
    fold(text.QUESTIONS)
with words:
    st.table(
        {"Word": [f"**{word}**" for word, _ in text.WORDS], "Meaning here": [m for _, m in text.WORDS]},
        hide_index=True,
        border="horizontal",
        alt=f"Table of {len(text.WORDS)} words and what they mean here.",
    )
with troubles:
    fold(text.TROUBLES)
