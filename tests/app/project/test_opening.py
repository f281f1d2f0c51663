"""A project begins with a name, a rehearsal with a word given, and a list shows one owner's projects only."""

import re
from typing import Any

import pytest

from synth.app.project import opening
from synth.app.project.store import Limits
from synth.core.errors import Mistake

pytestmark = pytest.mark.usefixtures("project_home")


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("  ", {"public": True}, "name"),
        ("x" * 81, {"public": True}, "81"),
        ("t", {}, "public or invented"),
        ("t", {"rehearsal": False, "limits": Limits(release=5.0, lifetime=2.0)}, "(5)"),
        ("t", {"rehearsal": False, "limits": Limits(release=-3.0)}, "one release is -3. It must"),
        ("t", {"rehearsal": False, "limits": Limits(lifetime=0.0)}, "together is 0."),
        ("t", {"rehearsal": False, "limits": Limits(lifetime=101.0)}, "at most 100"),
    ],
)
def test_what_is_missing_is_named(name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(Mistake, match=re.escape(said)):
        opening.begin(name, **given)
