"""List all accounting rules (laws). A new law needs a file, an entry here, and a proof in assets/proofs.

If the law uses the conversions of zCDP, they are also used to compose it with other laws. A law with a
separate limit needs a new column in the ledger's chain (`limit.Limit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synth.core.accounting.gaussian import GAUSSIAN
from synth.core.accounting.law import USUAL, Law
from synth.core.accounting.sampled import SAMPLED
from synth.core.accounting.zcdp import MIXED, ZCDP

LAWS: dict[str, Law] = {law.name: law for law in (ZCDP, GAUSSIAN, SAMPLED, MIXED)}
RUN_LAWS = tuple(law for law in LAWS.values() if law.is_of_runs)
"""Laws under which a run can reserve budget."""


def law_named(name: str | None) -> Law:
    """Return the law with this stored name. Raises: `KeyError` for an unknown name."""
    return LAWS[name or USUAL]


def law_facts(law: Law) -> dict[str, Any]:
    """Return the facts about a run's law for receipts and listings.

    They always state whether the law is Gaussian.
    """
    named = {} if law in (ZCDP, GAUSSIAN) else law.as_facts()
    return {"is_gaussian": law == GAUSSIAN, **named}


def law_in(facts: Mapping[str, Any]) -> Law:
    """Return the law in these facts (the inverse of `law_facts`).

    Receipts of version 0.1 contain no law. Raises: as `law_named`.
    """
    return law_named(facts.get("law", GAUSSIAN.name if facts.get("is_gaussian") is True else None))
