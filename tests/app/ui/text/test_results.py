"""Texts of the pages that judge and publish: counts, bounds and warnings are what they are called."""

from dataclasses import replace

import pytest

from synth.app.project.results.pairs import PairTable, PairView
from synth.app.project.results.released import GROUPS, PairBound, RedFlag
from synth.app.ui.text import pairs, results
from tests.app.examples import release_of


def test_the_verdict_follows_from_the_warnings() -> None:
    warning, blocking = RedFlag(sentence="s", blocks=False), RedFlag(sentence="s", blocks=True)
    assert results.verdict(release_of()) == results.CLEAR
    assert "Read 2 warnings first" in results.verdict(release_of(flags=(warning, warning)))
    assert results.verdict(release_of(flags=(warning, blocking))) == results.BLOCKED


MEASURED = PairBound(
    clique=("a", "b"), left="a", right="b", kind="measured", share=0.24, coarse=0.11, grouped=True
)


@pytest.mark.parametrize(
    ("bound", "expected", "absent"),
    [
        (
            MEASURED,
            "**Measured in groups of values.** For the groups, the error is at most **11.0%**",
            "Infer",
        ),
        (
            replace(MEASURED, coarse=None, grouped=False),
            "Too high to rely on. **Measured** at full detail.",
            "groups",
        ),
        (
            replace(MEASURED, share=0.1, coarse=None, grouped=False),
            "at most **10.0%** of people, about 10",
            "Too high",
        ),
        (replace(MEASURED, kind="inferred"), "**Measured in groups of values.**", "Inferred"),
        (replace(MEASURED, kind="inferred", grouped=False), "**Inferred** from the selection", "Measured"),
        (replace(MEASURED, kind=GROUPS, share=None), "error of the groups is at most **11.0%**", "No bound"),
        (replace(MEASURED, kind="none", share=None, coarse=None), "**No bound.** The pair was neither", "%"),
        (replace(MEASURED, incomplete=True), "could not be read from the file", "%"),
    ],
)
def test_a_bound_is_called_what_it_is(bound: PairBound, expected: str, absent: str) -> None:
    table = PairTable(down=("x",), across=("y",), synthetic=None, noisy=None, reach=0.0)  # type: ignore[arg-type]
    view = PairView(bound=bound, own=table, merged=table, total=100.0, people=True, confidence=0.95)
    assert expected in pairs.known(view) and absent not in pairs.known(view)
    assert "scaled to 100 people" in pairs.cells(view, table) and "no interval" in pairs.cells(view, table)
    assert "scaled" not in pairs.cells(replace(view, weighed=False), table)
