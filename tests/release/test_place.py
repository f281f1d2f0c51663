import errno
import os
from pathlib import Path

import pytest

from synth.core.errors import Mistake
from synth.release.place import check_place, writing


def listed(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_free_place_is_tried_and_left_as_it_was(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o700)
    for place in (tmp_path / "new", tmp_path / "not" / "yet" / "there", empty):
        check_place(place)
        assert listed(tmp_path) == ["empty"]
    assert empty.stat().st_mode & 0o777 == 0o700


def test_a_place_with_something_in_it_is_taken(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for place in (tmp_path, tmp_path / "mine.txt"):
        with pytest.raises(Mistake, match="is not an empty folder"):
            check_place(place)
    assert listed(tmp_path) == ["mine.txt"]


def test_a_place_that_takes_nothing_is_told_with_its_path_and_the_reason(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    for place in (tmp_path / "file" / "x", tmp_path / ("x" * 250), tmp_path / "link"):
        with pytest.raises(Mistake) as caught:
            check_place(place)
        assert str(caught.value).startswith(f"{str(place)!r} cannot be written to (")
        assert listed(tmp_path) == ["empty", "file", "link"]


def test_an_empty_folder_that_cannot_be_replaced_is_found_out(tmp_path, monkeypatch):
    """As one that is immutable, or a mount by itself."""

    def refuse(draft, out):
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(Mistake, match=os.strerror(errno.EBUSY)):
        check_place(tmp_path)
    assert listed(tmp_path) == []


def test_only_what_the_disk_refuses_is_told_of_the_place(tmp_path):
    with (
        pytest.raises(Mistake, match=r"No space left on device\). Make room\."),
        writing(tmp_path, advice="Make room."),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(Mistake, match="does not say why"), writing(tmp_path):
        raise OSError("a cell")
    with pytest.raises(ValueError, match="else"), writing(tmp_path):
        raise ValueError("else")
