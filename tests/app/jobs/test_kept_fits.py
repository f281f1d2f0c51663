"""What is kept of fits comes back whole and for the same fit, or not at all."""

from __future__ import annotations

import shutil
import stat
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from synth.app.jobs import kept_fits
from synth.app.jobs.kept_fits import KeptFits

KEY, OTHER = "a" * 64, "b" * 64
WEIGHTS = np.random.default_rng(0).normal(size=1000).astype(np.float32)


@pytest.fixture(autouse=True)
def keep_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_fits, "LEAST_SECONDS", 0.0)


def keep(folder: Path, key: str = KEY, weights: np.ndarray = WEIGHTS) -> KeptFits:
    fits = KeptFits(folder)
    fits.checkpoint(key).finish({"weights": weights})
    return fits


def is_kept(folder: Path, key: str = KEY) -> bool:
    return bool(KeptFits(folder).checkpoint(key).finished())


def test_weights_come_back_to_the_last_bit_and_the_files_are_for_the_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "fits"
    keep(folder)
    found = KeptFits(folder).checkpoint(KEY).finished()
    assert set(found) == {"weights"} and found["weights"].dtype == np.float32
    np.testing.assert_array_equal(found["weights"], WEIGHTS)
    (file,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.stat().st_size < WEIGHTS.nbytes + 1000


@pytest.mark.parametrize("harm", ["cut", "empty", "flipped", "longer", "another's", "text", "folder"])
def test_what_is_not_whole_or_another_s_is_passed_over_and_made_good(tmp_path: Path, harm: str) -> None:
    folder = tmp_path / "fits"
    keep(folder)
    (file,) = folder.iterdir()
    content = file.read_bytes()
    match harm:
        case "cut":
            file.write_bytes(content[:-1])
        case "empty":
            file.write_bytes(b"")
        case "flipped":
            file.write_bytes(content[:2000] + bytes([content[2000] ^ 1]) + content[2001:])
        case "longer":
            file.write_bytes(content + b"0")
        case "another's":
            keep(folder, OTHER, -WEIGHTS)
            (folder / file.name.replace(KEY, OTHER)).rename(file)
        case "text":
            file.write_text("these are no weights")
        case "folder":
            file.unlink()
            file.mkdir()
    assert not is_kept(folder)
    keep(folder)
    assert is_kept(folder) or harm == "folder"


def test_quick_fits_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_fits, "LEAST_SECONDS", 60.0)
    keep(tmp_path / "fits")
    assert not is_kept(tmp_path / "fits")


def test_a_run_keeps_no_more_than_its_part_of_the_disk(tmp_path: Path) -> None:
    folder = tmp_path / "fits"
    fits = KeptFits(folder, most_bytes=2 * WEIGHTS.nbytes)
    for key in (KEY, OTHER):
        fits.checkpoint(key).finish({"weights": WEIGHTS})
    assert is_kept(folder) and not is_kept(folder, OTHER)
    again = KeptFits(folder, most_bytes=2 * WEIGHTS.nbytes)  # it counts what is there already
    again.checkpoint(OTHER).finish({"weights": WEIGHTS})
    assert not is_kept(folder, OTHER)
    fits.checkpoint(KEY).finish({"weights": -WEIGHTS})  # in the place of the first
    np.testing.assert_array_equal(fits.read(KEY)["weights"], -WEIGHTS)


def test_a_full_disk_stops_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10, 10, kept_fits.LEFT_FREE))
    keep(tmp_path / "fits")
    assert not is_kept(tmp_path / "fits")
    monkeypatch.undo()
    monkeypatch.setattr(kept_fits, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(Path, "replace", lambda self, other: (_ for _ in ()).throw(OSError("no space left")))
    keep(tmp_path / "fits")
    assert not list((tmp_path / "fits").iterdir())


def test_a_folder_that_cannot_be_made_stops_no_run(tmp_path: Path) -> None:
    (tmp_path / "fits").write_text("in the way")
    keep(tmp_path / "fits")
    assert (tmp_path / "fits").read_text() == "in the way"
