"""The Python API: one call that creates a synthetic table from a private table."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from synth.analyst.shown.notebook import write as notebook
from synth.app.jobs import judging, released_files
from synth.app.jobs.budget import closed_on_failure
from synth.app.jobs.spec import fresh_seed
from synth.core.accounting import check_new_delta, epsilon_for_odds, limit_for
from synth.core.errors import Mistake, Unfit, unspent
from synth.core.progress import Reporter, silent
from synth.core.request import MEANS_SHARE, METHOD, MOST_UNFIT, People
from synth.core.schema import Schema
from synth.core.system import places
from synth.core.system.address import Address, address_of
from synth.dictionaries import load_schema
from synth.pipeline import release
from synth.private.frame import Frame
from synth.private.ledger import RUN_SECONDS, Ledger, Patience
from synth.release import bundle
from synth.release.documents.statement import Imprint
from synth.release.formats.forms import write_file as export
from synth.release.formats.sketch import sketch
from synth.release.plan import Plan, law_by, usual_verdict
from synth.release.reading.starting import read_start
from synth.release.synthesis import Synthesis
from synth.release.verdict.judgement import Judgement
from synth.rules import parse_rules

__all__ = [
    "epsilon_for_risk",
    "export",
    "judge",
    "load_schema",
    "open_budget",
    "sketch",
    "synthesize",
    "write_bundle",
]


def open_budget(
    schema: Schema,
    *,
    epsilon: float,
    delta: float,
    reason: str,
    ledger: Path | str | None = None,
) -> None:
    """Create the lifetime privacy budget of the schema's population.

    The budget protects the schema's privacy unit under its neighbour relation, and accepts only releases for
    exactly that unit. Only its limit can be raised later. Repeating the same call has no effect. `ledger` is
    the path of the ledger, by default the ledger of this installation. Raises: `Mistake`, `Refusal`.
    """
    check_new_delta(delta)
    with closing(_open(ledger)) as book:
        book.open_population(
            schema.population, units=limit_for(epsilon, delta), protects=schema.protects, reason=reason
        )


def epsilon_for_risk(
    *, delta: float, right_guesses: float | None = None, detected: float | None = None, method: str = METHOD
) -> float:
    """Return the largest epsilon of a release at this delta that keeps a target risk, rounded down.

    `right_guesses` is the number out of 100 in which an attacker's guess about a person may be right (above
    50). `detected` is the number of members out of 100 that an attacker with 5 false alarms in 100 may
    detect (above 5). Raises: `Mistake` for a risk that no release can have.
    """
    check_new_delta(delta)
    return epsilon_for_odds(
        delta,
        law=law_by(method),
        guess=None if right_guesses is None else right_guesses / 100,
        caught=None if detected is None else detected / 100,
    )


def synthesize(
    data: Any,
    schema: Schema,
    *,
    epsilon: float,
    delta: float,
    rules: Sequence[str | Mapping[str, Any]] = (),
    method: str = METHOD,
    options: Mapping[str, Any] | None = None,
    generator: str | None = None,
    generator_options: Mapping[str, Any] | None = None,
    compress: bool = False,
    rows: int | None = None,
    verdict: float | None = None,
    means: Sequence[str] = (),
    means_share: float = MEANS_SHARE,
    start: Path | str | None = None,
    start_source: str = "",
    ledger: Path | str | None = None,
    other_people: bool = False,
    people: str = "",
    new_to: Sequence[str] = (),
    most_unfit: float = MOST_UNFIT,
    report: Reporter = silent,
) -> Synthesis:
    """Release a private table once. This spends (epsilon, delta) of the population's lifetime budget.

    Parameters
    ----------
    data
        A file, a folder, a pattern, or another address (`system.address`). It can also be a data frame of
        pandas, polars or Arrow, which is never written to disk. The types of its columns are public facts.
    ledger
        Path of the ledger, by default the ledger of this installation. The budget must already exist
        (`open_budget`).
    verdict
        Share of the budget for measuring the accuracy of the finished table (`.checks.verdict`), or 0 for no
        measurement. The default is 0.05, or up to 0.1 for a small table with a public number of rows.
    means
        Formulas of means or regressions that are measured, such as "income by town",
        "income ~ age + education" or "logistic smokes ~ age".
    means_share
        Share of the budget for all `means` together.
    start
        A public table with the same columns from which the release starts: a release package, or a CSV file
        in the format of its table. The release then mainly measures differences from this table.
    start_source
        The source of a CSV file that is used as `start`. It is named in the report.
    other_people
        If the file was released under another population, confirms that the two populations share no people.
    people
        Who is in the table of a repeated release: "same", "changing" or "new" people. The statement contains
        this value.
    new_to
        The earlier populations to which none of the new people belong. The schema must then name a new
        population.
    most_unfit
        If significantly more than this share of a column's cells does not fit its declaration, the call stops
        after measuring the columns and raises `Unfit` (`synth.core.errors`). The rest of the budget is then
        released. With 1, it never stops.

    Returns the synthetic table (`.table`) with its checks, bounds and receipt. Unlike a job, a call that
    fails or is interrupted cannot be resumed. Its charges remain, the rest of its reservation is released
    immediately, and a note on the error states this.

    Raises: `Mistake`, `BudgetRefused`, `Refusal`, `Unfit`.
    """
    with unspent():
        if people not in {one.value for one in People}:
            raise Mistake(f"people={people!r} does not state who is in the table. Use same, changing or new.")
        plan = Plan(
            schema=schema,
            rules=parse_rules(list(rules), schema),
            epsilon=epsilon,
            delta=delta,
            method=method,
            options=dict(options or {}),
            generator=generator,
            generator_options=dict(generator_options or {}),
            compress=compress,
            rows=rows,
            verdict=verdict or 0.0,
            means=tuple(means),
            means_share=means_share,
            people=People(people),
            new_to=tuple(new_to),
            most_unfit=most_unfit,
            seed=fresh_seed(),
        )
        if verdict is None:
            plan = replace(plan, verdict=usual_verdict(plan, schema))
        place = _place(data)
        started = None if start is None else read_start(start, schema, source=start_source)
        if start is not None:
            released_files.check_public(Path(start))
    run = secrets.token_hex(8)
    with closing(_open(ledger)) as book, closed_on_failure(book, run):
        line = book.balance(schema.population)
        line.check(schema.protects)
        if plan.people is People.NEW:
            line.check_unused()
        released_files.check(
            place, population=schema.population, run=run, ledger=book.path, others=other_people
        )
        try:
            return release(plan, data=place, ledger=book, run=run, start=started, report=report)
        except Unfit as unfit:
            unfit.add_note("To release it anyway in a new run, call synthesize with most_unfit=1.")
            raise


def judge(
    package: Path | str,
    data: Any,
    *,
    epsilon: float,
    delta: float,
    target: str | None = None,
    ledger: Path | str | None = None,
    other_people: bool = False,
    report: Reporter = silent,
) -> Judgement:
    """Measure the accuracy of a released table. This spends (epsilon, delta) of the lifetime budget.

    The table can be from an old release, or an additional table whose accuracy was not measured. The cost is
    added to the cost of the release, and is charged to the same population.

    Parameters
    ----------
    package
        The folder or the zip of the release. It is not changed.
    data
        The private table, as for `synthesize`.
    target
        A column whose prediction is measured too, by default the target of the release.
    ledger, other_people
        As for `synthesize`.

    Returns the accuracy (`.verdict`) and a JSON document that may be published (`.document`). A failed call
    is treated like a failed call of `synthesize`.

    Raises: `Mistake`, `BudgetRefused`, `Refusal`.
    """
    plan = judging.planned(package, epsilon=epsilon, delta=delta, target=target)
    place = _place(data)
    with closing(_open(ledger)) as book:
        return judging.judge(plan, data=place, book=book, others=other_people, report=report)


def write_bundle(
    synthesis: Synthesis, out_dir: str | Path, *, imprint: Imprint | None = None, rehearsal: bool = False
) -> Path:
    """Write the release package to the unused folder `out_dir`, and return `out_dir`.

    Raises: as `release.bundle.write`.
    """
    return bundle.write(synthesis, out_dir, imprint=imprint, rehearsal=rehearsal, notebook=notebook)


def _place(data: Any) -> Address | Frame:
    if isinstance(data, str | Path):
        return address_of(data)
    return data if isinstance(data, Address) else Frame(data)


def _open(ledger: Path | str | None) -> Ledger:
    place = places.ledger() if ledger is None else Path(ledger)
    return Ledger(place, patience=Patience(seconds=RUN_SECONDS))
