"""`ledger`: manage the lifetime budgets of all populations and their runs, and verify the ledger."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from synth.cli.arguments import FAILED_CHECK, Commands, command, group
from synth.cli.console import Console
from synth.cli.package.price import WITHOUT_TRAINING, odds_words
from synth.core.accounting import GAUSSIAN, ZCDP, check_new_delta, delta_of, exact, limit_for, rho_of
from synth.core.errors import Cancelled, Code, Mistake, Refusal
from synth.core.numbers import per_cent
from synth.core.system import places

if TYPE_CHECKING:
    from synth.core.schema import ProtectedChange
    from synth.private.ledger import Balance, Ledger

NOT_DECLARED = "a privacy unit that is not declared yet (ledger declare)"


def add(commands: Commands) -> None:
    verbs = group(
        commands, "ledger", "show the guarantee and the spent and remaining budget of each population"
    )
    command(verbs, "show", show, "print one lifetime budget, or all of them").add_argument(
        "population", nargs="?"
    )
    command(verbs, "runs", runs, "print all runs with their privacy costs").add_argument(
        "population", nargs="?"
    )
    for name, work, help in (
        ("open", open_line, "open a lifetime budget: who is protected, and the limit"),
        ("declare", declare, "declare the privacy unit of a lifetime budget that an older version created"),
        ("raise", raise_limit, "set a higher lifetime limit; the ledger records the change and the reason"),
    ):
        line = command(verbs, name, work, help)
        line.add_argument("population")
        if name != "raise":
            _add_change(line)
        if name == "declare":
            line.add_argument("--reason", required=True, help="how you know this; the text is stored")
            continue
        line.add_argument(
            "--epsilon", type=float, required=True, help="the lifetime limit for all releases together"
        )
        default = "1e-9" if name == "open" else "the delta of the lifetime budget"
        line.add_argument(
            "--delta",
            type=float,
            help=f"the delta of the lifetime budget, including estimated value lists (default: {default})",
        )
        line.add_argument("--reason", required=True, help="the reason; the text is stored")
    line = command(verbs, "discard", discard, "close a run that ended early, and release its unused budget")
    line.add_argument("run", metavar="RUN")
    line.add_argument(
        "--yes", action="store_true", help="close a run that has no job here, without confirmation"
    )
    check = command(verbs, "verify", verify, "check the whole ledger: its chain, limits and results")
    check.add_argument(
        "--receipt", metavar="FILE", help="also check that the ledger contains this receipt (JSON file)"
    )


def _add_change(line: argparse.ArgumentParser) -> None:
    """Add the arguments that describe the privacy unit, as in a schema."""
    line.add_argument("--unit", required=True, help="who is protected, as in the schema: person, ...")
    line.add_argument("--max-rows", type=int, required=True, help="maximum number of rows per unit")
    line.add_argument(
        "--rows-public",
        action="store_true",
        help="the number of rows is public: protect the contents of a unit's rows, not its presence",
    )


def show(args: argparse.Namespace, console: Console) -> int:
    ledger = _ledger()
    names = [args.population] if args.population else list(ledger.populations())
    if not names:
        console.say("There is no lifetime budget yet. To open one, see: marginalia ledger open --help")
    for name in names:
        console.say(_in_words(balance := _balance(ledger, name)))
        console.tell("population", **balance.facts())
    return 0


def runs(args: argparse.Namespace, console: Console) -> int:
    ledger = _ledger()
    for run in ledger.runs(args.population):
        share = ledger.balance(run.population).share
        state, law = "closed" if run.closed else "open", run.law.title
        console.say(
            f"{run.run}  {run.population}  {run.opened[:10]}  {state:6}  {law:4}  "
            f"{per_cent(share(run.spent), 1)} spent of {per_cent(share(run.units), 1)} reserved  {run.label}"
        )
        console.tell("run", **run.facts())
    return 0


def open_line(args: argparse.Namespace, console: Console) -> int:
    from synth.private.ledger import DEFAULT_LIFETIME

    ledger, delta = _ledger(), DEFAULT_LIFETIME[1] if args.delta is None else args.delta
    check_new_delta(delta)
    ledger.open_population(
        args.population,
        units=limit_for(args.epsilon, delta),
        protects=_change(args),
        reason=args.reason,
    )
    return _result(ledger, args.population, console, "has a lifetime limit of")


def declare(args: argparse.Namespace, console: Console) -> int:
    ledger = _ledger()
    ledger.declare(args.population, _change(args), args.reason)
    return _result(ledger, args.population, console, "has a lifetime limit of")


def _change(args: argparse.Namespace) -> ProtectedChange:
    from synth.core.schema import Neighbours, ProtectedChange

    if args.max_rows < 1 or not args.unit.strip():
        raise Mistake(
            f"A privacy unit needs a name and at least one row, not {args.unit!r} with {args.max_rows} rows."
        )
    neighbours = Neighbours.REPLACE if args.rows_public else Neighbours.ADD_REMOVE
    return ProtectedChange(unit=args.unit, max_rows=args.max_rows, neighbours=neighbours)


def raise_limit(args: argparse.Namespace, console: Console) -> int:
    ledger = _ledger()
    if args.delta is not None:
        check_new_delta(args.delta)
    limit = _balance(ledger, args.population).raised(args.epsilon, args.delta)
    ledger.raise_limit(args.population, limit, args.reason)
    return _result(ledger, args.population, console, "now has a lifetime limit of")


def _result(ledger: Ledger, population: str, console: Console, verb: str) -> int:
    """Print the new state of a lifetime budget."""
    balance = ledger.balance(population)
    epsilon, delta = balance.lifetime
    console.result(
        f"Population {balance.population!r} {verb} epsilon {epsilon:.4g} at delta {exact(delta)}; "
        f"it protects {balance.protects or NOT_DECLARED}. {_lapsed(balance)}".rstrip(),
        **balance.facts(),
    )
    return 0


def discard(args: argparse.Namespace, console: Console) -> int:
    """Close the run of a job, or a run that is only in the ledger (from an interrupted call in Python)."""
    from synth.app.jobs import runner
    from synth.app.jobs.store import Job

    try:
        job = Job.find(args.run)
    except Mistake:
        spent = _discard_unknown(args, console)
    else:
        spent = runner.discard(job).spent or 0
    console.result(
        f"Run {args.run} is closed; rho {rho_of(spent):.6g} stays spent.", run=args.run, units_spent=spent
    )
    return 0


def _discard_unknown(args: argparse.Namespace, console: Console) -> int:
    """Close a run that has no job on this machine, and return the units that stay spent.

    The steward must confirm, because the run might still be active elsewhere. Raises: `Mistake` if the run is
    not in the ledger, is already closed, or cannot be confirmed here; `Cancelled` if the steward does not
    confirm.
    """
    book = _ledger() if places.ledger().exists() else None
    run = next((one for one in book.runs() if one.run == args.run), None) if book else None
    if book is None or run is None:
        raise Mistake(
            f"There is no run {args.run!r} here, neither as a job nor in the ledger. List the runs with: "
            "ledger runs."
        )
    if run.closed:
        raise Mistake(f"The run {args.run!r} is already closed.")
    if not args.yes:
        if console.as_json or not sys.stdin.isatty():
            raise Mistake(
                f"No job on this machine belongs to the run {args.run!r}, and no one can confirm here that "
                "it has ended. Add --yes to close it without asking."
            )
        console.note(
            f"No job on this machine belongs to the run {args.run!r} of population {run.population!r}. It "
            "was started in Python or by another installation. If it is still active, its next query will "
            f"be refused, and it cannot be resumed. Rho {rho_of(run.spent):.6g} of {rho_of(run.units):.6g} "
            f"stays spent. Type the name of the run ({args.run}) to close it:"
        )
        if input().strip() != args.run:
            raise Cancelled("Not confirmed; the run was not closed.")
    book.close_run(args.run)
    return next(one for one in book.runs() if one.run == args.run).spent


def verify(args: argparse.Namespace, console: Console) -> int:
    """Return 0 if the ledger is valid, 7 if not."""
    receipt = None
    if args.receipt:
        try:
            receipt = json.loads(Path(args.receipt).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise Mistake(f"{args.receipt!r} is not a receipt in JSON. Check the path.") from None
    try:
        _ledger().verify(receipt)
    except Refusal as refusal:
        if refusal.code is not Code.LEDGER_BROKEN:
            raise
        console.result(str(refusal), ok=False, sentence=str(refusal))
        return FAILED_CHECK
    console.result("The ledger is complete: every entry obeys the rules and the chain has no gap.", ok=True)
    return 0


def _ledger() -> Ledger:
    from synth.private.ledger import Ledger

    return Ledger(places.ledger())


def _balance(ledger: Ledger, population: str) -> Balance:
    balance = ledger.balance(population)
    if balance.limit is None:
        names = ", ".join(ledger.populations()) or "none"
        raise Mistake(f"There is no lifetime budget {population!r}. Existing ones: {names}.")
    return balance


def _in_words(balance: Balance) -> str:
    """Describe a lifetime budget in a few sentences: its guarantee, the spent and remaining budget, and the
    odds.
    """
    epsilon, delta = balance.lifetime
    spent, left = (per_cent(balance.share(units), 1) for units in (balance.spent, balance.left))
    lost = f", lost {per_cent(balance.share(balance.lost), 1)}" if balance.lost else ""
    return (
        f"{balance.population}: lifetime limit epsilon {epsilon:.4g} at delta {exact(delta)}. "
        f"Spent {spent} ({balance.law.in_short(balance.spent)}, epsilon {balance.claim(balance.spent):.4g}), "
        f"reserved {per_cent(balance.share(balance.reserved), 1)}{lost}, remaining {left} (epsilon "
        f"{balance.claim(balance.left):.4g}; delta {delta_of(balance.delta_left):.3g} for estimated value "
        f"lists){_kinds(balance)}. Protects {balance.protects or NOT_DECLARED}. "
        f"Odds of all releases so far: {odds_words(balance.odds(balance.committed))}. At the lifetime "
        f"limit{WITHOUT_TRAINING if balance.law == GAUSSIAN else ''}: {odds_words(balance.lifetime_odds())}. "
        f"{_lapsed(balance)}".rstrip()
    )


def _lapsed(balance: Balance) -> str:
    from synth.private.ledger import lapse_sentence

    return lapse_sentence(balance.lapsed, balance.lifetime)


def _kinds(balance: Balance) -> str:
    """State how much a run with private training may reserve, if this is less than for other runs."""
    gaussian, other = (balance.left_under(law) for law in (GAUSSIAN, ZCDP))
    if gaussian == other:
        return ""
    return f"; a run with private training may use {per_cent(balance.share(other), 1)}"
