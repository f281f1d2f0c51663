"""The server of the app, which adds its own HTTP headers.

`python -m synth app` starts it. The first argument after `--` is the address to open in a browser, or an
empty string. The second is a release package if only its page is served (`python -m synth ask PACKAGE`). The
module opens the browser itself: Streamlit runs in headless mode, because otherwise it shows advertising.
"""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread

from starlette.middleware import Middleware
from streamlit import App

from synth.app.ui import guards
from synth.app.ui.headers import Headers

PACKAGE_PAGE = Path(__file__).parent / "package" / "page.py"


def script(arguments: list[str]) -> Path:
    """Return the script that draws the pages for this command line."""
    return PACKAGE_PAGE if len(arguments) > 2 else guards.ROUTER


@asynccontextmanager
async def _opened(app: App) -> AsyncIterator[None]:
    for address in filter(None, sys.argv[1:2]):
        Thread(target=webbrowser.open, args=[address], daemon=True).start()
    yield


app = App(
    str(script(sys.argv)), lifespan=_opened, middleware=[Middleware(Headers)], on_script_error=guards.report
)
