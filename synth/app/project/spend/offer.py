"""Quote a method at the epsilon of a project, before a run can be planned."""

from __future__ import annotations

from synth.app.project.spend import ledger
from synth.app.project.store import Project
from synth.core.accounting import Price, limit_for
from synth.core.schema import Schema
from synth.private.ledger import DEFAULT_LIFETIME, Balance
from synth.private.ledger.quote import Quote
from synth.release.plan import law_of


def offer(project: Project, schema: Schema, *, method: str | None = None) -> Quote:
    """Return the cost of a run with this method (by default the chosen one), also if it cannot start yet.

    A population without a lifetime budget is quoted with the limit that a first run would set.
    """
    asked, line = project.budget, ledger.line_of(project)
    law = law_of(schema, method or project.method.name)
    if line.limits is None:
        limits = limit_for(asked.lifetime, DEFAULT_LIFETIME[1])
        line = Balance.opened(schema.population, limits, schema.protects)
    price = Price(units=limit_for(asked.epsilon, asked.delta).under(law), delta_units=0, law=law)
    return Quote(epsilon=asked.epsilon, delta=asked.delta, price=price, line=line, opens=False)
