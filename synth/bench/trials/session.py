"""Open a private session on a public table, with exact noise and a separate ledger on disk."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from synth.core.accounting import Law, limit_for
from synth.core.axis import Axis
from synth.core.schema import Schema
from synth.private.ledger import Ledger
from synth.private.session import PrivateSession
from synth.private.table import open_table

RUN = "bench"


@contextmanager
def opened(
    csv: Path, schema: Schema, axes: tuple[Axis, ...], *, epsilon: float, delta: float, law: Law
) -> Iterator[tuple[PrivateSession, Ledger, int]]:
    """Yield the session, its ledger, and the budget of the run `RUN` in units of 1e-12 rho."""
    limit, population, protects = limit_for(epsilon, delta), schema.population, schema.protects
    units = limit.under(law)
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.sqlite")
        ledger.open_population(population, units=limit, reason="benchmark on public data", protects=protects)
        ledger.open_run(population, RUN, units=units, label=RUN, law=law, protects=protects)
        yield PrivateSession(open_table(csv, schema, axes=axes), schema, ledger, RUN, law=law), ledger, units
        ledger.close()
