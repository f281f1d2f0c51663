"""`app`: the same work in a browser, for this machine only."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from synth import places
from synth.cli.arguments import Commands, command
from synth.cli.console import Console
from synth.errors import Mistake

_LOOPBACK = "127.0.0.1"
_LOGIN = "MARGINALIA_LOGIN"
_SERVER = Path(places.__file__).with_name("ui") / "serve.py"


def add(commands: Commands) -> None:
    parser = command(commands, "app", app, "open the app in a browser, reachable from this machine only")
    parser.add_argument("--port", type=int, default=8501, help="default: 8501")
    parser.add_argument(
        "--address",
        default=_LOOPBACK,
        help=f"where it listens; another than {_LOOPBACK}, the default, needs {_LOGIN}=required",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")


def app(asked: argparse.Namespace, console: Console) -> int:
    """Become the app's server process."""
    if asked.address != _LOOPBACK and os.environ.get(_LOGIN) != "required":
        raise Mistake(
            f"At {asked.address!r} others may reach the app, so it asks who they are: set {_LOGIN}=required, "
            "and see assets/deploy.md for the login and the proxy in front of it."
        )
    root = places.program()
    places.places()  # a variable that names no full path is told here, and not on every page
    if asked.address == _LOOPBACK:
        console.note(f"The app answers at http://{_LOOPBACK}:{asked.port} and nowhere else.")
    os.chdir(root)  # the app's settings lie beside it
    arguments = [sys.executable, "-m", "streamlit", "run", str(_SERVER), "--server.address", asked.address]
    arguments += ["--server.port", str(asked.port), "--server.headless", str(asked.no_browser).lower()]
    os.execv(sys.executable, arguments)
