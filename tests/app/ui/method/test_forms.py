"""A form follows from a mechanism's fields: nothing is said twice, nothing is lost on the way back."""

from streamlit.testing.v1 import AppTest

from synth.app.ui.method import forms
from synth.core.options import options_of
from synth.mechanisms import MECHANISMS


def test_every_mechanism_can_be_drawn_and_an_untouched_form_is_the_default() -> None:
    def page() -> None:
        import streamlit as st

        from synth.app.ui.method import forms
        from synth.mechanisms import MECHANISMS

        drawn = {name: forms.options_form(kind, {}, key=name) for name, kind in MECHANISMS.items()}
        st.session_state["answers"] = drawn

    app = AppTest.from_function(page).run()
    assert app.session_state["answers"] == {name: {} for name in MECHANISMS}
    boxes = len(app.number_input) + len(app.toggle) + len(app.selectbox)
    assert boxes == sum(len(options_of(kind)) for kind in MECHANISMS.values())
    for kind in MECHANISMS.values():
        defaults = {e.name: e.default for e in options_of(kind)}
        assert kind(**forms.changed(kind, defaults)) == kind()
