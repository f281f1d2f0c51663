"""A project survives the disk, and a path never leads out of the allowed folder."""

import io
import json
import stat
from pathlib import Path

import pytest

from synth.app.project import store as projects
from synth.app.project.store import Budget, Method, Origin, Project
from synth.core.errors import Mistake

pytestmark = pytest.mark.usefixtures("project_home")


class Box(io.BytesIO):
    """A file box's content."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name


def project() -> Project:
    rules = ("if a is x then b is y", {"forbidden": {"a": ["x"], "b": "0 to 4"}})
    words = {"weights": {"later": "high"}, "importance": {"a": "off"}, "rows_at_most": 9}
    budget = Budget(epsilon=0.3, delta=1e-8, lifetime=2.0, **words)
    method = Method(name="independent", options={"rounds": 4}, rows=10, workload=3, extras=("pgm",))
    facts = {"name": "survey", "origin": Origin.PATH, "data": "/somewhere/t.csv", "drafting": False}
    facts |= {"schema": {"name": "survey"}, "rules": rules, "runs": ("20240101-abcdef01",)}
    return Project(id=projects.fresh_id(), budget=budget, method=method, **facts)


def test_what_is_saved_comes_back_equal() -> None:
    kept = project()
    projects.save(kept)
    assert projects.load(kept.id) == kept


def test_the_folder_and_the_file_are_the_owners_alone() -> None:
    kept = project()
    projects.save(kept)
    assert stat.S_IMODE(kept.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((kept.folder / "project.json").stat().st_mode) == 0o600


def test_a_project_copied_to_another_address_is_not_opened() -> None:
    kept, other = project(), projects.fresh_id()
    projects.save(kept)
    projects.folder_of(other).mkdir()
    document = json.loads((kept.folder / "project.json").read_text())
    (projects.folder_of(other) / "project.json").write_text(json.dumps(document))
    with pytest.raises(Mistake):
        projects.load(other)


def test_an_upload_is_kept_byte_for_byte_and_private() -> None:
    content = bytes(range(256)) * 9000
    path = projects.keep_upload(projects.fresh_id(), Box("t.csv", content), suffix=".csv")
    assert path.read_bytes() == content
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "typed",
    [
        "../outside.csv",
        "/etc/passwd",
        "link.csv",
        "inside/../../outside.csv",
        "../*.csv",
        "*.csv",
        ".",
        "../no",
    ],
)
def test_no_path_and_no_link_leads_out_of_the_folder(tmp_path: Path, typed: str) -> None:
    (tmp_path / "outside.csv").write_text("x")
    (tmp_path / "tables" / "inside").mkdir()
    (tmp_path / "tables" / "link.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(Mistake, match=r"outside the data folder .*Move it there first"):
        projects.allowed_address(typed)
