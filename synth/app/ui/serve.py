"""The app as a server with its own headers: `python -m synth app` starts it.

Arguments after `--` are addresses that a browser opens: Streamlit opens none for such a server. It runs in
headless mode, because otherwise it shows advertising.
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
