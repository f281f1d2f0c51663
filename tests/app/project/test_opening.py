"""A project begins with a name, a rehearsal with a word given, and a list shows one owner's projects only."""

from __future__ import annotations

import pytest

from synth.app.project import opening
from synth.app.project.opening import Beginning
from synth.app.project.store import Limits
from synth.core.errors import Mistake

pytestmark = pytest.mark.usefixtures("project_home")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Beginning(name="  ", public=True), "name"),
        (Beginning(name="x" * 81, public=True), "81"),
        (Beginning(name="t"), "public or invented"),
        (Beginning(name="t", rehearsal=False, limits=Limits(release=5.0, lifetime=2.0)), "(5)"),
        (Beginning(name="t", rehearsal=False, limits=Limits(release=-3.0)), "one release is -3. It must"),
        (Beginning(name="t", rehearsal=False, limits=Limits(lifetime=0.0)), "together is 0."),
        (Beginning(name="t", rehearsal=False, limits=Limits(lifetime=101.0)), "at most 100"),
    ],
)
def test_what_is_missing_is_named(given: Beginning, said: str) -> None:
    with pytest.raises(Mistake, match=said.replace("(", r"\(").replace(")", r"\)")):
        opening.begin(given)
