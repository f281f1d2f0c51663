"""What a release is said to be good for follows from its figures, for every kind of release."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist
from types import MappingProxyType

import pytest

from synth.app.project.results.released import ColumnView, PairBound, RedFlag, ReleaseView
from synth.app.project.results.uses import uses
from synth.core.numbers import TIMES
from synth.estimates.likely_errors import LEVELS, Likely
from synth.release.verdict.figures import Figure, Judged, Verdict
from tests.app.examples import WARD, release_of

NAMES = ("age", "day", "sex", "work", "ward", "home")
SURELY_GOOD, SURELY_BAD, UNSURE = 0.02, 0.2, 0.07


def column(name: str, values: int, bound: float | None = 0.01) -> ColumnView:
    labels = (*map(str, range(values)), "(blank)")
    return replace(WARD, name=name, title=name.title(), labels=labels, bound=bound)


def likely(error: float, sd: float = 0.01) -> Likely:
    quantiles = tuple(max(0.0, error + sd * NormalDist().inv_cdf(level)) for level in LEVELS)
    return Likely(estimate=error, quantiles=quantiles)


def judged(
    *,
    columns: float,
    pairs: float,
    triples: float,
    sd: float = 0.002,
    posterior: bool = True,
    single: Mapping[str, float] = MappingProxyType({}),
) -> ReleaseView:
    """A release whose mean errors are these; `single` has other errors of pairs, such as `age_day`."""
    errors = {pair: single.get("_".join(pair), pairs) for pair in combinations(NAMES, 2)}
    tables = tuple(
        Judged(
            clique=clique,
            error=Figure(estimate=error, sd=sd),
            likely=likely(error) if posterior else None,
        )
        for clique, error in ({(name,): columns for name in NAMES} | errors).items()
    )
    means = {
        name: Figure(estimate=error, sd=sd)
        for name, error in (("columns", columns), ("pairs", pairs), ("triples", triples))
    }
    views = tuple(column(name, 31 if name == "day" else 5) for name in NAMES)
    bounds = tuple(
        PairBound(
            clique=one.clique,
            left=one.clique[0],
            right=one.clique[1],
            kind="measured",
            share=0.3,
            error=one.stated,
        )
        for one in tables
        if len(one.clique) == 2
    )
    return release_of(columns=views, pairs=bounds, verdict=Verdict(tables=tables, means=means))


DAYS = {"_".join(sorted(("day", name), key=NAMES.index)): SURELY_BAD for name in NAMES if name != "day"}
ALL_GOOD = judged(columns=0.01, pairs=SURELY_GOOD, triples=0.04)
ALL_BAD = judged(columns=0.15, pairs=SURELY_BAD, triples=0.3)
UNCLEAR = judged(columns=UNSURE, pairs=UNSURE, triples=UNSURE)
MIXED = judged(columns=0.025, pairs=0.06, triples=0.22, single={"age_sex": SURELY_GOOD} | DAYS)
NOISY = judged(columns=0.01, pairs=SURELY_GOOD, triples=0.22, sd=0.2, posterior=False)
OTHER = replace(ALL_GOOD, verdict=replace(ALL_GOOD.verdict, is_of_this_table=False))  # type: ignore[type-var]
BOUNDS = release_of(columns=(column("age", 5), column("day", 5, None)), pairs=ALL_GOOD.pairs[:3])
ALONE = release_of(columns=(column("age", 5),))
BLOCKED = replace(ALL_GOOD, flags=(RedFlag(sentence="s", blocks=True),))
MORE = "spend more: epsilon 2 instead of 1 lowers the noise of the measurements by 40%."

MERGE = f"merge values of Day (31 values; it is in 5 of the 10 pairs with the highest errors), or {MORE}"


@pytest.mark.parametrize(
    ("release", "good", "bad", "better"),
    [
        (
            ALL_GOOD,
            (
                "single columns (mean error 1.0%); pairs of columns (mean error 2.0%), such as Age x Day "
                "(2.0%) and Day x Sex (2.0%); tables of three columns (mean error 4.0%)."
            ),
            "single rows, which describe no one. No use has an error that is surely above 10%.",
            MERGE,
        ),
        (
            ALL_BAD,
            "no use has an error that is surely at most 5%.",
            (
                "single columns (mean error 15.0%); pairs of columns (mean error 20.0%); tables of three "
                "columns or more (mean error 30.0%)."
            ),
            MERGE,
        ),
        (
            UNCLEAR,
            "no use has an error that is surely at most 5%.",
            "single rows, which describe no one. No use has an error that is surely above 10%.",
            None,
        ),
        (
            MIXED,
            "single columns (mean error 2.5%); pairs such as Age x Sex (2.0%).",
            (
                "pairs such as Age x Day (20.0%) and Day x Sex (20.0%); tables of three columns or more "
                "(mean error 22.0%)."
            ),
            MERGE,
        ),
        (
            NOISY,
            "no use has an error that is surely at most 5%.",
            "single rows, which describe no one. No use has an error that is surely above 10%.",
            MORE,
        ),
        (
            OTHER,
            (
                "single columns (mean error at most 1.4%); pairs of columns (mean error at most 2.4%); "
                "tables of three columns (mean error at most 4.4%)."
            ),
            None,
            None,
        ),
        (
            BOUNDS,
            "1 of 2 single columns and 0 of 3 pairs, with error bounds of at most 5%.",
            "1 of 2 single columns and 3 of 3 pairs, which have no error bound of at most 10%.",
            f"measure the accuracy, which states errors instead of bounds, or {MORE}",
        ),
        (
            ALONE,
            "1 of 1 single columns, with error bounds of at most 5%.",
            "single rows, which describe no one. Every error bound is at most 10%.",
            None,
        ),
        (
            BLOCKED,
            "nothing, because this run cannot be published.",
            "any use.",
            "fix what the warnings describe, then run again.",
        ),
    ],
)
def test_the_uses_of_a_release_follow_from_its_figures(
    release: ReleaseView, good: str, bad: str | None, better: str | None
) -> None:
    stated = uses(release)
    assert stated.good == good.replace(" x ", TIMES)
    assert bad is None or stated.bad == bad.replace(" x ", TIMES)
    assert better in (None, stated.better)
