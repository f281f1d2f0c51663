import pytest

from synth.core.errors import Mistake
from synth.release.place import check_place


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
