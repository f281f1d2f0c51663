"""Public files from folder to folder: all of them, for whom it may concern, and never by a link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from synth.app.jobs.elsewhere import carrying
from synth.app.jobs.elsewhere.carrying import (
    contents_below,
    copy_below,
    digests_below,
    lay_down,
    make,
)
from synth.core.errors import Mistake

CANARY = "canary-77c"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source" / "a" / "b").mkdir(parents=True)
    (tmp_path / "source" / "a" / "b" / "deep.txt").write_text("deep")
    (tmp_path / "source" / "top.txt").write_text("top")
    (tmp_path / "private.csv").write_text(CANARY)
    return tmp_path / "source"


@pytest.mark.parametrize(("shared", "file", "folder"), [(True, 0o660, 0o770), (False, 0o600, 0o700)])
def test_all_files_are_copied_for_whom_it_concerns(
    source: Path, tmp_path: Path, shared: bool, file: int, folder: int
) -> None:
    old = os.umask(0o077)
    try:
        copy_below(source, tmp_path / "copy", shared=shared)
    finally:
        os.umask(old)
    assert contents_below(tmp_path / "copy") == {"a/b/deep.txt": b"deep", "top.txt": b"top"}
    assert (tmp_path / "copy" / "a" / "b" / "deep.txt").stat().st_mode & 0o777 == file
    assert {(tmp_path / "copy" / d).stat().st_mode & 0o777 for d in (".", "a", "a/b")} == {folder}


@pytest.mark.parametrize("way", ["file", "folder", "pipe"])
def test_what_is_no_plain_file_is_not_read(source: Path, tmp_path: Path, way: str) -> None:
    place = source / "a" / "odd"
    if way == "file":
        place.symlink_to(tmp_path / "private.csv")
    elif way == "folder":
        place.symlink_to(tmp_path, target_is_directory=True)
    else:
        os.mkfifo(place)
    for does in (
        lambda: copy_below(source, tmp_path / "copy", shared=False),
        lambda: contents_below(source),
        lambda: digests_below(source),
    ):
        with pytest.raises(Mistake, match="not a plain file"):
            does()
    assert not any(CANARY in p.read_text() for p in (tmp_path / "copy").rglob("*") if p.is_file())


@pytest.mark.parametrize("name", ["../out.txt", "a/../../out.txt", "/tmp/marginalia-out.txt"])
def test_nothing_is_laid_down_outside(tmp_path: Path, name: str) -> None:
    with pytest.raises(Mistake):
        lay_down({name: b"x"}, tmp_path / "made")
    assert not (tmp_path / "out.txt").exists() and not Path("/tmp/marginalia-out.txt").exists()


@pytest.mark.parametrize("shared", [True, False])
def test_a_folder_that_is_a_link_is_neither_read_nor_written(
    source: Path, tmp_path: Path, shared: bool
) -> None:
    (tmp_path / "private").mkdir(mode=0o700)
    (tmp_path / "private" / "people.csv").write_text(CANARY)
    (tmp_path / "link").symlink_to(tmp_path / "private")
    pair = (source, tmp_path / "link") if shared else (tmp_path / "link", tmp_path / "copy")
    with pytest.raises(Mistake, match="not a plain file"):
        copy_below(*pair, shared=shared)
    with pytest.raises(Mistake, match="not a plain file"):
        make(tmp_path / "link")
    assert [p.name for p in (tmp_path / "private").iterdir()] == ["people.csv"]
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o700
    assert not list((tmp_path / "copy").glob("*"))


def test_a_folder_that_becomes_a_link_while_files_are_copied_is_not_read(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "people.csv").write_text(CANARY)
    (source / "c").mkdir()
    copied = carrying._copy

    def slowly(given: Path, target: Path, *, mode: int) -> None:
        copied(given, target, mode=mode)
        if not (source / "c").is_symlink():
            (source / "c").rmdir()
            (source / "c").symlink_to(tmp_path / "private")

    monkeypatch.setattr(carrying, "_copy", slowly)
    with pytest.raises(Mistake, match="not a plain file"):
        copy_below(source, tmp_path / "copy", shared=False)
    assert not any(CANARY in p.read_text() for p in (tmp_path / "copy").rglob("*") if p.is_file())
