"""No step opens before what it needs, every locked one says where to go, and confirming leads onward."""

from pathlib import Path

import pytest

from synth.app.project import journey
from synth.app.project.journey import Mark
from synth.app.ui.text import frame as text

pytestmark = pytest.mark.usefixtures("project_home")


def marks(*met: str) -> dict[str, Mark]:
    return {station.step.name: station.mark for station in journey.stations(frozenset(met))}


def test_every_step_has_a_page_and_every_page_is_a_step() -> None:
    pages = {path.stem for path in (Path(__file__).parents[3] / "pages").glob("*.py")}
    assert pages == set(journey.BY_NAME) and len(journey.STEPS) == len(journey.BY_NAME)


def test_every_locked_step_says_what_is_missing_and_leads_to_an_open_step() -> None:
    names = [step.name for step in journey.STEPS if not step.aside]
    for reached in range(len(names)):
        met = frozenset(names[:reached])
        for station in journey.stations(met):
            assert (station.mark is Mark.LOCKED) == bool(station.missing)
            if station.leads_to is not None:
                assert text.MISSING[station.missing]
                assert marks(*met)[station.leads_to.name] is not Mark.LOCKED


def test_the_way_on_skips_what_is_done_and_never_ends_at_an_aside() -> None:
    everything = frozenset(step.name for step in journey.STEPS) | {"file"}
    assert journey.next_open(everything) is None
    step = journey.next_open(everything - {"results"}, after="project")
    assert step is not None
    assert step.name == "results"
    assert journey.progress(everything)[0] == journey.progress(everything)[1]
