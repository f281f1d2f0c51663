"""The published figures, and what a verdict says."""

from __future__ import annotations

import pytest

from synth.bench.report.papers import (
    FIDELITY,
    L1,
    MARGNET,
    PRIVPGD,
    PUBLISHED,
    QUERIES,
    SIX,
    SLICED,
    Published,
    published,
)


def printed(figure: str) -> Published:
    return Published(
        paper=MARGNET, source="Table 0", table="Adult", epsilon=1.0, quantity=FIDELITY, printed=figure
    )


def test_a_figure_is_found_by_what_it_is_about() -> None:
    found = published(MARGNET, "Adult", 0.2, QUERIES)
    assert found is not None and (found.source, found.value) == ("Table 5", 0.015)
    best = published(MARGNET, "Gauss50", 10.0, FIDELITY)
    assert best is not None and best.printed == "0.121"
    assert published(MARGNET, "Gauss50", 10.0, QUERIES) is None
    near, far = (published(PRIVPGD, "ACS Income", epsilon, SLICED) for epsilon in (2.5, 0.2))
    assert near is not None and far is not None and (near.value, far.value) == (0.00043, 0.0024)


def test_nothing_is_there_twice_and_a_smaller_promise_is_never_more_exact() -> None:
    about = [(p.paper, p.table, p.epsilon, p.quantity) for p in PUBLISHED]
    assert len(about) == len(set(about)) == 9 * 2 + 1 + 6 * len(SIX)
    for one in PUBLISHED:
        for other in PUBLISHED:
            alike = (one.paper, one.table, one.quantity) == (other.paper, other.table, other.quantity)
            assert not alike or one.epsilon >= other.epsilon or one.value >= other.value


@pytest.mark.parametrize(
    "figure, ours, verdict",
    [
        ("0.06", 0.0549, "reproduced"),  # its rounding
        ("0.06", 0.0661, "missed"),
        ("0.06", 0.053, "beaten"),
        ("0.02", 0.0249, "reproduced"),  # half a unit of its last digit is more than a tenth of it
        ("0.020", 0.0249, "missed"),  # and is not, of the same figure with one digit more
        ("0.121", 0.133, "reproduced"),
        ("0.121", 0.134, "missed"),
        ("0.00043", 0.00047, "reproduced"),
        ("0.00043", 0.00038, "beaten"),
    ],
)
def test_a_verdict_allows_for_rounding_and_a_tenth(figure: str, ours: float, verdict: str) -> None:
    assert printed(figure).verdict(ours) == verdict


def test_the_six_metrics_are_those_of_the_paper() -> None:
    assert len(SIX) == 6 and {SLICED, L1} <= set(SIX)
    assert {p.quantity for p in PUBLISHED if p.paper == PRIVPGD} == set(SIX)
