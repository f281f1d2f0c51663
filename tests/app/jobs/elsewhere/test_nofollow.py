"""Steps on files that follow no link, at the end of a path or on the way to it."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from synth.app.jobs.elsewhere import nofollow
from synth.core.errors import Mistake

STEPS: dict[str, Callable[[Path], object]] = {
    "reading": lambda folder: nofollow.reading(folder / "x.csv"),
    "writing": lambda folder: nofollow.writing(folder / "new", mode=0o660),
    "put": lambda folder: nofollow.put(folder / "x.csv", b"forged", mode=0o660),
    "make": lambda folder: nofollow.make(folder / "new", mode=0o770),
    "folders": nofollow.folders,
    "move from": lambda folder: nofollow.move(folder / "x.csv", folder.parents[1] / "mine"),
    "move to": lambda folder: nofollow.move(folder.parents[1] / "other", folder / "x.csv"),
    "remove": lambda folder: nofollow.remove(folder / "x.csv"),
    "remove_folder": lambda folder: nofollow.remove_folder(folder / "deep"),
    "kind_of": lambda folder: nofollow.kind_of(folder / "x.csv"),
}


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A private folder, and a file of anybody's beside the shared one."""
    (tmp_path / "private" / "b" / "deep").mkdir(parents=True)
    (tmp_path / "private" / "b" / "x.csv").write_text("id,secret")
    (tmp_path / "share").mkdir()
    (tmp_path / "other").write_text("forged")
    (tmp_path / "private").chmod(0o700)
    return tmp_path / "private"


def of(private: Path) -> dict[str, object]:
    """All that is private, with its rights."""
    paths = [private, *private.rglob("*")]
    return {str(p): (p.stat().st_mode, p.read_text() if p.is_file() else "") for p in paths}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("way", ["last", "on the way"])
def test_no_step_goes_through_a_link(private: Path, step: str, way: str) -> None:
    folder = private.parent / "share" / "a"
    folder.symlink_to(private / "b" if way == "last" else private)
    before = of(private)
    with pytest.raises(Mistake, match="not a plain file"):
        STEPS[step](folder if way == "last" else folder / "b")
    assert of(private) == before and not (private.parent / "mine").exists()


def test_a_link_itself_is_not_opened_and_goes_as_such(private: Path) -> None:
    link = private.parent / "share" / "link"
    link.symlink_to(private)
    before = of(private)
    with pytest.raises(Mistake):
        nofollow.make(link, mode=0o770)
    with pytest.raises(FileExistsError):
        nofollow.writing(link, mode=0o660)
    nofollow.remove_folder(link)
    assert nofollow.kind_of(link) == stat.S_IFLNK and of(private) == before
    assert nofollow.folders(link.parent) == []
    nofollow.move(link, link.with_name("moved"))
    nofollow.put(link.with_name("moved"), b"mine", mode=0o660)
    assert link.with_name("moved").read_text() == "mine" and of(private) == before


def test_a_pipe_is_not_waited_for_and_a_path_leads_down(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Mistake):
        nofollow.reading(tmp_path / "pipe")
    for path in (Path("relative"), tmp_path / ".." / "x"):
        with pytest.raises(ValueError, match="must be absolute"):
            nofollow.folders(path)
