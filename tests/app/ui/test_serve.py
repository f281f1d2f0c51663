import asyncio
import sys
import tomllib
import webbrowser
from threading import Event

from synth.app.ui import serve

ADDRESS = "http://127.0.0.1:8765"


def test_the_server_runs_the_router_at_the_top() -> None:
    assert serve.guards.ROUTER.name == "app.py" and serve.guards.ROUTER.is_file()
    assert (serve.guards.ROUTER.parent / "pages").is_dir()


def test_a_browser_is_opened_at_the_addresses_that_are_named(monkeypatch) -> None:
    opened, done = [], Event()
    monkeypatch.setattr(webbrowser, "open", lambda address: (opened.append(address), done.set()))

    async def begin() -> None:
        async with serve._opened(serve.app):
            pass

    monkeypatch.setattr(sys, "argv", ["serve.py"])
    asyncio.run(begin())
    assert not opened
    monkeypatch.setattr(sys, "argv", ["serve.py", ADDRESS])
    asyncio.run(begin())
    assert done.wait(60) and opened == [ADDRESS]


def test_streamlit_advertises_nothing_however_it_is_started() -> None:
    """It does where it finds a coding agent, unless one of the two says otherwise."""
    settings = serve.guards.ROUTER.parent / ".streamlit" / "config.toml"
    told = tomllib.loads(settings.read_text(encoding="utf-8"))
    assert told["server"]["headless"] is told["logger"]["hideWelcomeMessage"] is True
