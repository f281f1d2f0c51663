"""A draft for the public registry of deployments of differential privacy, made from the statement.

The form is the one of opendp/deployments-registry-data (sections basic, dp_variant, privacy_loss,
deployment_model, accounting, implementation, administrative), as of autumn 2026. What a run cannot know is
marked as to be filled in; everything else is said by the statement, so the draft claims nothing new.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synth.release import wording, yaml_text
from synth.release.datapackage import slug
from synth.release.layout import REHEARSAL
from synth.release.statement import UNASKED, claimed_law

OPEN = "To be filled in before it is submitted"
LOOKED = "Choices made after exact numbers were looked at, for which nothing was charged:"
NOT_LOOKED = "No choice made after looking at exact numbers was recorded."
DOMAINS = (
    "The columns' domains and bins are declared or bought within the budget, but for what the unprotected "
    "quantities call void."
)
TIER = 3
"""The completeness the registry asks for in three steps; all fields of the third have an answer here."""


def write(statement: Mapping[str, Any]) -> str:
    """The draft's text."""
    return yaml_text.write(document(statement))


def document(statement: Mapping[str, Any]) -> dict[str, Any]:
    """The draft as an object, from the privacy statement alone."""
    release = statement["release"]
    return {
        "url_slug": slug(f"{release['name']}-{release['id']}"),
        "status": "Draft",
        "tier": TIER,
        "deployment": {
            "basic": _basic(statement),
            "dp_variant": {
                "variant_name": "Zero-concentrated DP",
                "data_domain": "Tables with the columns of datapackage.json, in which no unit of protection "
                f"has more than {statement['unit']['max_rows']} rows.",
                "unprotected_quantities": _list(statement["outside_the_guarantee"]),
            },
            "privacy_loss": _loss(statement),
            "deployment_model": _model(statement),
            "accounting": {
                "post_processing": statement["method"]["post_processing"],
                "composition": statement["accounting"]["composition"],
            },
            "implementation": _implementation(statement),
            "administrative": {"sources": OPEN, "registry_authors": [OPEN]},
        },
    }


def _basic(statement: Mapping[str, Any]) -> dict[str, Any]:
    release, imprint = statement["release"], statement["imprint"]
    mark = f"{REHEARSAL}, not a release: " if release["rehearsal"] else ""
    return {
        "name": f"{mark}{release['title']}",
        "data_curators": [{"data_curator_name": imprint["contact"] or OPEN, "data_curator_type": OPEN}],
        "intended_use": imprint["purpose"] or OPEN,
        "data_product_type": "Synthetic data",
        "data_product_region": OPEN,
        "description": f"Synthetic rows about the population {statement['history']['population']}, with the "
        "noisy counts they were made from.",
        "publication_date": release["date"],
    }


def _loss(statement: Mapping[str, Any]) -> dict[str, Any]:
    unit = statement["unit"]
    law = claimed_law(statement)
    whole = sum(part["units"] for part in statement["spend"])
    parts = [
        f"{part['part']}: {100 * part['units'] / whole:.1f} % of rho"
        for part in statement["spend"]
        if part["part"] != UNASKED
    ]
    return {
        "privacy_unit": f"{unit['name']}, at most {unit['max_rows']} rows; {unit['enforced']}",
        "privacy_unit_details": "\n".join(statement["neighbours_explained"].values()),
        "privacy_parameters": {
            "epsilon": statement["epsilon"],
            "delta": statement["delta"],
            "rho": statement["rho"],
        },
        "privacy_parameters_details": _list(
            [statement["accounting"]["conversion"], *law.details(whole), *parts]
        ),
    }


def _model(statement: Mapping[str, Any]) -> dict[str, Any]:
    history = statement["history"]
    earlier = history["spent_before_units"] > 0
    return {
        "model_name": "Central",
        "model_name_details": statement["trust_model"],
        "actors": _list(
            [
                "The curator, who holds the table and runs the program.",
                "Whoever receives the bundle: an adversary who may know all rows but those of one unit.",
            ]
        ),
        "release_type": "Many releases" if earlier else "One release",
        "release_type_details": "Every release about the same population is charged to one lifetime budget. "
        f"{wording.history(history)} {wording.as_of(statement['release']['date'])}",
        "data_source_type": "Static",
        "access_type": "Non-interactive",
        "access_type_details": "The bundle is handed out as files; nobody outside can ask the table.",
    }


def _implementation(statement: Mapping[str, Any]) -> dict[str, Any]:
    noise, method = statement["noise"], statement["method"]
    chosen = statement["decisions_after_private_views"]
    selects = any(q["question"] == "choose" for part in statement["spend"] for q in part["questions"])
    software = ", ".join(f"{name} {version}" for name, version in statement["software"].items())
    return {
        "preprocessing_and_hyperparameter_tuning": _list(
            [
                DOMAINS,
                LOOKED if chosen else NOT_LOOKED,
                *chosen,
            ]
        ),
        "mechanisms": _list(
            [
                f"{noise['distribution']}; {noise['sampler']}",
                f"entropy: {noise['entropy']}",
                *([statement["selection"]] if selects else []),
                f"method {method['name']}, records by {method['generator']}",
                f"software: {software}",
            ]
        ),
        "justification": _list([*_beyond(statement), *statement["known_limits"]]),
    }


def _beyond(statement: Mapping[str, Any]) -> list[str]:
    said = statement["imprint"].get("beyond")
    return [said] if said else []


def _list(sentences: list[str]) -> str:
    """Sentences as the registry's Markdown likes them."""
    return "\n".join(f"- {' '.join(sentence.split())}" for sentence in sentences)
