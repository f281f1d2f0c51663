"""A fit is on a page once it has told its loss twice, and nothing is there where none does."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


@pytest.mark.parametrize(("loss", "times"), [(2.5, 3), (2.5, 1), (None, 3)])
def test_only_a_fit_that_tells_its_loss_is_drawn(loss: float | None, times: int) -> None:
    def page(loss: float | None, times: int) -> None:
        from synth.app.jobs.store import Event
        from synth.app.ui import fits

        events = [Event(at="", stage="fit", done=0.0, fact="f", steps=i, loss=loss) for i in range(times)]
        fits.show(events, key="fit")

    app = AppTest.from_function(page, args=(loss, times), default_timeout=600)
    app.session_state["fit-fold"] = True
    app.run()
    assert not app.exception
    assert (
        len(app.get("plotly_chart"))
        == len(app.dataframe)
        == len(app.subheader)
        == (loss is not None and times > 1)
    )
