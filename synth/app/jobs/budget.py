"""What a run does with the ledger: its privacy cost, its lifetime budget, its charges, its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from synth.app.jobs.spec import RunSpec
from synth.core.accounting import Limit, exact, limit_for, rho_of
from synth.core.errors import MarginaliaError, Mistake
from synth.core.request import People
from synth.core.schema import ProtectedChange
from synth.dictionaries import load_schema
from synth.private.ledger import DEFAULT_LIFETIME, Balance, Ledger, Run
from synth.private.ledger.population import check_name
from synth.private.ledger.quote import Quote
from synth.release.plan import price_of


def quote(spec: RunSpec) -> Quote:
    """Return the cost of a run and what it does to its lifetime budget; reserves nothing.

    Raises: `Mistake` if there is no budget and the spec opens none, or if it protects another change.
    """
    schema, opening = load_schema(spec.schema), _opening(spec)
    line = _fitting(spec.population, schema.protects, ledger=Path(spec.ledger))
    opens = line.limits is None and opening is not None
    if line.limits is None and opening is not None:
        line = Balance.opened(spec.population, opening, schema.protects)
    line.check(schema.protects)
    return Quote(epsilon=spec.epsilon, delta=spec.delta, price=price_of(spec, schema), line=line, opens=opens)


def balance(population: str, *, ledger: Path) -> Balance:
    """Return the lifetime budget of a population; nothing is created."""
    if not ledger.exists():
        return Balance.unopened(population)
    with closing(Ledger(ledger)) as book:
        return book.balance(population)


def check_people(people: People, line: Balance) -> None:
    """Raise `Mistake` if people are declared to be new, but their population has a release."""
    if people is People.NEW and line.is_committed:
        raise Mistake(
            f"Population {line.population!r} has a release already, so these people may not be new. Name "
            "another population for them. No budget was spent."
        )


def misfit(population: str, protects: ProtectedChange, *, ledger: Path) -> str | None:
    """Return why a population's budget does not allow a release that protects this; None if it does."""
    try:
        _fitting(population, protects, ledger=ledger)
    except Mistake as mistake:
        return str(mistake)
    return None


def _fitting(population: str, protects: ProtectedChange, *, ledger: Path) -> Balance:
    """Return the lifetime budget if it allows a release that protects this. Raises: `Mistake` if not."""
    if not ledger.exists():
        check_name(population)
        return Balance.unopened(population)
    with closing(Ledger(ledger)) as book:
        return book.check_population(population, protects)


def _opening(spec: RunSpec) -> Limit | None:
    """Return the limit of a budget that the run opens, as agreed when it was started."""
    return None if spec.lifetime_epsilon is None else limit_for(spec.lifetime_epsilon, DEFAULT_LIFETIME[1])


def open_line(ledger: Ledger, spec: RunSpec) -> str | None:
    """Open the population's lifetime budget if it has none and the spec agrees.

    Returns the sentence to report, None if nothing was opened.
    """
    limit, protects = _opening(spec), load_schema(spec.schema).protects
    if limit is None or ledger.balance(spec.population).limits is not None:
        return None
    try:
        ledger.open_population(
            spec.population,
            units=limit,
            protects=protects,
            reason=f"opened by its first release, {spec.run}",
        )
    except Mistake:
        if ledger.balance(spec.population).limits is None:
            raise
        return None  # another run was faster
    line = ledger.balance(spec.population)
    epsilon, delta = line.lifetime
    return (
        f"opened the lifetime budget of population {spec.population!r} with a limit of "
        f"epsilon {epsilon:.4g} at delta {exact(delta)}; it protects {line.protects}"
    )


def charged(ledger: Path, run: str) -> tuple[int, int]:
    """Return (spent, spent and reserved) of a run in units; (0, 0) before it reserved."""
    entry = find(ledger, run)
    if entry is None:
        return 0, 0
    return entry.spent, entry.spent if entry.closed else entry.units


def close(ledger: Path, run: str) -> int:
    """Close a run, which releases its unused budget. Returns the units that stay spent."""
    if find(ledger, run) is None:
        return 0
    with closing(Ledger(ledger)) as book:
        book.close_run(run)
    return charged(ledger, run)[0]


def find(ledger: Path, run: str) -> Run | None:
    """Return the entry of a run, None before it reserved."""
    if not ledger.exists():
        return None
    with closing(Ledger(ledger)) as book:
        return next((entry for entry in book.runs() if entry.run == run), None)


@contextmanager
def closed_on_failure(book: Ledger, run: str) -> Iterator[None]:
    """Close a run that cannot continue after an error, and note on the error what happened to its
    reservation.
    """
    try:
        yield
    except BaseException as error:
        try:
            known = [one for one in book.runs() if one.run == run]
            if known:
                book.close_run(run)
                error.add_note(
                    f"The run {run} was closed: rho {rho_of(known[0].spent):.6g} stays spent, the rest of "
                    "what it reserved is free again."
                )
        except MarginaliaError:
            error.add_note(
                f"What the run {run} reserved and never asked could not be freed in {str(book.path)!r}. "
                f"Free it with: marginalia ledger discard {run}"
            )
        raise
