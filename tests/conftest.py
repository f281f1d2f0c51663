"""No test reaches the places of whoever runs them; and projects of a test's own, with runs or without."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from synth.core.system import places

if TYPE_CHECKING:
    from synth.app.project.store import Project

ROOT = Path(__file__).parents[1]
SCHEMA: dict[str, Any] = {
    "name": "mine",
    "population": "town",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 9},
        {"name": "ward", "kind": "category", "values": ["a", "b"], "blank": False},
        {"name": "note", "kind": "drop"},
    ],
}


EIGHTHS = 8


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--eighth", type=int, choices=range(EIGHTHS), help="run only this eighth of the tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep one eighth of the tests, by a checksum of each test's name, if `--eighth` asks for it."""
    eighth = config.getoption("--eighth")
    if eighth is not None:
        dropped = [item for item in items if zlib.crc32(item.nodeid.encode()) % EIGHTHS != eighth]
        items[:] = [item for item in items if zlib.crc32(item.nodeid.encode()) % EIGHTHS == eighth]
        config.hook.pytest_deselected(items=dropped)


def pytest_report_header(config: pytest.Config) -> str | None:
    eighth = config.getoption("--eighth")
    return None if eighth is None else f"eighth {eighth} of {EIGHTHS} of the selected tests"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Pass over tests of a graphics card where there is none."""
    if item.get_closest_marker("gpu") is not None:
        import torch

        if not torch.cuda.is_available():
            pytest.skip("there is no graphics card that torch can use")


@pytest.fixture(autouse=True)
def _main_module_as_it_was() -> Iterator[None]:
    """A page that Streamlit draws replaces `__main__`; a process spawned later would run that page first."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(autouse=True, scope="session")
def _no_places_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where no variable names a place, it lies in a folder of this session; a test may set its own."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        for name in (places.HOME, places.LEDGER, places.FOLDER, places.CONNECTIONS):
            patch.delenv(name, raising=False)
        patch.setenv(places.DATA_HOME, str(folder))
        patch.setenv(places.CONFIG_HOME, str(folder))
        patch.setattr(places, "USUAL_HOME", str(folder / places.NAME))
        yield


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built of a copy of the files it is made of, without a network."""
    place = tmp_path_factory.mktemp("wheel")
    source = place / "source"
    for name in ("synth", "pages", "assets", ".streamlit"):
        shutil.copytree(
            ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "screenshots")
        )
    for name in ("app.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(place), str(source)], check=True, cwd=place)
    return next(place.glob("marginalia-*.whl"))


@pytest.fixture
def project_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a data folder for one test."""
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))
    monkeypatch.setenv("MARGINALIA_FOLDER", str(tmp_path / "tables"))
    (tmp_path / "tables").mkdir()
    return tmp_path


@pytest.fixture
def mine(project_home: Path) -> Callable[..., Project]:
    """A project on a table that does not exist, with the declarations given."""

    def made(**facts: Any) -> Project:
        from synth.app.project import store as projects

        given: dict[str, Any] = {"name": "mine", "schema": SCHEMA, "data": "/nowhere/t.csv"} | facts
        return projects.Project(id=projects.fresh_id(), origin=projects.Origin.PATH, **given)

    return made


@pytest.fixture
def twice(project_home: Path, mine: Callable[..., Project]) -> Callable[[], Project]:
    """A saved project on a table of four hundred rows with two finished runs."""

    def made() -> Project:
        from synth.app.jobs.spec import RunSpec, fresh_seed
        from synth.app.jobs.store import Job, State, Status
        from synth.app.jobs.work import release
        from synth.app.project import store as projects
        from synth.core.progress import silent

        table, draw = project_home / "tables" / "town.csv", random.Random(1)
        rows = [f"{age},{'ab'[age > 4]},canary-note" for age in (draw.randrange(10) for _ in range(400))]
        table.write_text("\n".join(["age,ward,note", *rows]) + "\n")
        project = mine(data=str(table), runs=("run-1", "run-2"), drafting=False)
        for run, epsilon in zip(project.runs, (0.5, 2.0), strict=True):
            places = {"out": str(project.folder / "releases" / run), "data": project.data}
            places["ledger"] = str(project_home / "ledger.sqlite")
            facts = {"schema": SCHEMA, "population": "town", "method": "independent", "seed": fresh_seed()}
            budget = {"epsilon": epsilon, "delta": 1e-7, "lifetime_epsilon": 8.0}
            spec = RunSpec(run=run, **places, **facts, **budget)
            job = Job.create(spec)
            release(spec, silent)
            job.write_status(Status(state=State.DONE, done=1.0))
        projects.save(project)
        return project

    return made


def _networks_of(monkeypatch: pytest.MonkeyPatch, *, taken: int, again: int) -> None:
    from synth.models.networks.network import NetworkGenerator
    from synth.models.registry import GENERATORS

    @dataclass(frozen=True, kw_only=True)
    class SmallNetwork(NetworkGenerator):
        width: int = 12
        batch: int = 24
        steps: int = taken
        round_steps: int = again

    monkeypatch.setitem(GENERATORS, NetworkGenerator.name, SmallNetwork)


@pytest.fixture
def small_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the generator `network` small enough to be fitted hundreds of times."""
    _networks_of(monkeypatch, taken=150, again=5)


@pytest.fixture
def hasty_networks(small_networks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train the generator `network` for a few steps only, for tests that need no converged network."""
    _networks_of(monkeypatch, taken=3, again=2)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A Postgres of this session's own (`tests/postgres.py`); skipped where Debian's package is not there."""
    pytest.importorskip("psycopg", reason="the extra 'databases' is not installed")
    pytest.importorskip("ibis", reason="the extra 'databases' is not installed")
    from tests.postgres import programs, server

    if programs() is None:
        pytest.skip("there is no Postgres here: apt-get install postgresql")
    with server() as running:
        yield running
