"""The laws. A further one is a file of its own, an entry here, and a note in assets/proofs.

It may keep the conversions of zCDP and adds up by them with others on a line; what it may not do without a
new column in the ledger's chain is to have a limit of its own there (`limit.Limit`).
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
"""Those that a run may be reserved under."""


def law_named(name: str | None) -> Law:
    """The law of this name, as it is written down. Raises: `KeyError` for one that is not known."""
    return LAWS[name or USUAL]


def law_facts(law: Law) -> dict[str, Any]:
    """What receipts and listings say of a run's law: they have always said whether it is the Gaussian one."""
    named = {} if law in (ZCDP, GAUSSIAN) else law.told()
    return {"is_gaussian": law == GAUSSIAN, **named}


def law_in(facts: Mapping[str, Any]) -> Law:
    """Inverse of `law_facts`; receipts of version 0.1 say nothing. Raises: as `law_named`."""
    return law_named(facts.get("law", GAUSSIAN.name if facts.get("is_gaussian") is True else None))
