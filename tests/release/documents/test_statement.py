import copy
import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from synth.core.errors import Mistake
from synth.release.documents.statement import (
    UNASKED,
    Imprint,
    check_statement,
    is_by_this_software,
    public_parameters,
    software,
    statement,
)
from synth.release.synthesis import Synthesis


@pytest.fixture
def stated(synthesis: Synthesis) -> dict[str, Any]:
    return json.loads(json.dumps(statement(synthesis, Imprint(), release="20261121-0123abcd")))


def test_what_was_reserved_and_never_asked_is_part_of_the_claim(synthesis: Synthesis) -> None:
    privacy = synthesis.privacy
    fewer = replace(
        privacy, spends=privacy.spends[:-1], spent_units=privacy.spent_units - privacy.spends[-1].units
    )
    stated = statement(replace(synthesis, privacy=fewer), Imprint(), release="20261121-0123abcd")
    assert stated["spend"][-1]["part"] == UNASKED and stated["spend"][-1]["units"] >= privacy.spends[-1].units
    check_statement(stated)


def _cheaper(stated: dict[str, Any]) -> None:
    stated["spend"][0]["questions"][0]["units"] -= 1


def _smaller_rho(stated: dict[str, Any]) -> None:
    stated["rho"] /= 2


def _part_left_out(stated: dict[str, Any]) -> None:
    stated["spend"] = [{"part": "x", "units": 1, "rho": 1e-12, "questions": []}]


def _smaller_epsilon(stated: dict[str, Any]) -> None:
    stated["epsilon"] *= 0.999


def _delta_used_up(stated: dict[str, Any]) -> None:
    stated["budget"]["delta_for_bought_lists"] = stated["delta"]


def _fewer_units(stated: dict[str, Any]) -> None:
    stated["budget"]["spent_units"] -= 1


def _rho_of_a_question(stated: dict[str, Any]) -> None:
    stated["spend"][0]["questions"][0]["rho"] *= 0.5


def _no_unit(stated: dict[str, Any]) -> None:
    del stated["unit"]


def _exact_number(stated: dict[str, Any]) -> None:
    stated["true_error"] = 12.5


FORGERIES = [
    _cheaper, _smaller_rho, _part_left_out, _smaller_epsilon, _delta_used_up, _fewer_units,
    _rho_of_a_question, _no_unit, _exact_number,
]  # fmt: skip


@pytest.mark.parametrize("forge", FORGERIES)
def test_forged_arithmetic_is_found(stated: dict[str, Any], forge: Callable[[dict[str, Any]], None]) -> None:
    wrong = copy.deepcopy(stated)
    forge(wrong)
    with pytest.raises(Mistake):
        check_statement(wrong)


def _a_choice(stated: dict[str, Any]) -> None:
    stated["spend"][0]["questions"][0]["question"] = "choose"


def _not_reserved_so(stated: dict[str, Any]) -> None:
    stated["receipt"]["is_gaussian"] = False


def _another_mu(stated: dict[str, Any]) -> None:
    stated["claim"]["mu"] *= 0.999


def _the_looser_law(stated: dict[str, Any]) -> None:
    stated["claim"] = {"law": "zcdp", "mu": None}


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (_a_choice, "not every answer is Gaussian"),
        (_not_reserved_so, "not reserved for Gaussian"),
        (_another_mu, "stated mu"),
        (_the_looser_law, "do not cover"),
    ],
)
def test_claims_of_gdp_need_all(
    stated: dict[str, Any], forge: Callable[[dict[str, Any]], None], said: str
) -> None:
    wrong = copy.deepcopy(stated)
    forge(wrong)
    with pytest.raises(Mistake, match=said):
        check_statement(wrong)


def test_the_claim_equals_an_independent_computation(stated: dict[str, Any]) -> None:
    """mu^2 as the sum over the events, change^2 / sigma^2 each, and Balle and Wang's curve in 50 digits."""
    events = [Fraction(q["units"], 10**12) * 2 for part in stated["spend"] for q in part["questions"]]
    with mpmath.workdps(50):
        mu = mpmath.sqrt(mpmath.mpf(sum(events).numerator) / sum(events).denominator)
        e = mpmath.mpf(stated["epsilon"])
        delta = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
        assert 0.98 * stated["delta"] < delta <= stated["delta"]
    assert stated["claim"]["mu"] == pytest.approx(float(mu), rel=1e-9)


def test_a_release_that_chooses_claims_zcdp(bought: Synthesis) -> None:
    zcdp = json.loads(json.dumps(statement(bought, Imprint(), release="20261121-0123abcd")))
    assert zcdp["claim"] == {"law": "zcdp", "mu": None} and "discrete" in zcdp["noise"]["distribution"]
    check_statement(zcdp)
    with pytest.raises(Mistake, match="claims GDP"):
        check_statement({**zcdp, "claim": {"law": "gaussian", "mu": 1.0}})
    old = {name: value for name, value in zcdp.items() if name != "claim"}
    check_statement(old)


def test_a_trained_release_claims_only_what_its_law_states(stated: dict[str, Any]) -> None:
    law = {"claim": {"law": "sampled", "mu": None}, "receipt": {**stated["receipt"], "law": "sampled"}}
    trained = copy.deepcopy({**stated, **law, "epsilon": 2 * stated["epsilon"]})
    trained["receipt"].pop("is_gaussian", None)
    trained["spend"][0]["questions"][0]["question"] = "train"
    check_statement(trained)
    with pytest.raises(Mistake, match="claims zCDP, but not every answer keeps it"):
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
