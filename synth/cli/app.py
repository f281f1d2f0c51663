"""`app`: start the app in a browser, for this machine only."""

from __future__ import annotations

import argparse
import os
import socket
import sys
from pathlib import Path
from typing import NoReturn

from synth.cli.arguments import Commands, command
from synth.cli.console import Console
from synth.core.errors import Mistake
from synth.core.system import places

LOOPBACK = "127.0.0.1"
_LOGIN = "MARGINALIA_LOGIN"
_NO_ADVERTISEMENT = ("--server.headless", "true", "--logger.hideWelcomeMessage", "true")
_SERVER = Path(places.__file__).parents[2] / "app" / "ui" / "serve.py"


def add(commands: Commands) -> None:
    parser = command(commands, "app", app, "open the app in a browser, reachable from this machine only")
    parser.add_argument("--port", type=int, default=8501, help="default: 8501")
    parser.add_argument(
        "--address",
        default=LOOPBACK,
        help=f"address to listen on (default: {LOOPBACK}); any other needs {_LOGIN}=required",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")


def app(args: argparse.Namespace, console: Console) -> int:
    """Replace this process with the server of the app."""
    if args.address != LOOPBACK and os.environ.get(_LOGIN) != "required":
        raise Mistake(
            f"Others may reach the app at {args.address!r}, so it needs a login. Set {_LOGIN}=required; "
            "assets/docs/operations.md describes the login and the proxy."
        )
    serve(args.address, args.port, is_quiet=args.no_browser, console=console)


def serve(address: str, port: int, *, is_quiet: bool, console: Console, package: str = "") -> NoReturn:
    """Replace this process with a server for the app, or for one release package (given by its full path).

    A browser opens unless `is_quiet` is true. Raises: `Mistake` if the port cannot be used.
    """
    root = places.program()
    places.places()  # a variable that is not a full path is reported here, not on every page
    _check_port(address, port)
    url = f"http://{address}:{port}"
    console.note(f"The app is available at {url}{' and nowhere else' * (address == LOOPBACK)}.")
    os.chdir(root)  # the app's settings are in this folder
    arguments = [sys.executable, "-m", "streamlit", "run", str(_SERVER), "--server.address", address]
    arguments += ["--server.port", str(port), *_NO_ADVERTISEMENT]
    shown = url if not is_quiet and _has_screen() else ""
    given = [shown, package] if package else [shown] if shown else []
    os.execv(sys.executable, [*arguments, *(["--", *given] if given else [])])


def _check_port(address: str, port: int) -> None:
    """Raise `Mistake` if the port is invalid or the app cannot use it."""
    if not 1 <= port <= 65535:
        raise Mistake(
            f"{port} is not a valid port. Choose a port from 1 to 65535, for example: marginalia app --port "
            "8502."
        )
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        probe.setsockopt(
            socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
        )  # the port of an app that just ended is free
        try:
            probe.bind((address, port))
        except OSError as error:
            raise Mistake(
                f"The app cannot listen at {address!r}, port {port} ({error.strerror}). Choose another port: "
                "marginalia app --port NUMBER, or make run PORT=NUMBER."
            ) from None


def _has_screen() -> bool:
    """Return whether a browser would open in its own window instead of in the terminal."""
    return sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
