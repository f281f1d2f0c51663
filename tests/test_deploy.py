"""What is written for containers and services: rootless, read-only, pinned, and built of what is there."""

import http.server
import json
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from synth import __version__

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "assets" / "deploy"


def instructions() -> list[tuple[str, str]]:
    """The Containerfile's instructions in order, continued lines joined."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    plain = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    lines = re.sub(r"\\\n\s*", " ", plain).splitlines()
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1].strip()) for line in lines if line.strip()]


def given(name: str) -> list[str]:
    return [rest for word, rest in instructions() if word == name]


@pytest.fixture
def compose() -> dict[str, Any]:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def test_the_image_has_no_root_and_asks_for_its_health() -> None:
    last_stage = [i for i, (word, _) in enumerate(instructions()) if word == "FROM"][-1]
    users = [rest for word, rest in instructions()[last_stage:] if word == "USER"]
    assert users == ["10001:10001"]
    (health,) = given("HEALTHCHECK")
    assert "/_stcore/health" in health and not given("ADD")
    assert json.loads(given("ENTRYPOINT")[0]) == ["marginalia"]


def test_all_is_pinned() -> None:
    (base,) = [a for a in given("ARG") if a.startswith("BASE=")]
    assert re.fullmatch(r"BASE=docker\.io/library/python:3\.11\.\d+-slim-bookworm", base)
    build = next(run for run in given("RUN") if "pip" in run)
    assert "--constraint constraints.txt" in build and "sed -n '/^torch==/p' constraints.txt)+cpu" in build
    images = re.findall(r"image: (\S+)", (DEPLOY / "compose.yaml").read_text())
    assert images and all(re.search(r":\d+\.\d+", image) for image in images)


def test_the_version_of_the_image_is_the_programs(compose: dict[str, Any]) -> None:
    assert compose["services"]["app"]["image"].endswith(f":{__version__}")


def test_the_wheel_is_made_of_what_is_copied_into_the_image(tmp_path: Path) -> None:
    """The steps of the container file as a script, without an engine and without the network."""
    source, ignored = tmp_path / "source", (ROOT / ".dockerignore").read_text().splitlines()
    source.mkdir()
    for words in given("COPY"):
        if words.startswith("--from"):
            continue
        *names, target = words.split()
        for name in names:
            kept = {line.lstrip("!").split("/")[0] for line in ignored if line.startswith("!")}
            assert name in kept, f"{name} is left out by .dockerignore"
            place = ROOT / name
            if place.is_dir():
                leave = shutil.ignore_patterns("__pycache__", "*-dark.png", "secrets.toml")
                shutil.copytree(place, source / target, ignore=leave)
            else:
                shutil.copy(place, source / target)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(tmp_path), str(source)], check=True, cwd=tmp_path)
    with zipfile.ZipFile(next(tmp_path.glob("marginalia-*.whl"))) as wheel:
        names = wheel.namelist()
    for wanted in (
        "synth/app/jobs/elsewhere/worker.py",
        "share/marginalia/app.py",
        "config.toml",
        "harbour.csv",
        "start-light.png",
    ):
        assert any(name.endswith(wanted) for name in names), wanted
    assert not any("secrets.toml" in name for name in names)


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_the_health_check_says_what_the_server_says(status: int, code: int) -> None:
    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/_stcore/health" else 404)
            self.end_headers()

        def log_message(self, *words: object) -> None:
            return None

    with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = json.loads(given("HEALTHCHECK")[0].partition("CMD ")[2])
        assert command[:2] == ["python", "-c"]
        script = command[2].replace(":8501/", f":{server.server_port}/")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
        server.shutdown()
    assert (done.returncode != 0) == bool(code)


def test_the_services_can_do_little(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for name in ("app", "worker"):
        one = services[name]
        assert one["read_only"] is True and one["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in one["security_opt"] and "privileged" not in one
    worker = services["worker"]
    assert worker["network_mode"] == "none" and worker["volumes"] == ["share:/srv/share"]
    assert "secrets" not in worker and "environment" not in worker
    assert all(port.startswith("127.0.0.1:") for port in services["app"]["ports"])
    assert services["app"]["environment"]["MARGINALIA_LOGIN"] == "required"
    assert compose["networks"]["source"]["internal"] is True
    assert services["postgres"]["networks"] == ["source"] and "ports" not in services["postgres"]


def test_no_secret_stands_in_the_files(compose: dict[str, Any]) -> None:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    requested = set(re.findall(r"\$\{(\w+)", text))
    example = (DEPLOY / "example.env").read_text(encoding="utf-8")
    assert requested == set(re.findall(r"^(\w+)=", example, re.MULTILINE))
    used = {
        secret if isinstance(secret, str) else secret["source"]
        for service in compose["services"].values()
        for secret in service.get("secrets", ())
    }
    assert used == set(compose["secrets"])
    assert not re.search(r"PASSWORD: ", text)


def test_every_variable_of_the_documents_is_known_to_the_program() -> None:
    known = {
        name
        for path in (ROOT / "synth").rglob("*.py")
        for name in re.findall(r"MARGINALIA_[A-Z]+", path.read_text(encoding="utf-8"))
    }
    known.add("MARGINALIA_CONNECTIONS")
    for name in ("docs/operations.md", "deploy/Containerfile", "deploy/compose.yaml"):
        stated = set(re.findall(r"MARGINALIA_[A-Z]+", (ROOT / "assets" / name).read_text(encoding="utf-8")))
        assert stated <= known, name


def test_the_commands_of_the_documents_can_be_typed() -> None:
    from synth.cli.parser import parse

    unit = (ROOT / "assets" / "docs" / "operations.md").read_text(encoding="utf-8")
    (words,) = re.findall(r"-m synth (worker .+)", unit)
    assert parse(words.split()).folder == "/srv/share"
    assert parse(json.loads(given("CMD")[0])).no_browser
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    assert parse(services["app"]["command"]).address == "0.0.0.0"
    assert parse(services["worker"]["command"]).folder == "/srv/share"
