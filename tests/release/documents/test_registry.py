from synth.release.documents.registry import document
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
