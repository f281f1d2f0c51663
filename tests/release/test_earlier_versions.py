"""Bundles that earlier versions wrote still verify, and other tables are drawn from them.

`version_0_1.zip`: two columns. `version_0_2.zip`: AIM with a rule, a bought list, blanks and pairs held back.
"""

from pathlib import Path

import pytest

from synth.app.jobs.work import further
from synth.release import bundle
from synth.release.opened import open_bundle
from synth.release.verify import verify


@pytest.mark.parametrize(
    ("version", "columns"), [("0_1", ["age", "smokes"]), ("0_2", ["age", "smokes", "town"])]
)
def test_an_earlier_bundle_verifies_and_regenerates(version: str, columns: list[str], tmp_path: Path) -> None:
    earlier = Path(__file__).with_name(f"version_{version}.zip")
    assert verify(earlier).problems == ()
    again = further(open_bundle(earlier), generator=None, rows=50)
    assert list(again.table.columns) == columns and len(again.table) == 50
    folder = bundle.write(again, tmp_path / "again")
    assert verify(folder).problems == ()
    assert open_bundle(folder).statement["receipt"] == open_bundle(earlier).statement["receipt"]


def test_what_was_held_back_in_version_0_2_is_held_back_again(tmp_path: Path) -> None:
    earlier = open_bundle(Path(__file__).with_name("version_0_2.zip"))
    again = further(earlier, generator="independent", rows=50)
    assert again.evidence.held_back and earlier.evidence.held_back
    assert [m.counts.tolist() for m in again.evidence.held_back] == [
        m.counts.tolist() for m in earlier.evidence.held_back
    ]
