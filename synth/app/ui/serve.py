"""The app as a server with headers of its own: `python -m synth app` starts it.

What follows `--` on its command line are addresses that a browser is opened at: Streamlit opens none for such
a server, and is stated that there is no screen, for on one it advertises.
"""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread

from starlette.middleware import Middleware
from streamlit import App

from synth.app.ui import guards
from synth.app.ui.headers import Headers


@asynccontextmanager
async def _opened(app: App) -> AsyncIterator[None]:
    for address in sys.argv[1:]:
        Thread(target=webbrowser.open, args=[address], daemon=True).start()
    yield


app = App(
    str(guards.ROUTER), lifespan=_opened, middleware=[Middleware(Headers)], on_script_error=guards.report
)
