from synth.core.accounting import GAUSSIAN
from synth.release.documents.registry import OPEN, document
from synth.release.documents.statement import Imprint, statement
from synth.release.synthesis import Synthesis


def test_the_sections_and_what_the_run_knows(synthesis: Synthesis) -> None:
    stated = statement(
        synthesis,
        Imprint(contact="Office", purpose="Teaching", decisions=("2026-11-21: chose epsilon 2",)),
        release="20261121-0123abcd",
    )
    draft = document(stated)
    assert draft["status"] == "Draft" and draft["tier"] in (1, 2, 3)
    assert list(draft["deployment"]) == [
        "basic",
        "dp_variant",
        "privacy_loss",
        "deployment_model",
        "accounting",
        "implementation",
        "administrative",
    ]
    loss = draft["deployment"]["privacy_loss"]
    assert loss["privacy_parameters"] == {"epsilon": 2.0, "delta": 1e-9, "rho": stated["rho"]}
    assert loss["privacy_unit"].startswith("person, at most 2 rows")
    assert draft["deployment"]["basic"]["data_product_type"] == "Synthetic data"
    assert draft["deployment"]["basic"]["intended_use"] == "Teaching"
    tuned = draft["deployment"]["implementation"]["preprocessing_and_hyperparameter_tuning"]
    assert "- 2026-11-21: chose epsilon 2" in tuned.splitlines()
    assert draft["deployment"]["deployment_model"]["release_type"] == "One release"
    for sentence in stated["outside_the_guarantee"]:
        assert f"- {sentence}" in draft["deployment"]["dp_variant"]["unprotected_quantities"].splitlines()


def test_what_a_run_cannot_know_is_left_open_and_a_rehearsal_says_so(rehearsed: Synthesis) -> None:
    draft = document(statement(rehearsed, Imprint(), release="x"))["deployment"]
    assert draft["basic"]["data_product_region"] == OPEN == draft["basic"]["intended_use"]
    assert draft["administrative"]["registry_authors"] == [OPEN]
    assert "REHEARSAL" in draft["basic"]["name"]
    tuned = draft["implementation"]["preprocessing_and_hyperparameter_tuning"]
    assert "No choice made after looking" in tuned


def test_the_parameter_of_the_promise_is_told_where_all_answers_are_gaussian(synthesis: Synthesis) -> None:
    stated = statement(synthesis, Imprint(), release="x")
    details = document(stated)["deployment"]["privacy_loss"]["privacy_parameters_details"]
    spend = [{"part": "mechanism", "units": 31_250_000_000, "questions": []}]
    gaussian = {**stated, "claim": {"law": GAUSSIAN.name, "mu": 0.25}, "spend": spend}
    other = {**stated, "claim": {"law": "zcdp", "mu": None}}
    assert "mu = 0.25 of Gaussian DP" in str(document(gaussian))
    assert "of Gaussian DP" not in str(document(other))
    assert ("of Gaussian DP" in details) == (synthesis.privacy.law == GAUSSIAN)
