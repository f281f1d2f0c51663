import contextlib
import os
import sys
from pathlib import Path

import synth
from synth.cli import main


def test_the_app_is_served_to_this_machine_only(monkeypatch):
    started = []
    monkeypatch.setattr(os, "execv", lambda path, arguments: started.append((path, arguments)))
    monkeypatch.chdir(Path.cwd())  # so that the change of folder is undone
    root = Path(synth.__file__).parents[1]
    with contextlib.suppress(TypeError):  # a server that started never comes back here
        main(["app", "--port", "8765", "--no-browser"])
    ((path, arguments),) = started
    assert path == sys.executable
    assert arguments[arguments.index("--server.address") + 1] == "127.0.0.1"
    assert arguments[arguments.index("--server.port") + 1] == "8765"
    assert (root / "synth" / "ui" / "serve.py").samefile(arguments[arguments.index("run") + 1])


def test_another_address_needs_a_login(monkeypatch, capsys):
    started = []
    monkeypatch.setattr(os, "execv", lambda path, arguments: started.append(arguments))
    monkeypatch.chdir(Path.cwd())
    monkeypatch.delenv("MARGINALIA_LOGIN", raising=False)
    assert main(["app", "--no-browser", "--address", "0.0.0.0"]) == 2
    assert "'0.0.0.0'" in capsys.readouterr().err and not started
    monkeypatch.setenv("MARGINALIA_LOGIN", "required")
    with contextlib.suppress(TypeError):
        main(["app", "--no-browser", "--address", "0.0.0.0"])
    (arguments,) = started
    assert arguments[arguments.index("--server.address") + 1] == "0.0.0.0"
    assert "nowhere else" not in capsys.readouterr().err
