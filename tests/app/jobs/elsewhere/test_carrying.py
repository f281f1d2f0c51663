"""Public files from folder to folder: all of them, and nothing that an archive or a link could hide."""

import os
import zipfile
from pathlib import Path

import pytest

from synth.app.jobs.elsewhere.carrying import make, pack, unpack
from synth.core.errors import Mistake

CANARY = "canary-77c"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source" / "a" / "b").mkdir(parents=True)
    (tmp_path / "source" / "a" / "b" / "deep.txt").write_text("deep")
    (tmp_path / "source" / "top.txt").write_text("top")
    return tmp_path / "source"


def below(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_all_files_are_carried_for_whom_it_concerns(source: Path, tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        pack(source, tmp_path / "x.zip")
        unpack(tmp_path / "x.zip", tmp_path / "copy")
    finally:
        os.umask(old)
    assert below(tmp_path / "copy") == {"a/b/deep.txt": "deep", "top.txt": "top"}
    assert (tmp_path / "x.zip").stat().st_mode & 0o777 == 0o660
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o700
    assert make(tmp_path / "new").stat().st_mode & 0o777 == 0o770


@pytest.mark.parametrize("way", ["link", "pipe", "text", "packed small"])
def test_what_is_no_such_archive_is_not_read(source: Path, tmp_path: Path, way: str) -> None:
    place = tmp_path / "x.zip"
    if way == "link":
        pack(source, tmp_path / "private.zip")
        place.symlink_to(tmp_path / "private.zip")
    elif way == "pipe":
        os.mkfifo(place)
    elif way == "text":
        place.write_text(CANARY)
    else:
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("large.txt", "0" * 10_000)
    with pytest.raises(Mistake, match="not a plain file"):
        unpack(place, tmp_path / "copy")
    assert below(tmp_path / "copy") == {}


def test_nothing_is_laid_down_outside_and_no_link_is_made(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as packed:
        for name in ("../out.txt", "a/../../out.txt", "/marginalia-out.txt"):
            packed.writestr(name, "x")
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        packed.writestr(link, "/etc/passwd")
    unpack(tmp_path / "x.zip", tmp_path / "made" / "here")
    assert not (tmp_path / "out.txt").exists() and not (tmp_path / "made" / "out.txt").exists()
    assert not Path("/marginalia-out.txt").exists()
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))
