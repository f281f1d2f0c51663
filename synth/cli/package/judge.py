"""`judge`: measure in a separate run how accurate the table of a release is."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from synth.cli.arguments import Commands, add_table, command, write_new
from synth.cli.console import Console
from synth.cli.package.price import budget_lines
from synth.cli.release import confirm
from synth.core.accounting import exact
from synth.core.errors import Mistake, unspent
from synth.core.system import places
from synth.core.system.address import existing

if TYPE_CHECKING:
    from synth.private.ledger.quote import Quote
    from synth.release.verdict.judgement import JudgePlan


def add(commands: Commands) -> None:
    parser = command(commands, "judge", judge, "measure how accurate a release is; spends budget")
    parser.add_argument("release", metavar="RELEASE", help="the folder or the zip of a release")
    add_table(parser, help="the private table", required=True)
    parser.add_argument("--epsilon", type=float, required=True, help="the privacy budget of this measurement")
    parser.add_argument(
        "--delta", type=float, required=True, help="the delta of this measurement, such as 1e-9"
    )
    parser.add_argument(
        "--target",
        metavar="COLUMN",
        help="also measure how well this column is predicted (default: the target of the release, if any)",
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="new JSON file for the result")
    parser.add_argument(
        "--other-people",
        action="store_true",
        help="confirm that no one is in both populations, if the file was released under another one",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before spending")


def judge(args: argparse.Namespace, console: Console) -> int:
    """Show the cost, ask for confirmation, measure, and write the result."""
    from synth.app.jobs import judging
    from synth.private.ledger import RUN_SECONDS, Ledger, Patience
    from synth.release.layout import json_text
    from synth.release.place import check_place, date_to_day

    out, ledger = Path(args.out).expanduser(), places.ledger()
    with unspent():
        data = existing(args.data, table=args.table)
        if out.exists():
            raise Mistake(f"{str(out)!r} already exists. Choose another name.")
        check_place(out.absolute(), advice="Choose another path.")
        plan = judging.planned(args.release, epsilon=args.epsilon, delta=args.delta, target=args.target)
        offer = judging.quote(plan, ledger=ledger)
        console.tell("quote", **offer.facts())
        offer.check()
        if not args.yes:
            confirm(console, _sheet(plan, offer, out), name=plan.schema.name)
    with closing(Ledger(ledger, patience=Patience(seconds=RUN_SECONDS))) as book:
        made = judging.judge(
            plan,
            data=data,
            book=book,
            others=args.other_people,
            report=lambda progress: console.note(f"{progress.stage:10} {progress.fact}"),
        )
    text = json_text(made.document)
    try:
        write_new(out, text)
    except Mistake:  # the result is paid for, so it is shown
        console.result(text, judgement=made.document)
        raise
    date_to_day(out)
    console.result("\n".join(made.document["sentences"]), out=str(out), judgement=made.document)
    return 0


def _sheet(plan: JudgePlan, offer: Quote, out: Path) -> tuple[str, ...]:
    from synth.release.verdict.sentences import points

    promise = plan.promise
    precision = f"mean errors to within about {points(2 * promise.mean)}"
    if promise.pair is not None:
        precision += f", each pair of columns to within {points(2 * promise.pair)}"
    return (
        f"Protected   : {plan.schema.protects}",
        f"Population  : {plan.schema.population}",
        f"Guarantee   : epsilon {plan.epsilon:g} at delta {exact(plan.delta)}",
        f"Measures    : {precision}",
        *budget_lines(offer),
        f"Document    : {out}",
    )
