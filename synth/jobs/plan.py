"""The public part of a run, as the pipeline understands it."""

from __future__ import annotations

from synth.jobs.spec import RunSpec
from synth.plan import Plan
from synth.rules import load_rules
from synth.schema_io import load_schema


def plan_of(spec: RunSpec) -> Plan:
    """The public part of a spec: no path, no ledger, no noise."""
    schema = load_schema(spec.schema)
    return Plan(
        schema=schema,
        rules=load_rules(spec.rules or [], schema),
        seed=spec.seed,
        **spec.terms(),
    )
