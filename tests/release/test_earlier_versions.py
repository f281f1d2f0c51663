"""Bundles that earlier versions wrote still verify, other tables are drawn from them, and they are compared.

`version_0_1.zip`: two columns. `version_0_2.zip`: AIM with a rule, a bought list, blanks and pairs held back.
`version_0_9.zip`: Blend with pairs held back.
"""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from synth.app.jobs.work import further
from synth.app.project.results import compare
from synth.release import bundle
from synth.release.layout import CHECKSUMS
from synth.release.opened import open_bundle
from synth.release.verify import verify

COLUMNS = {
    "0_1": ["age", "smokes"],
    "0_2": ["age", "smokes", "town"],
    "0_9": ["age", "smokes", "town", "plan"],
}


@pytest.mark.parametrize("version", COLUMNS)
def test_an_earlier_bundle_verifies_regenerates_and_compares(version: str, tmp_path: Path) -> None:
    place = Path(__file__).with_name(f"version_{version}.zip")
    assert verify(place).problems == ()
    earlier = open_bundle(place)
    again = further(earlier, generator=None, rows=50)
    assert list(again.table.columns) == COLUMNS[version] and len(again.table) == 50
    folder = bundle.write(again, tmp_path / "again")
    assert verify(folder).problems == ()
    assert open_bundle(folder).statement["receipt"] == earlier.statement["receipt"]
    shutil.unpack_archive(place, tmp_path / "earlier")
    (sums,) = (tmp_path / "earlier").rglob(CHECKSUMS)
    both = [SimpleNamespace(run=str(f), folder=f) for f in (sums.parent, folder)]
    standings = compare.standings(both)  # type: ignore[arg-type]
    assert [s.mean("pairs") for s in standings] == [None, None] and standings[0].bound is not None


@pytest.mark.parametrize("version", ["0_2", "0_9"])
def test_what_an_earlier_version_held_back_is_held_back_again(version: str) -> None:
    earlier = open_bundle(Path(__file__).with_name(f"version_{version}.zip"))
    again = further(earlier, generator="independent", rows=50)
    assert again.evidence.held_back and earlier.evidence.held_back
    assert [m.counts.tolist() for m in again.evidence.held_back] == [
        m.counts.tolist() for m in earlier.evidence.held_back
    ]
