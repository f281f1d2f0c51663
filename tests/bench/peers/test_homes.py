import importlib.util
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from synth.bench.peers.catalogue import Library
from synth.bench.peers.homes import READY, interpreter, versions

BARE = Library(name="bare", driver=Path("none.py"), installs=(), neighbours="none", caveats=())


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_an_environment_is_made_once_and_tells_its_versions() -> None:
    python = interpreter(BARE)
    assert python.is_file()
    made = python.parent.parent / READY
    before = made.stat().st_mtime_ns
    assert interpreter(BARE) == python and made.stat().st_mtime_ns == before


def tiny(at: Path, version: str) -> Library:
    """A library that needs one package, whose wheel lies in a folder."""
    info = f"tiny-{version}.dist-info"
    with zipfile.ZipFile(at / f"tiny-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return replace(BARE, installs=(("--no-index", "--find-links", str(at), f"tiny=={version}"),))


def test_what_a_library_needs_is_put_into_its_own_environment(tmp_path: Path) -> None:
    library = tiny(tmp_path, "1.0")
    python = interpreter(library)
    assert versions(library) == {"tiny": "1.0"} and importlib.util.find_spec("tiny") is None
    subprocess.run([python, "-c", "import tiny"], check=True)
    assert interpreter(tiny(tmp_path, "2.0")) != python
