"""The app as a server with headers of its own: `python -m synth app`, or `streamlit run serve.py`."""

from __future__ import annotations

from starlette.middleware import Middleware
from streamlit import App

from synth.ui import guards
from synth.ui.headers import Headers

app = App("app.py", middleware=[Middleware(Headers)], on_script_error=guards.report)
