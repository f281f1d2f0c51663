"""Write a draft entry for the public registry of differential privacy deployments.

Its sections are defined in `templates/registry.yaml`. All its claims come from the privacy statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synth.core.numbers import per_cent
from synth.release.documents import templating, wording, yaml_text
from synth.release.documents.datapackage import slug
from synth.release.documents.statement import UNUSED, claimed_law
from synth.release.layout import marked

OPEN = "To be filled in before submission"
_TIER = 3
"""Level of completeness of the draft. The registry defines three levels.

The draft has an answer for all fields of the third level.
"""


def write(statement: Mapping[str, Any]) -> str:
    """Return the text of the draft."""
    return yaml_text.write(document(statement))


def document(statement: Mapping[str, Any]) -> dict[str, Any]:
    """Return the draft as nested mappings and lists. It depends only on the privacy statement."""
    release, spend = statement["release"], statement["spend"]
    units, law = sum(part["units"] for part in spend), claimed_law(statement)
    variant = law.definition.partition(" (")[0].replace("differential privacy", "DP")
    draft = templating.document(
        "registry.yaml",
        statement=statement,
        release=release,
        imprint=statement["imprint"],
        unit=statement["unit"],
        variant=variant[:1].upper() + variant[1:],
        chosen=statement["decisions_after_private_views"],
        title=marked(release, release["title"]),
        parts=[
            f"{part['part']}: {per_cent(part['units'] / units, 1)} of rho"
            for part in spend
            if part["part"] != UNUSED
        ],
        details=law.details(statement.get("claim", {}).get("mu")),
        selects=any(q["question"] == "choose" for part in spend for q in part["questions"]),
        history=wording.budget_line(statement),
        software=wording.software(statement),
        OPEN=OPEN,
    )
    loss = draft["deployment"]["privacy_loss"]
    loss["privacy_parameters"] = {name: statement[name] for name in ("epsilon", "delta", "rho")}
    return {"url_slug": slug(f"{release['name']}-{release['id']}"), "status": "Draft", "tier": _TIER, **draft}
