import contextlib
import os
import socket
import sys
from pathlib import Path

import pytest

import synth
from synth.app.ui import serve
from synth.cli import main


@pytest.fixture
def started(monkeypatch):
    """The arguments of the servers that were started; none is."""
    started = []
    monkeypatch.setattr(os, "execv", lambda path, arguments: started.append(arguments))
    monkeypatch.chdir(Path.cwd())
    return started


def test_the_app_is_served_to_this_machine_only(started):
    root = Path(synth.__file__).parents[1]
    with contextlib.suppress(TypeError):  # a server that started never comes back here
        main(["app", "--port", "8765", "--no-browser"])
    (arguments,) = started
    assert arguments[0] == sys.executable
    assert arguments[arguments.index("--server.address") + 1] == "127.0.0.1"
    assert arguments[arguments.index("--server.port") + 1] == "8765"
    assert (root / "synth" / "app" / "ui" / "serve.py").samefile(arguments[arguments.index("run") + 1])


def test_a_browser_opens_only_where_there_is_a_screen_and_streamlit_never_advertises(started, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    for screen, typed in ((":0", []), ("", []), (":0", ["--no-browser"])):
        monkeypatch.setenv("DISPLAY", screen)
        with contextlib.suppress(TypeError):
            main(["app", "--port", "8765", *typed])
    assert [arguments[-2:] == ["--", "http://127.0.0.1:8765"] for arguments in started] == [
        True,
        False,
        False,
    ]
    for arguments in started:
        for switch in ("--server.headless", "--logger.hideWelcomeMessage"):
            assert arguments[arguments.index(switch) + 1] == "true"


def test_a_port_that_is_in_use_is_told_before_the_app_is_said_to_answer(started, capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["app", "--no-browser", "--port", str(port)]) == 2
    err = capsys.readouterr().err
    assert f"port {port} (Address already in use)" in err and "make run PORT=" in err
    assert "answers" not in err and not started


def test_another_address_needs_a_login(started, monkeypatch, capsys):
    monkeypatch.delenv("MARGINALIA_LOGIN", raising=False)
    assert main(["app", "--no-browser", "--address", "0.0.0.0"]) == 2
    assert "'0.0.0.0'" in capsys.readouterr().err and not started
    monkeypatch.setenv("MARGINALIA_LOGIN", "required")
    with contextlib.suppress(TypeError):
        main(["app", "--no-browser", "--address", "0.0.0.0"])
    (arguments,) = started
    assert arguments[arguments.index("--server.address") + 1] == "0.0.0.0"
    assert "nowhere else" not in capsys.readouterr().err


def test_a_package_without_a_question_is_served_alone(started, bundle, monkeypatch, capsys):
    monkeypatch.setenv("DISPLAY", "")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.chdir(bundle.parent)
    with contextlib.suppress(TypeError):
        main(["ask", bundle.name, "--port", "8765"])
    (arguments,) = started
    assert arguments[-3:] == ["--", "", str(bundle)] or sys.platform != "linux"
    assert serve.script(arguments[-3:]).name == "page.py" and serve.script(arguments[-3:-1]).name == "app.py"
    assert main(["ask", "nothing.zip"]) == 2 and "no release package" in capsys.readouterr().err
    assert main(["ask", bundle.name, "--with", bundle.name]) == 2 and len(started) == 1
