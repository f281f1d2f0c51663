"""`release`: make a release package from data, schema, rules and a budget."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.app.jobs import runner
from synth.app.jobs.spec import RUN_ID, RunSpec, fresh_run, fresh_seed
from synth.app.jobs.store import Job
from synth.cli.again import Earlier, changes_to, declared, declared_anew, earlier_of, unchecked
from synth.cli.arguments import (
    DEVICE_HELP,
    Commands,
    add_forms,
    add_options,
    add_table,
    command,
    existing_file,
)
from synth.cli.console import Console
from synth.cli.follow import follow
from synth.cli.package.price import add_epsilon, budget_lines, epsilon_of, lost_line
from synth.cli.schema import remarks_on_header
from synth.cli.where import UNKNOWN
from synth.core.accounting import exact
from synth.core.errors import Cancelled, Code, Mistake, unspent
from synth.core.options import options_typed
from synth.core.request import (
    CONFIDENCE,
    MEANS_SHARE,
    METHOD,
    MOST_UNFIT,
    PREPROCESS_SHARE,
    SHARES_PART,
    People,
)
from synth.core.system import places
from synth.core.system.address import address_of, existing
from synth.core.system.device import check_device
from synth.core.system.disks import Reach, reach_of
from synth.release.place import check_place

if TYPE_CHECKING:
    from synth.core.schema import Schema
    from synth.private.ledger.quote import Quote

SETTINGS = (
    "epsilon", "delta", "method", "generator", "compress", "rows", "workload", "confidence",
    "preprocess_share", "verdict", "means", "means_share", "shares_part", "most_unfit", "device",
)  # fmt: skip
"""Fields of a run that can be set by arguments of the same names."""

EARLIER = object()
"""The value of --start without a path. The run then starts from the release that --again names."""

_OF_THE_HEADER = (Code.HEADER_MISMATCH, Code.HEADER_REPEATED, Code.HEADER_SINGLE)
NO_LONGER_FITS = (
    "The schema of the earlier release no longer fits this table. Rename the columns of the table, or add "
    "--schema with a schema that fits. No budget was reserved."
)

LARGE_DELTA = (
    "Delta {delta} is more than a tenth of 1 / {rows:,}, the public number of rows. Use a smaller delta: the "
    "guarantee allows a method to publish a whole record with probability delta."
)
NO_CHECK = (
    "No accuracy check: this release will not measure the error of its table. With a public number of "
    "rows, there is none by default if even the mean error would be uncertain by more than 10 points. Set "
    "--verdict to measure it anyway."
)
_NEEDED = ("data", "schema", "epsilon", "delta", "out")


def add(commands: Commands) -> None:
    parser = command(commands, "release", release, "make a synthetic table and its release package")
    add_table(parser, help="the private table")
    parser.add_argument("--schema", metavar="FILE", help="the declared schema (JSON)")
    parser.add_argument("--rules", metavar="FILE", help="constraints and target proportions (JSON)")
    parser.add_argument(
        "--again",
        "--like",
        metavar="RUN",
        help="an earlier run or release package (or its config/spec.json): the same columns, rules, budget "
        "and method, except for what you set here",
    )
    parser.add_argument(
        "--shift-dates",
        metavar="TIME",
        help="with --again: move the declared dates of the schema, such as by 1m; d, w, m and y are days, "
        "weeks, months and years",
    )
    who = parser.add_mutually_exclusive_group()
    who.add_argument(
        "--people",
        choices=(People.SAME.value, People.CHANGING.value),
        help="with --again: declare that the table is about the same people, or that people come and go; "
        "the costs add up in both cases",
    )
    who.add_argument(
        "--new-people",
        metavar="POPULATION",
        help=(
            "with --again: declare that no one in the table is in an earlier release, and give these "
            "people their own lifetime budget under this new name"
        ),
    )
    add_epsilon(parser)
    parser.add_argument(
        "--delta",
        type=float,
        help="the probability that the epsilon limit does not hold, such as 1e-9 (required, unless --again "
        "is given)",
    )
    parser.add_argument("--method", help=f"the mechanism (default: {METHOD})")
    add_options(parser, "--option", help="an option of the method; repeatable")
    add_forms(parser)
    parser.add_argument(
        "--generator", help="the model that draws rows from the measurements (default: the method's own)"
    )
    add_options(parser, "--generator-option", help="an option of the generator; repeatable")
    parser.add_argument("--compress", action="store_true", help="merge rare values while measuring")
    parser.add_argument("--rows", type=int, help="rows to generate (default: the noisy total)")
    parser.add_argument(
        "--workload", type=int, choices=(2, 3), help="pairs or triples of columns (default: 2)"
    )
    parser.add_argument(
        "--confidence", type=float, help=f"confidence of the error bounds (default: {CONFIDENCE})"
    )
    parser.add_argument(
        "--preprocess-share",
        type=float,
        help=f"share of the budget for estimated domains (default: {PREPROCESS_SHARE})",
    )
    parser.add_argument(
        "--verdict",
        type=float,
        help=(
            "share of the budget for the accuracy check of the finished table; 0 for none (default: 0.05, "
            "and up to 0.1 for a small table with a public number of rows)"
        ),
    )
    parser.add_argument(
        "--means",
        metavar="FORMULA",
        action="append",
        default=[],
        help="measure means or a regression with part of the budget: 'income ~ age + education', "
        "'logistic smokes ~ age', or 'income by town'; repeatable",
    )
    parser.add_argument(
        "--means-share",
        type=float,
        help=f"share of the budget for all means and regressions (default: {MEANS_SHARE})",
    )
    parser.add_argument(
        "--shares-part",
        type=float,
        help=f"share of the budget for each target proportion to be measured (default: {SHARES_PART})",
    )
    parser.add_argument(
        "--most-unfit",
        type=float,
        metavar="SHARE",
        help="stop after the columns, with exit code 7, if significantly more than this share of a column's "
        f"cells does not fit its declaration (default: {MOST_UNFIT})",
    )
    parser.add_argument(
        "--continue-unfit",
        action="store_true",
        help="do not stop if cells do not fit; with --resume, continue a run that stopped for this reason",
    )
    parser.add_argument(
        "--start",
        metavar="PATH",
        nargs="?",
        const=EARLIER,
        help=(
            "start from a public table with the same columns, a release package, an earlier run, or a CSV "
            "file in the form of a package, and measure mainly the differences; without PATH, start from "
            "the release of --again"
        ),
    )
    parser.add_argument("--start-source", metavar="TEXT", help="the origin of the public table")
    parser.add_argument(
        "--lifetime-epsilon",
        type=float,
        help="create the lifetime budget with this epsilon if the population has none",
    )
    parser.add_argument("--device", help=DEVICE_HELP)
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="new or empty folder for the release package (default with --again: next to the earlier one); "
        "with --resume, another folder",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    parser.add_argument("--detach", action="store_true", help="start the run and return immediately")
    parser.add_argument(
        "--resume", metavar="RUN", help="continue a run that ended early; nothing is charged twice"
    )
    parser.add_argument(
        "--rehearsal",
        type=int,
        metavar="SEED",
        help="practice run with predictable noise, for a public or invented file; not publishable",
    )


def release(args: argparse.Namespace, console: Console) -> int:
    """Start or resume a run, follow it to its end, and return its exit code.

    Input that the worker would refuse is refused here, before the steward confirms.
    """
    from synth.dictionaries import load_schema

    if args.resume:
        out = None if args.out is None else _full(args.out)
        job = runner.resume(Job.find(args.resume), out=out, continue_unfit=args.continue_unfit)
    else:
        with unspent():
            spec = spec_of(args)
            plan = spec.plan()
            if spec.start:
                plan.check_starting_table()
            check_place(Path(spec.out))
            check_device(spec.device)
            for line in (*changes_to(args, spec), *unchecked(args, spec)):
                console.note(line)
            _agree(args, spec, console)
        job = runner.start(spec)
    console.tell("started", run=job.run)
    if args.detach:
        console.say(
            f"Run {job.run} continues in the background. Watch it with: marginalia jobs status {job.run}"
        )
        return 0
    end = follow(job, console)
    if job.status().code in _OF_THE_HEADER:
        for remark in remarks_on_header(load_schema(job.spec().schema), address_of(job.spec().data)):
            console.note(remark)
        if args.again:
            console.note(NO_LONGER_FITS)
    return end


def spec_of(args: argparse.Namespace) -> RunSpec:
    """Return the spec of the requested run. No private row is read. Raises: `Mistake` for invalid input."""
    from synth.dictionaries import dump_schema, load_schema
    from synth.release.formats.forms import check_forms
    from synth.release.plan import usual_verdict
    from synth.rules import parse_rules

    check_forms(args.also)
    earlier = earlier_of(args.again) if args.again else None
    settings = _settings(args, earlier)
    out = args.out or (earlier and str(earlier.out))
    found = {"data": args.data, "out": out, **settings}
    missing = [f"--{name}" for name in _NEEDED if found.get(name) is None]
    if missing:
        raise Mistake(f"A release also needs {', '.join(missing)}. See: marginalia release --help.")
    data, schema = existing(args.data, table=args.table), load_schema(settings["schema"])
    rules = parse_rules(settings["rules"], schema) if settings.get("rules") else None
    if args.rehearsal is not None and not schema.file_is_public:
        raise Mistake(
            "A practice run uses predictable noise, so it needs a file that the schema declares public "
            '("file_is_public": true).'
        )
    ledger = places.ledger() if args.rehearsal is None else places.rehearsal_ledger()
    settings |= {"schema": dump_schema(schema), "rules": rules.document if rules else None}
    spec = RunSpec.of(
        settings
        | {
            "run": fresh_run(),
            "data": str(data),
            "population": schema.population,
            "lifetime_epsilon": _lifetime(args, earlier, ledger),
            "rehearsal": args.rehearsal,
            **(start := _start(args, schema, earlier)),
            "since": _since(start, earlier),
            "also": tuple(dict.fromkeys(args.also)),
            "seed": fresh_seed(),
            "out": str(_full(found["out"])),
            "ledger": str(ledger),
        }
    )
    return spec if "verdict" in settings else replace(spec, verdict=usual_verdict(spec, schema))


def _settings(args: argparse.Namespace, earlier: Earlier | None) -> dict[str, Any]:
    """Return the fields of the run, taken from the arguments and from an earlier release. The arguments take
    priority. Options are not copied if the method differs.

    Raises: `Mistake` for an unusable file, or if an argument refers to an earlier release but --again is
    missing.
    """
    given = {name: getattr(args, name) for name in SETTINGS}
    given["epsilon"] = epsilon_of(args, earlier.settings if earlier else None)
    typed = {name: v for name, v in given.items() if v is not None and v is not False and v != []}
    if args.continue_unfit:
        typed["most_unfit"] = 1.0
    for name, words in (("options", args.option), ("generator_options", args.generator_option)):
        if words:
            typed[name] = options_typed(words)
    if earlier is None:
        if args.people or args.new_people or args.shift_dates or args.start is EARLIER:
            raise Mistake(
                "Name the earlier release with --again, or leave out the arguments that refer to it."
            )
        for name, what in (("schema", "schema"), ("rules", "file of rules")):
            if getattr(args, name):
                typed[name] = existing_file(getattr(args, name), what=what)
        return typed
    earlier = declared_anew(args, earlier)
    settings = earlier.settings | declared(earlier, people=args.people, new_people=args.new_people)
    if typed.get("method", settings["method"]) != settings["method"]:
        settings |= {"options": {}, "generator": None, "generator_options": {}}
    return settings | typed


def _start(args: argparse.Namespace, schema: Schema, earlier: Earlier | None) -> dict[str, str]:
    """Return the fields that describe the public table from which the release starts."""
    from synth.app.jobs.released_files import check_public
    from synth.release.reading.starting import read_start

    if not args.start:
        return {}
    if earlier and args.start is EARLIER:
        path = earlier.package
    else:
        path = _full(args.start)
        if RUN_ID.fullmatch(args.start) and not path.exists():
            path = Path(Job.find(args.start).spec().out)
    table = read_start(path, schema, source=args.start_source or "")
    check_public(path)
    return {"start": str(path), "start_source": table.source, "start_digest": table.digest}


def _since(start: dict[str, str], earlier: Earlier | None) -> str:
    """Return the package with which the release is compared: the one from --again, or else from --start."""
    places = (str(earlier.package) if earlier else "", start.get("start", ""))
    return next((p for p in places if p and (Path(p).is_dir() or p.endswith(".zip"))), "")


def _full(out: str) -> Path:
    return Path(out).expanduser().absolute()


def _lifetime(args: argparse.Namespace, earlier: Earlier | None, ledger: Path) -> float | None:
    """Return the limit (epsilon) of the lifetime budget that the release may create, or None if it may not
    create one.

    The default for new people is the limit of the earlier population. A practice run needs no confirmation.
    """
    from synth.app.jobs.budget import balance
    from synth.private.ledger import DEFAULT_LIFETIME

    if args.lifetime_epsilon is not None:
        return float(args.lifetime_epsilon)
    if args.new_people and earlier:
        before = balance(earlier.population, ledger=ledger)
        return before.lifetime[0] if before.limits else None
    return None if args.rehearsal is None else DEFAULT_LIFETIME[0]


def _agree(args: argparse.Namespace, spec: RunSpec, console: Console) -> None:
    """Show the privacy unit, the cost and the remaining budget. Ask the steward to type the schema's name.

    Raises: `BudgetRefused` before anything is charged; `Mistake` if the population has no lifetime budget or
    the cost cannot be confirmed here; `Cancelled` if the steward does not confirm.
    """
    from synth.app.jobs.budget import quote
    from synth.app.project.spend.accuracy import too_small
    from synth.app.project.store import Budget, Method
    from synth.dictionaries import load_schema
    from synth.release.documents.wording import people

    offer = quote(spec)
    if words := people(spec.people, spec.new_to, load_schema(spec.schema).unit):
        console.note(words)
    epsilon, delta = offer.line.lifetime
    if offer.opens:
        console.note(
            f"Population {spec.population!r} has no lifetime budget yet. This release opens one with "
            f"epsilon {epsilon:.4g} at delta {exact(delta)}. It protects {offer.line.protects}: every "
            "later release about these people must protect the same unit."
        )
    if offer.exceeds_delta:
        console.note(
            f"The delta of this release, {exact(spec.delta)}, is larger than the delta of the lifetime "
            f"budget of {spec.population!r}, {exact(delta)}. At the smaller delta, this release counts as "
            f"epsilon {offer.claim:.4g}."
        )
    reach, disk = reach_of(Path(spec.ledger))
    if disk and reach is Reach.UNKNOWN:
        console.note(f"The ledger is on a disk of type {disk}: {UNKNOWN}.")
    console.tell("quote", **offer.facts())
    offer.check()
    budget = Budget(epsilon=spec.epsilon, delta=spec.delta)
    small = too_small(load_schema(spec.schema), budget, Method(name=spec.method, options=spec.options))
    if small is not None:
        console.note(small)
        console.tell("warning", sentence=small)
    for sentence in spec.plan().rules.warnings:
        console.note(f"Warning: {sentence}")
        console.tell("warning", sentence=sentence)
    if not spec.verdict:
        console.note(NO_CHECK)
    rows = load_schema(spec.schema).rows_public or 1
    if spec.delta * rows > 0.1:
        console.note(LARGE_DELTA.format(delta=exact(spec.delta), rows=rows))
    if args.yes and (lost := lost_line(offer)):
        console.note(lost)
    if not args.yes:
        confirm(console, _sheet(spec, offer), name=spec.schema["name"])


def confirm(console: Console, lines: Sequence[str], *, name: str) -> None:
    """Show these lines about the cost, and ask the steward to type the name of the schema.

    Raises: `Mistake` if the cost cannot be confirmed here; `Cancelled` if the steward does not confirm.
    """
    if console.as_json or not sys.stdin.isatty():
        raise Mistake("No one can confirm this here. Add --yes to spend the budget without confirmation.")
    for line in lines:
        console.note(line)
    console.note(f"This cannot be undone. Type the name of the schema ({name}) to continue:")
    if input().strip() != name:
        raise Cancelled("Not confirmed; nothing was spent.")


def _sheet(spec: RunSpec, offer: Quote) -> tuple[str, ...]:
    from synth.dictionaries import load_schema

    room = "no release" if not offer.room else f"{offer.room} more release{'s' * (offer.room > 1)}"
    return (
        f"Protected   : {load_schema(spec.schema).protects}",
        f"Population  : {spec.population}",
        f"Guarantee   : epsilon {spec.epsilon:g} at delta {exact(spec.delta)}",
        f"Method      : {spec.method}",
        *([f"Start       : {spec.start_source} (public)"] if spec.start else []),
        *budget_lines(offer),
        f"Left after  : enough for {room} like this",
        f"Package     : {spec.out}",
    )
