"""Measure the accuracy of a released table in a separate run. See `pipeline.judge`."""

from __future__ import annotations

from pathlib import Path

from synth import pipeline
from synth.analyst.shown.notebook import write as notebook
from synth.app.jobs import released_files
from synth.app.jobs.budget import balance, closed_on_failure
from synth.app.jobs.spec import fresh_run
from synth.core.errors import Mistake, unspent
from synth.core.progress import Reporter, silent
from synth.core.system.address import Address
from synth.private.frame import Frame
from synth.private.ledger import Ledger
from synth.private.ledger.quote import Quote
from synth.private.reading.vault import Vault
from synth.release.opened import open_bundle
from synth.release.verdict.judgement import Judgement, JudgePlan
from synth.release.verify import verify


def planned(package: Path | str, *, epsilon: float, delta: float, target: str | None = None) -> JudgePlan:
    """Return the plan for a release package. Raises: `Mistake` if the package fails verification, or as in
    `JudgePlan`.
    """
    with unspent():
        problems = verify(package, notebook=notebook).problems
        if problems:
            raise Mistake(f"The release package is damaged or was changed: {problems[0]} Restore it.")
        return JudgePlan(release=open_bundle(package), epsilon=epsilon, delta=delta, target=target)


def quote(plan: JudgePlan, *, ledger: Path) -> Quote:
    """Return the cost and its effect on the lifetime budget, without reserving anything.

    Raises: `Mistake` if the population has no budget, or if its budget protects another change.
    """
    line = balance(plan.schema.population, ledger=ledger)
    with unspent():
        line.check(plan.schema.protects)
    return Quote(epsilon=plan.epsilon, delta=plan.delta, price=plan.price, line=line, opens=False)


def judge(
    plan: JudgePlan, *, data: Address | Frame, book: Ledger, others: bool = False, report: Reporter = silent
) -> Judgement:
    """Run the measurement immediately. If it fails or is interrupted, its run is closed, and its charges
    stay.

    Raises: the errors of `measured`.
    """
    run = fresh_run()
    with closed_on_failure(book, run):
        return measured(plan, data=data, book=book, run=run, others=others, report=report)


def measured(
    plan: JudgePlan,
    *,
    data: Address | Frame,
    book: Ledger,
    run: str,
    others: bool = False,
    vault: Path | None = None,
    report: Reporter = silent,
) -> Judgement:
    """Run the measurement, or continue it from the saved measurements.

    With the path of a `vault`, a continued run refuses a different file and uses the same rows of each unit.
    `others` confirms that the people in the file are not those of another population that released the same
    file. Raises: the errors of `pipeline.judge`, and `ReleasedBefore`.
    """
    population, kept = plan.schema.population, None if vault is None else Vault(vault)
    with unspent():
        book.balance(population).check(plan.schema.protects)
        released_files.check(data, population=population, run=run, ledger=book.path, others=others)
    return pipeline.judge(plan, data=data, ledger=book, run=run, vault=kept, report=report)
