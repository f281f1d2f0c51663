"""What a bundle's files say is what the run said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from synth.errors import Mistake
from synth.release.opened import Opened, open_bundle
from synth.release.reported import PublishedRun
from synth.synthesis import Synthesis


def test_a_bundle_tells_the_report_what_the_run_would(synthesis: Synthesis, written: Path) -> None:
    found = PublishedRun(open_bundle(written))
    assert np.array_equal(found.codes, synthesis.codes)
    told, own = found.evidence, synthesis.evidence
    assert told.total == own.total
    assert (found.schema, told.codebook.axes, told.domain) == (
        synthesis.schema,
        own.codebook.axes,
        own.domain,
    )
    assert told.codebook.groupings == own.codebook.groupings
    assert [m.clique for m in told.measurements] == [m.clique for m in own.measurements]
    assert [r.sentence for r in found.rules.rules if r.stated] == [
        "if age is 0 to 14 then marital is only 'never'"
    ]
    checks, mine = found.checks, synthesis.checks
    assert [(b.clique, b.kind) for b in checks.bounds] == [(b.clique, b.kind) for b in mine.bounds]
    for one, other in zip(checks.bounds, mine.bounds, strict=True):
        assert one.tvd == (None if other.tvd is None else pytest.approx(other.tvd, rel=1e-5))
    assert (checks.flags, checks.violations) == (mine.flags, mine.violations)


def test_a_missing_part_is_a_mistake(written: Path) -> None:
    opened = open_bundle(written)
    bare = PublishedRun(Opened(files={name: b for name, b in opened.files.items() if "checks" not in name}))
    with pytest.raises(Mistake, match="checks"):
        _ = bare.checks
