"""Where a run meets the ledger: its price, its budget line, its charges, its end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from synth.errors import Mistake
from synth.jobs.spec import RunSpec
from synth.measure.accounting import Limit, Price, opening_limit
from synth.measure.ledger import DEFAULT_LIFETIME, Balance, Ledger, Run
from synth.plan import price_of
from synth.quote import Quote
from synth.schema_io import load_schema

LIFETIME_EPSILON, LIFETIME_DELTA = DEFAULT_LIFETIME


def quote(spec: RunSpec) -> Quote:
    """The price of a run on its budget line as it stands; reserves nothing, refuses nothing."""
    found = balance(spec.population, ledger=Path(spec.ledger))
    opens = found.limits is None
    line = Balance.opened(spec.population, _opening(spec)) if opens else found
    return Quote(epsilon=spec.epsilon, delta=spec.delta, price=price(spec), line=line, opens=opens)


def price(spec: RunSpec) -> Price:
    """What the pipeline will reserve for this run."""
    return price_of(spec, load_schema(spec.schema))


def balance(population: str, *, ledger: Path) -> Balance:
    """The budget line of a population as a ledger has it; nothing is created."""
    if not ledger.exists():
        return Balance.unopened(population)
    with closing(Ledger(ledger)) as book:
        return book.balance(population)


def _opening(spec: RunSpec) -> Limit:
    epsilon = LIFETIME_EPSILON if spec.lifetime_epsilon is None else spec.lifetime_epsilon
    asked = price(spec)
    return opening_limit(
        (epsilon, LIFETIME_DELTA),
        (spec.epsilon, spec.delta),
        units=asked.units,
        is_gaussian=asked.is_gaussian,
    )


def open_line(ledger: Ledger, spec: RunSpec) -> str | None:
    """Open the population's budget line if it has none; returns the sentence to tell, None if it has one."""
    if ledger.balance(spec.population).limits is not None:
        return None
    limit = _opening(spec)
    try:
        ledger.open_population(
            spec.population, units=limit, reason=f"opened by its first release, {spec.run}"
        )
    except Mistake:
        if ledger.balance(spec.population).limit is None:
            raise
        return None  # another run was faster
    epsilon, delta = Balance.opened(spec.population, limit).lifetime
    return (
        f"opened the budget line of population {spec.population!r} with a lifetime limit of "
        f"epsilon {epsilon:.4g} at delta {delta:g}"
    )


def charged(spec: RunSpec) -> tuple[int, int]:
    """(spent, still held for the run) in units, with the spent inside the held; (0, 0) before it reserved."""
    found = find(spec)
    if found is None:
        return 0, 0
    return found.spent, found.spent if found.closed else found.units


def close(spec: RunSpec) -> int:
    """Close the run, which frees what it never asked. Returns the units that stay spent."""
    if find(spec) is None:
        return 0
    _with(spec, lambda ledger: ledger.close_run(spec.run))
    return charged(spec)[0]


def find(spec: RunSpec) -> Run | None:
    """The run's line in the ledger, None before it reserved."""
    if not Path(spec.ledger).exists():
        return None
    runs = _with(spec, lambda ledger: ledger.runs(spec.population))
    return next((run for run in runs if run.run == spec.run), None)


Answer = TypeVar("Answer")


def _with(spec: RunSpec, work: Callable[[Ledger], Answer]) -> Answer:
    with closing(Ledger(Path(spec.ledger))) as ledger:
        return work(ledger)
