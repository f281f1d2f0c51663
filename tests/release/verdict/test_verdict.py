"""The verdict: intervals that hold, for the judged table and for others from the same measurements."""

import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from synth.analyst.measured import Judged as JudgedTable
from synth.core.accounting import UNITS_PER_RHO
from synth.core.domain import Domain
from synth.core.schema import ProtectedChange, Schema, Unit
from synth.core.table import CodeTable
from synth.private.account import Account
from synth.private.counting.codes import Codes
from synth.private.ledger import Ledger
from synth.private.session import PrivateSource
from synth.release.checks.bounds import BOUND_PART, Support, judged, nothing
from synth.release.verdict import asking
from synth.release.verdict.asking import MOST_TABLES, queries_about
from synth.release.verdict.figures import Figure, Verdict, judged_in, verdict_of

DOMAIN = Domain(("a", "b", "c"), (4, 3, 2))
UNITS = UNITS_PER_RHO // 200
TOTAL = 2010.0


def rows(seed: int, many: int = 2000) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, many)
    return np.stack([a, (a + rng.integers(0, 2, many)) % 3, (a > 1) ^ (rng.random(many) < 0.2)], axis=1)


def distance(private: np.ndarray, released: np.ndarray, clique: tuple[str, ...]) -> float:
    """The exact TVD as the verdict defines it, in another way than the code."""
    one, other = ({}, {})  # type: tuple[dict[tuple[int, ...], float], dict[tuple[int, ...], float]]
    for counts, table, weight in ((one, private, 1.0), (other, released, TOTAL / len(released))):
        for row in table[:, DOMAIN.axes(clique)].tolist():
            counts[tuple(row)] = counts.get(tuple(row), 0.0) + weight
    return sum(abs(one.get(k, 0.0) - other.get(k, 0.0)) for k in one | other) / (2 * TOTAL)


@pytest.fixture
def source(tmp_path: Path) -> PrivateSource:
    ledger, one = Ledger(tmp_path / "ledger.sqlite"), ProtectedChange(max_rows=1)
    ledger.open_population("p", units=1000 * UNITS, reason="test", protects=one)
    ledger.open_run("p", "r", units=1000 * UNITS, label="t", protects=one)
    account = Account(ledger, "r", part="verdict", units=1000 * UNITS, population="p")
    schema = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=())
    return PrivateSource(Codes.of(rows(0), DOMAIN), DOMAIN, account, schema=schema)


def verdicts(source: PrivateSource, released: np.ndarray, many: int) -> list[Verdict]:
    requested = queries_about(CodeTable(DOMAIN, released), TOTAL, target="c")
    each = requested.priced(UNITS)
    answers = source.ask(each * many)
    parts = [answers[i : i + len(each)] for i in range(0, len(answers), len(each))]
    return [verdict_of(part, requested, total=TOTAL, total_sd=0.0) for part in parts]


def test_intervals_hold_as_often_as_stated_and_sigma_is_that_of_the_noise(
    source: PrivateSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 verdicts with six tables each: by chance outside 4.5 deviations less than once in 10,000 runs."""
    monkeypatch.setattr(asking, "MOST_IN_MEAN", 5)
    released, many = rows(1, 1500), 300
    found = verdicts(source, released, many)
    cliques = [one.clique for one in found[0].tables]
    assert cliques == [("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c")]
    truth = np.array([distance(rows(0), released, clique) for clique in cliques])
    errors = np.array([[one.error.estimate for one in v.tables] for v in found]) - truth
    sd = found[0].tables[0].error.sd
    assert abs(errors.mean()) < 4.5 * sd / math.sqrt(errors.size)
    assert errors.std() == pytest.approx(sd, rel=4.5 / math.sqrt(2 * errors.size))
    held = np.mean(
        [
            low <= t <= high
            for v in found
            for one, t in zip(v.tables, truth, strict=True)
            for low, high in [one.error.interval(0.9)]
        ]
    )
    assert abs(held - 0.9) < 4.5 * math.sqrt(0.9 * 0.1 / errors.size)
    of = dict(zip(cliques, truth, strict=True))
    limits = [v.limit(2, 0.9) for v in found]
    pairs = [of[clique] for clique in cliques[3:]]
    below = np.mean([max(pairs) <= limit for limit in limits])
    assert below > 0.9 - 4.5 * math.sqrt(0.9 * 0.1 / many)
    mean = np.array([v.means["pairs"].estimate for v in found])
    assert mean.std() == pytest.approx(sd / math.sqrt(3), rel=4.5 / math.sqrt(2 * many))
    assert found[0].means["pairs"].sd == pytest.approx(sd / math.sqrt(3))


def test_an_error_of_the_total_is_part_of_the_intervals(source: PrivateSource) -> None:
    """Without one value of a column the TVD is off by a quarter of the error of the total."""
    private, off = rows(0), 60.0
    released = private[private[:, 0] < 3]
    requested = queries_about(CodeTable(DOMAIN, released), 2000 + off, target="c")
    answers = source.ask(requested.priced(900 * UNITS))
    truth = np.mean(private[:, 0] == 3)
    guessed = np.mean(private[:, 2] == np.bincount(released[:, 2]).argmax())
    for total_sd, holds in ((off, True), (0.0, False)):
        v = verdict_of(answers, requested, total=2000 + off, total_sd=total_sd)
        for figure, true in ((v.tables[0].error, truth), (v.predicted[0].constant, guessed)):
            low, high = figure.interval(0.95)
            assert (low <= true <= high) == holds
        assert v.means["columns"].sd >= total_sd / (2 * (2000 + off))


def test_triples_ranges_and_predictions_are_measured_too(source: PrivateSource) -> None:
    released = rows(1, 1500)
    requested = queries_about(CodeTable(DOMAIN, released), TOTAL, target="c")
    (v,) = [verdict_of(source.ask(requested.priced(100 * UNITS)), requested, total=TOTAL, total_sd=0.0)]
    triple, sd = distance(rows(0), released, ("a", "b", "c")), v.means["triples"].sd
    assert v.means["triples"].estimate == pytest.approx(triple, abs=4.5 * sd)
    assert abs(v.means["ranges"].estimate) < 0.05
    (c,) = v.predicted
    assert c.target == "c" and c.correct.estimate > 0.75 > c.constant.estimate + 4.5 * c.constant.sd


def test_another_table_has_the_distance_between_the_two_in_its_limits(source: PrivateSource) -> None:
    first, other = rows(1, 1500), rows(2, 1200)
    requested = queries_about(CodeTable(DOMAIN, first), TOTAL, target="c")
    answers = source.ask(requested.priced(100 * UNITS))
    same = verdict_of(answers, requested, total=TOTAL, total_sd=0.0, table=CodeTable(DOMAIN, first))
    assert same.is_of_this_table is False and max(one.error.apart for one in same.tables) < 1e-9
    far = verdict_of(answers, requested, total=TOTAL, total_sd=0.0, table=CodeTable(DOMAIN, other))
    assert far.predicted == ()
    for one in far.tables:
        truth = distance(rows(0), other, one.clique)
        assert one.error.apart > 0 and truth <= one.error.upper(1e-5)
        assert one.error.interval(0.99999)[0] <= truth


def test_rows_that_were_drawn_again_differently_are_not_taken_for_those_that_were_judged(
    source: PrivateSource,
) -> None:
    """A resumed run gets the answers about the earlier rows; their counts are in the query's state."""
    first, again = (queries_about(CodeTable(DOMAIN, rows(s, 1500)), TOTAL, target="c") for s in (1, 2))
    v = verdict_of(source.ask(first.priced(UNITS)), again, total=TOTAL, total_sd=0.0)
    assert v.is_of_this_table is False and v.means.keys() == {"columns", "pairs"}
    assert all(one.error.apart > 0 for one in v.tables)
    assert v.predicted == (), "they are those of a classifier of the earlier rows"


def test_a_wide_table_is_judged_in_a_fixed_part_of_its_pairs() -> None:
    domain = Domain(tuple(f"c{i}" for i in range(70)), (2,) * 70)
    table = CodeTable(domain, np.random.default_rng(0).integers(0, 2, (50, 70)))
    requested, same = (queries_about(table, 50.0, target=None) for _ in range(2))
    assert len(requested.each.score.cliques) == MOST_TABLES and requested.means.keys() == {
        "pairs",
        "triples",
        "ranges",
    }
    assert requested.each.score.facts() == same.each.score.facts()
    assert sum(units for _, units in requested.priced(UNITS)) * UNITS_PER_RHO <= UNITS * (1 + 1e-9)


def test_the_smaller_of_both_limits_is_stated() -> None:
    error = Figure(estimate=0.1, sd=0.01)
    bound = replace(nothing(("a",), 0.025), tvd=0.11, l1_counts=220.0, kind=Support.MEASURED)
    assert judged(bound, None, total=1000.0, beta=0.05) == replace(bound, beta=0.05)
    assert judged(bound, error, total=1000.0, beta=0.05).kind is Support.MEASURED
    wide = replace(bound, tvd=0.5, l1_counts=1000.0)
    assert judged(wide, error, total=1000.0, beta=0.05).kind is Support.MEASURED
    assert judged(nothing(("a",), 0.025), error, total=1000.0, beta=0.05).kind is Support.INFERRED
    assert judged(wide, error, total=1000.0, beta=0.05).tvd == pytest.approx(0.1 + 1.75069 * 0.01, abs=1e-6)


@pytest.mark.parametrize("estimate", [-0.5, -0.01, 0.0, 0.04, 1.2])
def test_no_limit_is_closer_to_the_possible_values_than_the_noise(estimate: float) -> None:
    """An estimate of -0.5 once gave the limit 0 and the interval [0, 0]."""
    error, centre = Figure(estimate=estimate, sd=0.01), min(max(estimate, 0.0), 1.0)
    limits = [
        error.upper(0.05),
        judged(nothing(("a",), 0.05), error, total=1000.0, beta=0.05 / (1 - BOUND_PART)).tvd,
        JudgedTable(estimate=estimate, sd=0.01, apart=0.0).upper(0.95),
    ]
    assert limits == pytest.approx([min(centre + 1.644854 * 0.01, 1.0)] * 3, abs=1e-6)
    low, high = error.interval(0.9)
    assert high == pytest.approx(limits[0]) and low == pytest.approx(max(centre - 1.644854 * 0.01, 0.0))


def test_a_small_table_has_means_only(source: PrivateSource) -> None:
    released = rows(1, 1500)
    requested = queries_about(CodeTable(DOMAIN, released), TOTAL, target=None, widest=0)
    answers = source.ask(requested.priced(100 * UNITS))
    v = verdict_of(answers, requested, total=TOTAL, total_sd=0.0)
    assert v.tables == () and v.is_of_this_table and judged_in(answers) == 0
    for name, width in (("columns", 1), ("pairs", 2)):
        exact = [distance(rows(0), released, r) for r in combinations(DOMAIN.names, width)]
        assert v.means[name].estimate == pytest.approx(np.mean(exact), abs=4.5 * v.means[name].sd + 1e-3)
    again = queries_about(CodeTable(DOMAIN, rows(2, 1500)), TOTAL, target=None, widest=0)
    assert not verdict_of(answers, again, total=TOTAL, total_sd=0.0).is_of_this_table


@pytest.mark.long
def test_no_judged_table_exceeds_the_common_limit_more_often_than_stated(source: PrivateSource) -> None:
    """600 verdicts at 80%: by chance below 0.8 - 4.5 deviations less than once in 10,000 runs."""
    released = rows(1, 1500)
    worst = max(distance(rows(0), released, r) for r in combinations(DOMAIN.names, 2))
    found = [v.limit(2, 0.8) for v in verdicts(source, released, 600)]
    held = np.mean([worst <= limit for limit in found])
    assert held > 0.8 - 4.5 * math.sqrt(0.8 * 0.2 / 600)
