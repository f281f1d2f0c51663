"""A form follows from a mechanism's fields: nothing is said twice, nothing is lost on the way back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from streamlit.testing.v1 import AppTest

from synth.app.ui.method import forms
from synth.core.options import option, options_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import Mechanism


@dataclass(frozen=True, kw_only=True)
class Sample(Mechanism):
    name: ClassVar[str] = "sample"
    title: ClassVar[str] = "Sample"
    summary: ClassVar[str] = "A mechanism for this test."
    paper: ClassVar[str] = "none"

    rounds: int = option(3, label="Rounds", help="How many.", low=1, high=9)
    share: float = option(0.5, label="Share", help="Which part.", low=0.0, high=1.0, unit="of the budget")
    careful: bool = option(True, label="Careful", help="Whether.")
    hidden: list[int] = field(default_factory=list)

    def run(self, source: Any, task: Any, *, rng: Any) -> Any: ...


def test_every_mechanism_can_be_drawn_and_an_untouched_form_is_the_default() -> None:
    def page() -> None:
        import streamlit as st

        from synth.app.ui.method import forms
        from synth.mechanisms import MECHANISMS

        drawn = {name: forms.options_form(kind, {}, key=name) for name, kind in MECHANISMS.items()}
        st.session_state["answers"] = drawn

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.session_state["answers"] == {name: {} for name in MECHANISMS}
    boxes = len(app.number_input) + len(app.toggle) + len(app.selectbox)
    assert boxes == sum(len(options_of(kind)) for kind in MECHANISMS.values())
    for kind in MECHANISMS.values():
        defaults = {e.name: e.default for e in options_of(kind)}
        assert kind(**forms.changed(kind, defaults)) == kind()
