import copy
import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from synth.core.errors import Mistake
from synth.release.checks.checks import Checks
from synth.release.documents.statement import (
    UNUSED,
    Imprint,
    check_statement,
    is_by_this_software,
    public_parameters,
    software,
    statement,
)
from synth.release.synthesis import Synthesis
from synth.release.verdict.figures import Figure, Verdict
from synth.release.verdict.sentences import sentences as accuracy
from tests.release.forging import GONE, put


@pytest.fixture
def stated(synthesis: Synthesis) -> dict[str, Any]:
    return json.loads(json.dumps(statement(synthesis, Imprint(), release="20261121-0123abcd")))


def test_what_was_reserved_and_never_asked_is_part_of_the_claim(synthesis: Synthesis) -> None:
    privacy = synthesis.privacy
    fewer = replace(
        privacy, spends=privacy.spends[:-1], spent_units=privacy.spent_units - privacy.spends[-1].units
    )
    stated = statement(replace(synthesis, privacy=fewer), Imprint(), release="20261121-0123abcd")
    assert stated["spend"][-1]["part"] == UNUSED and stated["spend"][-1]["units"] >= privacy.spends[-1].units
    check_statement(stated)


QUESTION = ("spend", 0, "questions", 0)
FORGERIES = [
    (put(*QUESTION, "units", to=lambda units: units - 1), None),
    (put("rho", to=lambda rho: rho / 2), None),
    (put("spend", to=[{"part": "x", "units": 1, "rho": 1e-12, "questions": []}]), None),
    (put("epsilon", to=lambda epsilon: epsilon * 0.999), None),
    (put("budget", "delta_for_bought_lists", to=1e-9), None),
    (put("budget", "spent_units", to=lambda units: units - 1), None),
    (put("budget", "spent_units", to=lambda units: units + 1), None),
    (put(*QUESTION, "rho", to=lambda rho: rho / 2), None),
    (put("unit", to=GONE), None),
    (put("true_error", to=12.5), None),
    (put(*QUESTION, "question", to="train"), "not every query is covered by GDP"),
    (put("receipt", "is_gaussian", to=False), "reserved under another accounting rule"),
    (put("odds", "this_release", "right_guesses_in_100", to=50.0), "stated odds"),
    (put("odds", "lifetime_limit", "members_detected_in_100", to=5.0), "stated odds"),
    (put("claim", "mu", to=lambda mu: mu * 0.999), "stated mu"),
    (put("claim", to={"law": "zcdp", "mu": None}), "do not cover"),
]


@pytest.mark.parametrize(("forge", "said"), FORGERIES)
def test_forged_arithmetic_is_found(
    stated: dict[str, Any], forge: Callable[[dict[str, Any]], None], said: str | None
) -> None:
    forge(stated)
    with pytest.raises(Mistake, match=said):
        check_statement(stated)


def test_the_claim_equals_an_independent_computation(stated: dict[str, Any]) -> None:
    """mu^2 as the sum over the events, change^2 / sigma^2 each, and Balle and Wang's curve in 50 digits."""
    events = [Fraction(q["units"], 10**12) * 2 for part in stated["spend"] for q in part["questions"]]
    with mpmath.workdps(50):
        mu = mpmath.sqrt(mpmath.mpf(sum(events).numerator) / sum(events).denominator)
        e = mpmath.mpf(stated["epsilon"])
        delta = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
        assert 0.98 * stated["delta"] < delta <= stated["delta"]
    assert stated["claim"]["mu"] == pytest.approx(float(mu), rel=1e-9)


def test_a_release_that_chooses_claims_gdp(estimated: Synthesis) -> None:
    stated = json.loads(json.dumps(statement(estimated, Imprint(), release="20261121-0123abcd")))
    assert {"choose", "values"} & {q["question"] for part in stated["spend"] for q in part["questions"]}
    assert stated["claim"]["law"] == "gaussian" and "rounded" in stated["noise"]["distribution"]
    check_statement(stated)


def test_a_run_that_was_reserved_in_zcdp_cannot_claim_gdp(stated: dict[str, Any]) -> None:
    """Its selections and noise were drawn for another accounting rule."""
    zcdp = {
        **stated,
        "receipt": {**stated["receipt"], "is_gaussian": False},
        "epsilon": 2 * stated["epsilon"],
    }
    zcdp = {**zcdp, "claim": {"law": "zcdp", "mu": None}}
    del zcdp["odds"]
    check_statement(zcdp)
    check_statement({name: value for name, value in zcdp.items() if name != "claim"})
    with pytest.raises(Mistake, match="claims GDP"):
        check_statement({**zcdp, "claim": stated["claim"]})


def test_a_trained_release_claims_only_what_its_law_states(stated: dict[str, Any]) -> None:
    law = {"claim": {"law": "sampled", "mu": None}, "receipt": {**stated["receipt"], "law": "sampled"}}
    trained = copy.deepcopy({**stated, **law, "epsilon": 2 * stated["epsilon"]})
    del trained["odds"]
    trained["receipt"].pop("is_gaussian", None)
    trained["spend"][0]["questions"][0]["question"] = "train"
    check_statement(trained)
    with pytest.raises(Mistake, match="claims zCDP, but not every query complies with it"):
        check_statement({**trained, "claim": {"law": "zcdp", "mu": None}})
    with pytest.raises(Mistake, match="does not cover replacing a unit"):
        check_statement({**trained, "neighbours": "replace-one-unit"})
    with pytest.raises(Mistake, match="from delta 2e-12 upwards"):
        check_statement({**trained, "delta": 1e-12, "epsilon": 3 * stated["epsilon"]})


def test_seeds_and_places_are_no_parameters() -> None:
    assert public_parameters({"rounds": 3, "seed": 1, "path": "x", "ledger": "y"}) == {"rounds": 3}


def test_a_statement_of_other_versions_is_not_by_this_software() -> None:
    here = dict(software())
    assert is_by_this_software({"software": here})
    assert not is_by_this_software({"software": here | {"scipy": "0.0.0"}})
    assert not is_by_this_software({"software": here | {"torch": "0.0.0"}})
    assert not is_by_this_software({"software": {"marginalia": here["marginalia"]}})


def test_the_accuracy_is_stated_with_the_digits_of_the_package(synthesis: Synthesis) -> None:
    """Not with more: `verify` has only six, and a tenth of a per cent can be rounded either way."""
    verdict = Verdict(tables=(), means={"pairs": Figure(estimate=0.0379999999, sd=0.0)})
    checked = replace(synthesis, checks=replace(synthesis.checks, verdict=verdict))
    stated = statement(checked, Imprint(), release="20261121-0123abcd")["accuracy"]
    found = Checks.from_json(checked.checks.to_json()).verdict
    assert found is not None and stated == accuracy(found, checked.checks.confidence, {})
    assert "3.8% (3.8 to 3.8%)" in stated[1]
