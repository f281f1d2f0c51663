"""What a run will take, before it is started."""

from __future__ import annotations

from synth.app.project import declared
from synth.app.project.spend.outlook import size_of
from synth.mechanisms.aim import AIM
from synth.mechanisms.independent import Independent

TABLE = declared.read(declared.demo())


def test_pairs_over_the_limit_are_named_the_widest_first() -> None:
    found = size_of(TABLE, AIM(capacity_mb=0.002))
    assert found.limit == 262 and found.too_wide
    assert [cells for *_, cells in found.too_wide] == sorted((c for *_, c in found.too_wide), reverse=True)
    assert found.too_wide[0] == found.widest and found.too_wide[-1][2] > 262
    assert found.is_near
    assert size_of(TABLE, AIM()).too_wide == () and not size_of(TABLE, AIM()).is_near
    assert size_of(TABLE, Independent()).too_wide == ()
