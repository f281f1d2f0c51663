"""Where a run meets the ledger: its price, its budget line, its charges, its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from synth.errors import BudgetRefused, Mistake
from synth.jobs.spec import RunSpec
from synth.measure.accounting import Limit, claim_of, limit_for, opening_limit, rho_from, rho_of, units_of
from synth.measure.ledger import DEFAULT_LIFETIME, Ledger, Run

LIFETIME_EPSILON, LIFETIME_DELTA = DEFAULT_LIFETIME


@dataclass(frozen=True, kw_only=True)
class Quote:
    """What a run would cost before it is started. Units of 1e-12 rho.

    `opens` says that the population has no budget line and the run would open one with `limit`;
    `limit_epsilon` is that limit as an epsilon at delta 1e-9.
    """

    population: str
    units: int
    limit: int
    left: int
    opens: bool
    limit_epsilon: float

    def facts(self) -> dict[str, Any]:
        """The fields as JSON."""
        return asdict(self) | {"left_after": self.left - self.units}


def quote(spec: RunSpec) -> Quote:
    """The price of a run and what its budget line has left; reserves nothing.

    Raises: `BudgetRefused` with requested, left and missing if the line does not cover it.
    """
    gaussian = is_gaussian(spec)
    units, limit, opens = price(spec), lifetime(spec), True
    left = limit
    if Path(spec.ledger).exists():
        balance = _with(spec, lambda ledger: ledger.balance(spec.population))
        line = balance.limit_of(is_gaussian=gaussian)
        if line is not None:
            limit, left, opens = line, balance.left_of(is_gaussian=gaussian), False
    if units > left:
        raise BudgetRefused(spec.population, requested=units, left=left)
    return Quote(
        population=spec.population,
        units=units,
        limit=limit,
        left=left,
        opens=opens,
        limit_epsilon=claim_of(limit, LIFETIME_DELTA, is_gaussian=gaussian),
    )


def price(spec: RunSpec) -> int:
    """What the pipeline will reserve for this run, in units."""
    if _buys(spec):
        from synth.jobs.plan import plan_of  # part of delta goes to bought lists: the plan knows how much

        return plan_of(spec).units
    if is_gaussian(spec):
        return limit_for(spec.epsilon, spec.delta).gaussian_units
    return units_of(rho_from(spec.epsilon, spec.delta))


def is_gaussian(spec: RunSpec) -> bool:
    """Whether the run will ask for Gaussian answers only, and is priced so."""
    from synth.plan import is_gaussian_method

    if _buys(spec):
        from synth.jobs.plan import plan_of

        return plan_of(spec).is_gaussian
    return is_gaussian_method(spec.method)


def _buys(spec: RunSpec) -> bool:
    """Whether the schema leaves something open that is bought before the method begins."""
    return any(
        column.get("buy") or column.get("merge_rare") or column.get("binning") == "privtree"
        for column in spec.schema["columns"]
    )


def lifetime(spec: RunSpec) -> int:
    """What the limit of a line opened for this run is to it: that of the given or the usual promise, or of
    its own where that does not cover its price."""
    return _opening(spec).of(is_gaussian=is_gaussian(spec))


def _opening(spec: RunSpec) -> Limit:
    epsilon = LIFETIME_EPSILON if spec.lifetime_epsilon is None else spec.lifetime_epsilon
    return opening_limit(
        (epsilon, LIFETIME_DELTA),
        (spec.epsilon, spec.delta),
        units=price(spec),
        is_gaussian=is_gaussian(spec),
    )


def open_line(ledger: Ledger, spec: RunSpec) -> str | None:
    """Open the population's budget line if it has none; returns the sentence to tell, None if it has one."""
    if ledger.balance(spec.population).limit is not None:
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
    epsilon = claim_of(limit.units, LIFETIME_DELTA, is_gaussian=False)
    more = "" if limit.promise is None else f", {rho_of(limit.gaussian_units):.6g} if all is Gaussian"
    return (
        f"opened the budget line of population {spec.population!r} with a lifetime limit of "
        f"rho {rho_of(limit.units):.6g}{more} (epsilon {epsilon:.4g} at delta {LIFETIME_DELTA:g})"
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
    ledger = Ledger(Path(spec.ledger))
    try:
        return work(ledger)
    finally:
        ledger.close()
