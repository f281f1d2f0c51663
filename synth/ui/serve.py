"""The app as a server with headers of its own: `python -m synth app` starts it."""

from __future__ import annotations

from starlette.middleware import Middleware
from streamlit import App

from synth.ui import guards
from synth.ui.headers import Headers

app = App(str(guards.ROUTER), middleware=[Middleware(Headers)], on_script_error=guards.report)
