"""A bought range whose end holds what lies beyond it is told; what is noise, declared or at 0 is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synth.core.axis import Axis, Grouping
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.schema import Column, Kind, Outside, Provenance
from synth.estimates.effects import Pool
from synth.release.checks.flags import Flag
from synth.release.checks.ranges import range_flags
from tests.models.examples import measurement

AMOUNT = Column(
    name="amount",
    title="Amount paid",
    kind=Kind.INTEGER,
    min=0,
    max=39,
    blank=False,
    provenance=Provenance.ESTIMATED,
)
EDGES = (0.0, 10.0, 20.0, 30.0, 40.0)


def flags(
    counts: list[int],
    *,
    column: Column = AMOUNT,
    edges: tuple[float, ...] = EDGES,
    variance: int = 100,
    groupings: tuple[Grouping, ...] = (),
) -> list[Flag]:
    domain = Domain(("amount",), (len(counts),))
    axis = Axis(column=column, edges=edges)
    codebook = replace(Codebook.plain(domain), axes=(axis,), groupings=groupings)
    stated = measurement(("amount",), counts, variance)
    return range_flags(Pool(domain, [stated]), codebook)


def test_a_last_bin_far_fuller_than_the_one_beside_it_is_told_with_both() -> None:
    (flag,) = flags([900, 400, 30, 1_420])
    assert "1,420 records are in its last bin, 30 to 39, and 30 in the next one" in flag.sentence
    assert flag.columns == ("amount",) and not flag.blocks and flag.advice


@pytest.mark.parametrize(
    "counts, variance",
    [
        ([900, 400, 300, 700], 100),
        ([900, 400, 30, 1_420], 10**6),
        ([0, 0, 0, 0], 1),
        ([2_000, 50, 40, 30], 100),
    ],
    ids=["within three times", "within the noise", "nothing", "many at 0"],
)
def test_what_may_be_so_is_not_told(counts: list[int], variance: int) -> None:
    assert flags(counts, variance=variance) == []


def test_declared_ranges_merged_bins_and_what_lies_outside_as_a_blank_are_left_alone() -> None:
    counts = [900, 400, 30, 1_420]
    assert flags(counts, column=replace(AMOUNT, provenance=Provenance.STEWARD)) == []
    assert flags(counts, column=replace(AMOUNT, outside=Outside.MISSING)) == []
    merged = Grouping(column="amount", group_of=(0, 1, 2, 3), weights=(1.0, 1.0, 1.0, 1.0))
    assert flags(counts, groupings=(merged,)) == []
