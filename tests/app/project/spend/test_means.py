"""The precision of means and regressions that is shown before anything is spent."""

import numpy as np
import pytest

from synth.app.project import declared
from synth.app.project.spend.means import precision_of, trouble
from synth.core.axis import domain_of
from synth.core.measurements.logistic import started
from synth.estimates.logistic import NoisyScore
from synth.estimates.regression import Sums
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import LogisticScore, Moments
from synth.private.terms import Paid, Terms
from synth.release.plan import sums_of

TABLE = declared.read(declared.demo())
SCHEMA, RULES = TABLE.schema, TABLE.rules


def test_it_is_about_the_noise_of_a_real_answer() -> None:
    """On columns with the assumed spread, within a third; the noise itself is not random here."""
    formulas, rows, rho = ("income ~ age + sex", "age by sex"), 20_000, 0.02
    expected = precision_of(SCHEMA, RULES, formulas, rho=rho, rows=rows)
    blocks, axes = sums_of(SCHEMA, RULES, formulas)
    domain, terms, rng = domain_of(axes), Terms.of(SCHEMA), np.random.default_rng(0)
    codes = np.stack([rng.beta(6.6, 6.6, rows) * axis.cells for axis in axes], axis=1).astype(np.int64)
    paid = Paid(units=int(rho / 2 * 1e12), part="means", step=0, terms=terms)
    answers = []
    for block in blocks:
        query = Moments(block, domain.clique(block.columns))
        exact = query.exact(ExactTables(Codes.of(codes, domain), domain))
        answers.append(Sums.of(query.read(query.plain(exact), paid, domain=domain), 1))
    slope = answers[0][0].regression([1, 2], 3, level=0.95)[1]
    assert slope is not None and all(one.is_clear for one in expected)
    assert 1.96 * slope.noise == pytest.approx(expected[0].halves["slope of age"], rel=0.35)
    mean = answers[1][0].mean(1, level=0.95)
    assert mean is not None
    assert 1.96 * mean.noise * 49.5 == pytest.approx(expected[1].halves["mean age"], rel=0.35)


def test_it_is_about_the_noise_of_a_real_logistic_regression() -> None:
    """On columns with the assumed spread and modest slopes, within a third."""
    formula, rows, rho = "logistic tenure[rented] ~ age + sex", 20_000, 0.02
    (expected,) = precision_of(SCHEMA, RULES, (formula,), rho=rho, rows=rows)
    (block,), axes = sums_of(SCHEMA, RULES, (formula,))
    rng, terms = np.random.default_rng(0), Terms.of(SCHEMA)
    columns = {axis.name: (rng.beta(6.6, 6.6, rows) * axis.cells).astype(np.int64) for axis in axes}
    z = columns["age"] / 49.5 - 1
    codes = np.where(rng.random(rows) < 1 / (1 + np.exp(1.5 - z)), block.terms[-1].code, 0)
    columns["tenure"] = codes
    score = started(block, columns)
    variance = LogisticScore(score, ()).variance(int(rho * 1e12), terms)
    values = score.sums(columns) / np.array(score.scales)
    found = NoisyScore(score=score, values=values, variance=float(variance), columns=columns, weight=1.0)
    answers = found.regression(level=0.95)
    assert not isinstance(answers, str) and expected.is_clear and expected.sums == len(score.entries)
    assert 1.96 * answers[1].noise == pytest.approx(expected.halves["log odds on age"], rel=0.35)


def test_too_little_budget_is_said_and_so_is_what_cannot_be_measured() -> None:
    (one,) = precision_of(SCHEMA, RULES, ("income ~ age",), rho=1e-6, rows=1000)
    assert not one.is_clear
    (one,) = precision_of(SCHEMA, RULES, ("logistic tenure[rented] ~ age",), rho=1e-6, rows=1000)
    assert not one.is_clear
    assert trouble(SCHEMA, RULES, ("income ~ age",)) is None
    assert "not a column" in (trouble(SCHEMA, RULES, ("income ~ shoe",)) or "")
