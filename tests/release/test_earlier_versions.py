"""A bundle that version 0.1 wrote (`version_0_1.zip`) still verifies, and another table is drawn from it."""

from __future__ import annotations

from pathlib import Path

from synth.jobs.work import further
from synth.release import bundle
from synth.release.opened import open_bundle
from synth.release.verify import verify

EARLIER = Path(__file__).with_name("version_0_1.zip")


def test_a_bundle_of_version_0_1_verifies_and_regenerates(tmp_path: Path) -> None:
    assert verify(EARLIER).problems == ()
    again = further(open_bundle(EARLIER), generator=None, rows=50)
    assert list(again.table.columns) == ["age", "smokes"] and len(again.table) == 50
    folder = bundle.write(again, tmp_path / "again")
    assert verify(folder).problems == ()
    assert open_bundle(folder).statement["receipt"] == open_bundle(EARLIER).statement["receipt"]
