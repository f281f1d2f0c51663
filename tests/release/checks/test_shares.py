import numpy as np
import pytest

from synth.release.checks.checks import Checks
from synth.release.checks.shares import DECLARED, HIDDEN, MEASURED, FoundShare, found_shares, share_flags
from synth.rules import CodedShare, MeasuredShare


def coded(name: str, declared: float | None, *, hides: bool = False) -> CodedShare:
    return CodedShare(sentence=name, declared=declared, hides=hides, masks={"a": np.array([True, False])})


def test_where_each_number_is_from_and_what_was_reached() -> None:
    requested = (
        MeasuredShare(coded=coded("one", 0.2)),
        MeasuredShare(coded=coded("two", 0.3, hides=True)),
        MeasuredShare(coded=coded("three", None), noisy=-0.01, sigma=0.02, interval=(0.0, 0.04)),
    )
    found = found_shares(requested, {"one": 0.2, "two": 0.25, "three": 0.0})
    assert [f.origin for f in found] == [DECLARED, HIDDEN, MEASURED]
    assert [(f.wanted, f.reached, f.noisy, f.sigma, f.interval) for f in found] == [
        (0.2, 0.2, None, None, None),
        (0.3, 0.25, None, None, None),
        (0.0, 0.0, -0.01, 0.02, (0.0, 0.04)),
    ]
    (flag,) = share_flags(found, rows=1000)
    assert "'two' is 30.00%, but in the table it is 25.00%" in flag.sentence and not flag.blocks


@pytest.mark.parametrize(
    ("reached", "rows", "met"), [(0.2, 3, True), (1 / 3, 3, True), (0.25, 100, False), (0.0, 0, True)]
)
def test_a_share_is_met_if_so_many_rows_cannot_come_nearer(reached: float, rows: int, met: bool) -> None:
    assert FoundShare(sentence="s", origin=DECLARED, wanted=0.2, reached=reached).is_met(rows) is met


def test_checks_with_shares_are_read_back_and_those_without_say_nothing_of_them() -> None:
    interval = (0.18, 0.22)
    found = (
        FoundShare(
            sentence="s", origin=MEASURED, wanted=0.2, reached=0.25, noisy=0.2, sigma=0.01, interval=interval
        ),
    )
    checks = Checks(bounds=(), residuals=(), violations={}, flags=(), confidence=0.95, shares=found)
    assert Checks.from_json(checks.to_json()) == checks
    bare = Checks(bounds=(), residuals=(), violations={}, flags=(), confidence=0.95)
    assert "shares" not in bare.to_json() and Checks.from_json(bare.to_json()) == bare
