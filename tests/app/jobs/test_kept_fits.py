"""What is kept of fits comes back whole and for the same fit, or not at all."""

import stat
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
