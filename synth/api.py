"""From Python: a table in, a synthetic table out, in one call. The command line's `release` without a job."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from synth.measure.accounting import opening_limit
from synth.measure.ledger import DEFAULT_LIFETIME, RUN_SECONDS, Ledger, Patience, default_path
from synth.pipeline import release
from synth.plan import Plan
from synth.progress import Reporter, silent
from synth.release.bundle import write as write_bundle
from synth.request import METHOD
from synth.rules import parse_rules
from synth.schema import Schema
from synth.schema_io import load_schema
from synth.synthesis import Synthesis

__all__ = ["load_schema", "synthesize", "write_bundle"]


def synthesize(
    data: Path | str,
    schema: Schema,
    *,
    epsilon: float,
    delta: float,
    rules: Sequence[str | Mapping[str, Any]] = (),
    method: str = METHOD,
    options: Mapping[str, Any] | None = None,
    generator: str | None = None,
    compress: bool = False,
    rows: int | None = None,
    ledger: Path | str | None = None,
    report: Reporter = silent,
) -> Synthesis:
    """Release a private file once. Spends the price of (epsilon, delta) from the population's budget line.

    `ledger` is the ledger's file, by default the one of this installation. A population without a line gets
    one with the usual lifetime limit, or with this price if it is higher. Returns the synthetic table
    (`.table`), its checks, bounds and receipt. Raises: `Mistake`, `BudgetRefused`, `Refusal`.
    """
    plan = Plan(
        schema=schema,
        rules=parse_rules(list(rules), schema),
        epsilon=epsilon,
        delta=delta,
        method=method,
        options=dict(options or {}),
        generator=generator,
        compress=compress,
        rows=rows,
        seed=secrets.randbits(63),
    )
    place = default_path() if ledger is None else Path(ledger)
    book = Ledger(place, patience=Patience(seconds=RUN_SECONDS))
    try:
        if book.balance(schema.population).limit is None:
            limit = opening_limit(
                DEFAULT_LIFETIME, (epsilon, delta), units=plan.units, is_gaussian=plan.is_gaussian
            )
            book.open_population(schema.population, units=limit, reason="opened by its first release")
        return release(plan, data=Path(data), ledger=book, run=secrets.token_hex(8), report=report)
    finally:
        book.close()
