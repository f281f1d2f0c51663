"""List the laws. A new one is a file, an entry here, and a note in assets/proofs.

It may use the conversions of zCDP and composes by them with others. Its own limit would need a new column in
the ledger's chain (`limit.Limit`).
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
"""Laws that a run can reserve budget under."""


def law_named(name: str | None) -> Law:
    """Return the law of this name, as it is stored. Raises: `KeyError` for an unknown one."""
    return LAWS[name or USUAL]


def law_facts(law: Law) -> dict[str, Any]:
    """Return the facts about a run's law in receipts and listings, which always include if it is Gaussian."""
    named = {} if law in (ZCDP, GAUSSIAN) else law.told()
    return {"is_gaussian": law == GAUSSIAN, **named}


def law_in(facts: Mapping[str, Any]) -> Law:
    """Return the law in these facts; inverse of `law_facts`. Receipts of version 0.1 have none. Raises: as
    `law_named`.
    """
    return law_named(facts.get("law", GAUSSIAN.name if facts.get("is_gaussian") is True else None))
