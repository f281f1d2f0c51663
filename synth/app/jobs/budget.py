"""Use the ledger for a run: quote the cost, open the lifetime budget, read the charges, and close the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from synth.app.jobs.spec import RunSpec
from synth.core.accounting import Limit, exact, limit_for, rho_of
from synth.core.errors import UNSPENT, MarginaliaError, Mistake, states_cost, with_notes
from synth.core.request import People
from synth.core.schema import ProtectedChange
from synth.dictionaries import load_schema
from synth.private.ledger import DEFAULT_LIFETIME, Balance, Ledger, Run
from synth.private.ledger.population import check_name
from synth.private.ledger.quote import Quote
from synth.release.plan import price_of


def quote(spec: RunSpec) -> Quote:
    """Return the cost of a run and its effect on the lifetime budget, without reserving anything.

    Raises: `Mistake` if the population has no budget and the spec opens none, if the budget protects another
    change, or if people are declared to be new although their population has a release.
    """
    schema, opening = load_schema(spec.schema), _opening(spec)
    line = _fitting(spec.population, schema.protects, ledger=Path(spec.ledger))
    opens = line.limits is None and opening is not None
    if line.limits is None and opening is not None:
        line = Balance.opened(spec.population, opening, schema.protects)
    line.check(schema.protects)
    if spec.people is People.NEW:
        line.check_unused()
    return Quote(epsilon=spec.epsilon, delta=spec.delta, price=price_of(spec, schema), line=line, opens=opens)


def balance(population: str, *, ledger: Path) -> Balance:
    """Return the lifetime budget of a population, without creating one."""
    if not ledger.exists():
        return Balance.unopened(population)
    with closing(Ledger(ledger)) as book:
        return book.balance(population)


def misfit(population: str, protects: ProtectedChange, *, ledger: Path) -> str | None:
    """Return why a population's budget does not allow a release that protects this change, or None if the
    budget allows it.
    """
    try:
        _fitting(population, protects, ledger=ledger)
    except Mistake as mistake:
        return str(mistake)
    return None


def _fitting(population: str, protects: ProtectedChange, *, ledger: Path) -> Balance:
    """Return the lifetime budget if it allows a release that protects this change.

    Raises: `Mistake` if not.
    """
    if not ledger.exists():
        check_name(population)
        return Balance.unopened(population)
    with closing(Ledger(ledger)) as book:
        return book.check_population(population, protects)


def _opening(spec: RunSpec) -> Limit | None:
    """Return the limit of the budget that the run opens, to which the steward agreed at the start of the
    run.
    """
    return None if spec.lifetime_epsilon is None else limit_for(spec.lifetime_epsilon, DEFAULT_LIFETIME[1])


def open_line(ledger: Ledger, spec: RunSpec) -> str | None:
    """Open a lifetime budget for the population if it has none and the spec contains a limit.

    Return the sentence to report, or None if no budget was opened.
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
        return None  # another run has opened it meanwhile
    line = ledger.balance(spec.population)
    epsilon, delta = line.lifetime
    return (
        f"opened the lifetime budget of population {spec.population!r} with a limit of "
        f"epsilon {epsilon:.4g} at delta {exact(delta)}; it protects {line.protects}"
    )


def charged(ledger: Path, run: str) -> tuple[int, int]:
    """Return the units that a run has spent, and those that it has spent or still reserves.

    Both are 0 until the run reserves budget.
    """
    entry = find(ledger, run)
    if entry is None:
        return 0, 0
    return entry.spent, entry.spent if entry.closed else entry.units


def close(ledger: Path, run: str) -> int:
    """Close a run and release its unused budget. Return the units that stay spent."""
    if find(ledger, run) is None:
        return 0
    with closing(Ledger(ledger)) as book:
        book.close_run(run)
    return charged(ledger, run)[0]


def find(ledger: Path, run: str) -> Run | None:
    """Return the ledger entry of a run, or None if the run has not reserved budget yet."""
    if not ledger.exists():
        return None
    with closing(Ledger(ledger)) as book:
        return next((entry for entry in book.runs() if entry.run == run), None)


@contextmanager
def closed_on_failure(book: Ledger, run: str) -> Iterator[None]:
    """Close the run if the block fails, and add a note to the error that states what happened to the
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
                    f"The run {run} was closed: rho {rho_of(known[0].spent):.6g} stays spent, and the rest "
                    "of its reservation was released."
                )
            elif not states_cost(with_notes(error)):
                error.add_note(UNSPENT)
        except MarginaliaError:
            error.add_note(
                f"The unused reservation of the run {run} could not be released in {str(book.path)!r}. "
                f"Release it with: marginalia ledger discard {run}"
            )
        raise
