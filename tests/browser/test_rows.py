"""As many rows of a published release as the steward likes: stopped once, written once, downloaded."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from synth.app.project import store as projects
from synth.app.project.results import publication
from synth.app.project.runs import finished
from synth.app.project.store import Project
from synth.release.documents.statement import Imprint
from tests.browser.steward import Steward

pytestmark = [pytest.mark.browser, pytest.mark.long]

WORDS = Imprint(purpose="Teaching.", licence="CC0", contact="x@y.z", approvers=("A. Steward",))


def test_rows_are_asked_for_stopped_and_downloaded(
    people: Callable[[str], Steward], twice: Callable[[], Project]
) -> None:
    steward = people("first")
    project = replace(twice(), imprint=WORDS)
    run = project.runs[1]
    projects.save(project)
    publication.start(project, finished(project)[1], finished=2)
    deadline = time.monotonic() + 600
    while not publication.is_published(project, run) and time.monotonic() < deadline:
        time.sleep(0.05)
    steward.open(f"/release?p={project.id}")
    steward.see("More rows (free)")
    steward.see("Uses no budget.")
    steward.type(f"rows-{run}", "900000000")
    steward.see("GB on the disk of this server")
    steward.click("write-rows")
    steward.see("of 900,000,000 rows")
    steward.click("stop-rows")
    steward.see("no part of the file is left")
    steward.type(f"rows-{run}", "30")
    steward.click("write-rows")
    steward.see("synthetic-30.parquet")
    steward.click("download-synthetic-30-parquet")
    place = steward.server.place / "first" / "downloads" / "synthetic-30.parquet"
    steward.wait(place.exists, what="a downloaded file")
    assert pq.read_table(place).num_rows == 30
    steward.click("remove-synthetic-30-parquet")
    steward.wait(lambda: "synthetic-30.parquet" not in steward.text(), what="the file gone")
