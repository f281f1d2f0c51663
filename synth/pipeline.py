"""The steps from a private table to a synthetic table.

schema, rules -> axes -> (estimated domains) -> source -> mechanism -> evidence, model -> encoded rows ->
(adjusted to target proportions) -> table -> (accuracy check) -> checks

Rows are encoded once on the private side. Synthetic rows are decoded once in this module. Between these
steps, there are only noisy measurements. The accuracy check and the scores of logistic regressions are
queries about the drawn rows, so they are answered after the rows are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import Law, rho_of
from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.columns.published import published
from synth.core.discretisation import declared_axes, resolve_axes
from synth.core.errors import Code, Mistake, Refusal, Unfit
from synth.core.evidence import FIT, MEANS, SHARES, VERDICT, Evidence, Start
from synth.core.measurements.logistic import started
from synth.core.measurements.noisy import Measurement, NoisyNumbers
from synth.core.model import Model
from synth.core.numbers import number_of
from synth.core.progress import UNKEPT, Fits, Progress, Reporter, silent
from synth.core.request import People
from synth.core.schema import Schema
from synth.core.system.address import Address, address_of, check_kinds
from synth.core.system.device import check_device
from synth.core.table import CodeTable
from synth.mechanisms.shared.base import Problem
from synth.private.database_table import check_columns
from synth.private.domains.buy import buy_domains, buy_groupings, rules_for
from synth.private.domains.domains import known_before
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.frame import Frame
from synth.private.ledger import Ledger
from synth.private.queries import LogisticScore, Marginal, Moments
from synth.private.reading.files import check_header
from synth.private.reading.vault import Vault
from synth.private.session import PrivateSession
from synth.private.source import Source
from synth.private.table import open_table
from synth.release.checks.bounds import Earlier
from synth.release.checks.checks import ROOM, Checks, checks_of
from synth.release.checks.pause import Watched, counted_first
from synth.release.checks.shares import found_shares
from synth.release.codes import columns_on
from synth.release.drawing import Drawn, admitted, records_of
from synth.release.plan import Plan, check_counted, check_start
from synth.release.reading.starting import StartingTable
from synth.release.stream import drawing_of, reporting, rows_of, workload_of
from synth.release.synthesis import Privacy, Spend, Synthesis
from synth.release.verdict.asking import VerdictQueries, queries_about, widest_judged
from synth.release.verdict.figures import Verdict, judged_in, verdict_of
from synth.release.verdict.judgement import Judgement, JudgePlan
from synth.release.verdict.share import noise_of
from synth.rules import CodedShare, MeasuredShare, coarsen_zeros

if TYPE_CHECKING:
    import pandas as pd


def release(
    plan: Plan,
    *,
    data: Address | Path | str | Frame,
    ledger: Ledger,
    run: str,
    start: StartingTable | None = None,
    report: Reporter = silent,
    entropy: Entropy = OS_ENTROPY,
    vault: Vault | None = None,
    fits: Fits = UNKEPT,
) -> Synthesis:
    """Release a private table once, or continue an interrupted release.

    With a `vault`, a continuation keeps the same rows of each unit and refuses another file. With `fits`, it
    does not repeat the fits between the rounds. `start` is a public table from which the release starts. The
    population's lifetime budget must exist.

    Privacy: verifies the ledger's whole chain, reserves `plan.units` before any row is read, and releases the
    unspent part at the end.

    Raises: `Mistake`, `BudgetRefused`, `Refusal` (before any budget is reserved if the ledger is broken or
    the header does not fit), `Cancelled`.
    """
    _check_noise(entropy, plan.schema)
    plan = replace(plan, schema=known_before(plan.schema), reserved=_reserved(ledger, plan, run))
    recipe, declared = plan.recipe(), declared_axes(plan.schema, plan.rules)
    plan.rules.coded_shares(
        Codebook(schema=plan.schema, axes=declared)
    )  # mistakes are reported before any budget is reserved
    check_device(plan.device)
    check_start(plan)
    if start is not None:
        plan.check_starting_table()
    address = data if isinstance(data, Address | Frame) else address_of(data)
    if address.connection:
        check_counted(plan.schema, recipe.mechanism, plan.means)
    lattices = plan.sums[1]
    session = _session(
        plan,
        address,
        ledger,
        run,
        label=plan.schema.name,
        delta_units=plan.delta_units,
        is_first=plan.people is People.NEW,
        axes=(*declared, *lattices),
        vault=vault,
        entropy=entropy,
        report=report,
    )
    schema, account = plan.schema, session.account("preprocess", plan.preprocess_units)
    if plan.preprocess_units:
        report(
            Progress(stage="domain", done=0.0, fact=("estimating the domains that the schema leaves open"))
        )
        schema = buy_domains(session, schema, account, delta_units=plan.delta_units)
        spent = sum(entry.units for entry in ledger.answers(run)) / plan.units
        plan = replace(plan, rules=rules_for(plan.rules, schema, spent=spent))
    axes = resolve_axes(schema, plan.rules)
    groupings = buy_groupings(session, axes, account, schema=schema, rules=plan.rules)
    zeros = coarsen_zeros(plan.rules.zeros(axes), axes, groupings)
    codebook = Codebook(schema=schema, axes=axes, groupings=groupings, zeros=zeros)
    apart = plan.preprocess_units + plan.shares_units + plan.means_units + plan.verdict_units + plan.fit_units
    share = session.account("mechanism", plan.units - apart)
    source = session.source(axes, share, groupings=groupings, counts_unfit=True)
    problem = Problem(
        workload=workload_of(plan, codebook),
        codebook=codebook,
        start=_started(start, codebook, plan, report),
        seed=plan.seed,
        device=plan.device,
        report=report,
        fits=fits,
    )
    watched = Watched(source, codebook, most=plan.most_unfit)
    first = tuple[Measurement, ...]()
    try:
        if plan.fit_units:
            report(Progress(stage=FIT, done=0.0, fact="counting cells that do not fit the declaration"))
            account = session.account(FIT, plan.fit_units)
            first = counted_first(source.paid_by(account, counts_unfit=True))
            watched.heed(first)
        fitted = recipe.run(watched, problem, rng=np.random.default_rng(plan.seed))
    except Unfit as unfit:
        spent = sum(entry.units for entry in ledger.answers(run))
        raise Unfit(unfit.phrases, kept=1 - spent / plan.units) from None
    if plan.shares_units:
        report(Progress(stage=SHARES, done=1.0, fact="measuring target proportions"))
    wanted = [s for s in plan.rules.coded_shares(codebook) if s.declared is None]
    shares = _shares(source.paid_by(session.account(SHARES, plan.shares_units)), plan, wanted)
    evidence, judged = fitted.evidence.joined((*first, *shares)), None
    fine = session.source(lattices, session.account(MEANS, plan.means_units))
    if plan.blocks(logistic=False):
        report(Progress(stage=MEANS, done=1.0, fact="measuring means and regressions"))
        evidence = evidence.joined(_sums(fine, plan))
    judge = source.paid_by(session.account(VERDICT, plan.verdict_units))
    del session, source
    if not (asks_later := bool(plan.verdict_units or plan.blocks(logistic=True))):
        ledger.close_run(run)
        del judge, fine  # private rows do not stay in memory while synthetic rows are drawn
    drawn_rows = _drawn(plan, evidence, fitted.model, report=report)
    del fitted
    if plan.blocks(logistic=True):
        report(Progress(stage=MEANS, done=1.0, fact="measuring logistic regressions"))
        evidence = evidence.joined(_scores(fine, plan, drawn_rows.table))
    if plan.verdict_units:
        report(Progress(stage=VERDICT, done=1.0, fact="comparing the synthetic rows with the private table"))
        noise = noise_of(plan.schema, rho_of(plan.verdict_units), evidence.total)
        widest = widest_judged(len(axes), noise)
        requested = _requested(
            plan, evidence, drawn_rows.coded, widest=widest, counts_only=bool(address.connection)
        )
        answers = judge.ask(requested.priced(plan.verdict_units))
        evidence = evidence.joined(answers)
        judged = verdict_of(
            answers,
            requested,
            total=evidence.total,
            total_sd=evidence.total_sd,
            confidence=plan.confidence,
        )
        del requested
    if asks_later:
        ledger.close_run(run)
        del judge, fine
    privacy = _privacy(plan, ledger, run, rehearsal=entropy.is_rehearsal)
    return _finish(
        plan,
        evidence,
        privacy,
        drawn_rows,
        packages=recipe.packages,
        report=report,
        verdict=judged,
    )


def judge(
    plan: JudgePlan,
    *,
    data: Address | Path | str | Frame,
    ledger: Ledger,
    run: str,
    report: Reporter = silent,
    entropy: Entropy = OS_ENTROPY,
    vault: Vault | None = None,
) -> Judgement:
    """Measure the accuracy of the table of a release package, in a separate run.

    An interrupted measurement continues like a release, also with a `vault`. Privacy: as `release`, but the
    run makes only the queries of the accuracy check. They depend only on the release package and are built
    before any budget is reserved.

    Raises: `Mistake`, `BudgetRefused`, `Refusal` (before any budget is reserved if the ledger is broken).
    """
    _check_noise(entropy, plan.schema)
    address = data if isinstance(data, Address | Frame) else address_of(data)
    report(Progress(stage=VERDICT, done=0.0, fact="reading the synthetic table"))
    requested, head = plan.requested(counts_only=bool(address.connection)), plan.head()
    evidence, codebook = plan.evidence, plan.evidence.codebook
    session = _session(
        plan,
        address,
        ledger,
        run,
        label=f"accuracy of {plan.schema.name}",
        axes=codebook.axes,
        vault=vault,
        entropy=entropy,
        report=report,
    )
    account = session.account(VERDICT, plan.units)
    source = session.source(codebook.axes, account, groupings=codebook.groupings)
    report(Progress(stage=VERDICT, done=0.5, fact="comparing the synthetic rows with the private table"))
    answers = source.ask(requested.priced(plan.units))
    ledger.close_run(run)
    verdict = verdict_of(
        answers,
        requested,
        total=evidence.total,
        total_sd=evidence.total_sd,
        confidence=head["confidence"],
    )
    privacy = _privacy(plan, ledger, run, rehearsal=entropy.is_rehearsal)
    return plan.judgement(head, privacy, verdict)


def _started(table: StartingTable | None, codebook: Codebook, plan: Plan, report: Reporter) -> Start | None:
    """Return the rows of the starting table in the codes of the codebook. Report columns that are missing and
    values outside the domain.
    """
    if table is None:
        return None
    start, outside = table.encoded(codebook, seed=plan.seed)
    fact = f"starting from {number_of(len(start.codes), 'row')} of a public table"
    unknown = [f"{name} ({number_of(cells, 'cell')})" for name, cells in outside.items()]
    if lacking := [*table.absent, *unknown]:
        fact += f", without missing columns and values outside the domain: {', '.join(lacking)}"
    report(Progress(stage="start", done=0.0, fact=fact))
    return start


def _session(
    plan: Plan | JudgePlan,
    address: Address | Frame,
    ledger: Ledger,
    run: str,
    *,
    label: str,
    delta_units: int = 0,
    is_first: bool = False,
    axes: Sequence[Axis],
    vault: Vault | None,
    entropy: Entropy,
    report: Reporter,
) -> PrivateSession:
    """Reserve the budget of a run, and then read the table. `axes`: the axes that are known before the table
    is read.
    """
    if isinstance(address, Address):
        check_kinds(address)
    ledger.verify()  # a ledger with a broken chain cannot cover any cost
    if address.connection:
        check_columns(address.connection, plan.schema)
    else:
        check_header(address, plan.schema)
    ledger.open_run(
        plan.schema.population,
        run,
        units=plan.units,
        protects=plan.schema.protects,
        delta_units=delta_units,
        label=label,
        law=plan.law,
        is_first=is_first,
    )
    if vault is not None and not vault.knows_file and _is_charged(run, plan.schema.population, ledger):
        raise Refusal(Code.FILE_UNKNOWN)
    report(Progress(stage="ingest", done=0.0, fact="encoding the private table"))
    table = open_table(address, plan.schema, axes=axes, vault=vault)
    return PrivateSession(table, plan.schema, ledger, run, law=plan.law, entropy=entropy)


def _is_charged(run: str, population: str, ledger: Ledger) -> bool:
    """Whether a run has made a query, so that it must continue with the same file."""
    return any(known.spent for known in ledger.runs(population) if known.run == run)


def _reserved(ledger: Ledger, plan: Plan, run: str) -> Law | None:
    """Return the accounting rule of the run's reservation, or None if there is no reservation yet."""
    return next((known.law for known in ledger.runs(plan.schema.population) if known.run == run), None)


def _check_noise(entropy: Entropy, schema: Schema) -> None:
    """Raise `Mistake` if noise is predictable and the file is not declared public."""
    if entropy.is_rehearsal and not schema.file_is_public:
        raise Mistake(
            "A practice run uses predictable noise, so its file must be one that the schema declares public."
        )


class FirstTable(Protocol):
    """The first table of a release. It comes from a run (`Synthesis`) or from a release package."""

    @property
    def codes(self) -> NDArray[np.integer]: ...
    @property
    def checks(self) -> Checks: ...


def regenerate(
    plan: Plan,
    evidence: Evidence,
    privacy: Privacy,
    *,
    first: FirstTable | None = None,
    records: Drawn | None = None,
    report: Reporter = silent,
) -> Synthesis:
    """Generate another table, or fit another model, from existing evidence. This spends no budget.

    The plan's generator is used. Bounds of marginals that were never measured are taken from the `first`
    table. Without it, these bounds are *none*, because a release package contains no selections. With
    `records` (from `drawn`), no model is fitted.
    """
    model = refitted(plan, evidence, report=report) if records is None else records
    earlier = before = None
    if first is not None:
        before = CodeTable(evidence.domain, first.codes)
        earlier = Earlier(synthetic=before, bounds=first.checks.bounds)
    packages = plan.recipe().follower.packages
    rows, verdict = _drawn(plan, evidence, model, report=report), None
    if before is not None and evidence.verdict:
        requested = _requested(plan, evidence, before, widest=judged_in(evidence.verdict))
        verdict = verdict_of(
            evidence.verdict, requested, total=evidence.total, total_sd=evidence.total_sd, table=rows.coded
        )
    return _finish(
        plan,
        evidence,
        privacy,
        rows,
        packages=packages,
        report=report,
        earlier=earlier,
        verdict=verdict,
        is_further=True,
    )


def drawn(plan: Plan, evidence: Evidence, *, report: Reporter = silent) -> Drawn:
    """Draw encoded rows with the plan's generator, here or on another machine, for use in `regenerate`. This
    spends no budget.
    """
    model = refitted(plan, evidence, report=report)
    rows = rows_of(plan, model)
    report(Progress(stage="sample", done=0.0, fact=f"drawing {number_of(rows, 'record')}"))
    tell = reporting(rows, report)
    rng = np.random.default_rng([plan.seed, 5])
    codes = records_of(model, rows, rng, tell=tell)
    codes = admitted(codes, model, evidence.codebook, plan.rules, rng)
    table = CodeTable(evidence.domain, codes)
    return Drawn(table=table, total=model.total, converged=bool(model.converged))


def refitted(plan: Plan, evidence: Evidence, *, report: Reporter = silent) -> Model:
    """Fit the model of the plan's generator to existing evidence. This spends no budget."""
    generator = plan.recipe().follower
    measured = len(evidence.measurements) + (len(evidence.tilings) if generator.tiles else 0)
    fact = f"fitting {generator.title} to {number_of(measured, 'measurement')}"
    if evidence.tilings and not generator.tiles:
        passed_over = number_of(len(evidence.tilings), "table")
        fact += f", without {passed_over} of the target in several sets of groups, which it cannot use"
    report(Progress(stage="fit", done=0.0, fact=fact))
    return generator.fit(evidence, seed=plan.seed, device=plan.device, report=report)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Rows:
    """Synthetic rows, encoded and decoded, and the target proportions to which they were adjusted.

    `converged` is True if the fit of their model converged.
    """

    coded: CodeTable
    table: pd.DataFrame
    shares: Sequence[MeasuredShare]
    converged: bool


def _drawn(plan: Plan, evidence: Evidence, model: Model, *, report: Reporter) -> _Rows:
    """Draw the rows of a plan. This is post-processing."""
    rows, drawing = rows_of(plan, model), drawing_of(plan, evidence, model)
    moved = ", adjusted to the target proportions" if drawing.shares else ""
    report(Progress(stage="sample", done=1.0, fact=f"drawing {number_of(rows, 'record')}{moved}"))
    codes, table = drawing.whole(rows, tell=reporting(rows, report))
    coded = CodeTable(evidence.domain, codes, room=ROOM)
    coded.count_ahead(workload_of(plan, evidence.codebook).candidates())
    return _Rows(coded=coded, table=table, shares=drawing.shares, converged=bool(model.converged))


def _requested(
    plan: Plan, evidence: Evidence, released: CodeTable, *, widest: int, counts_only: bool = False
) -> VerdictQueries:
    """Return the queries of the accuracy check about these rows. If a database returns only counts,
    predictions of a target are omitted, because they need private rows.
    """
    target = None if counts_only else getattr(plan.mechanism(), "target", None) or None
    return queries_about(released, evidence.total, target=target, widest=widest)


def _finish(
    plan: Plan,
    evidence: Evidence,
    privacy: Privacy,
    rows: _Rows,
    *,
    packages: tuple[str, ...],
    report: Reporter,
    earlier: Earlier | None = None,
    verdict: Verdict | None = None,
    is_further: bool = False,
) -> Synthesis:
    """Check a table and combine it with the facts about it. This is post-processing."""
    report(Progress(stage="check", done=1.0, fact="calculating error bounds, residuals and warnings"))
    checks = checks_of(
        evidence,
        candidates=workload_of(plan, evidence.codebook).candidates(),
        synthetic=rows.coded,
        frame=rows.table,
        violations=plan.rules.violations(rows.table),
        found=found_shares(rows.shares, plan.rules.shares_of(rows.table)),
        converged=rows.converged,
        beta=1 - plan.confidence,
        earlier=earlier,
        verdict=verdict,
        tilings=plan.recipe().follower.tiles,
        relates=plan.recipe().follower.relates,
    )
    return Synthesis(
        evidence=evidence,
        rules=plan.rules,
        method=plan.method,
        generator=plan.recipe().follower.name,
        generator_options=plan.generator_options,
        compress=plan.compress,
        parameters=asdict(plan.mechanism()),  # type: ignore[call-overload]
        privacy=privacy,
        preprocess_share=plan.preprocess_share,
        codes=rows.coded.codes,
        table=published(rows.table, evidence.codebook.schema),
        checks=checks,
        shares_part=plan.shares_part,
        verdict_share=plan.verdict,
        forecast=plan.forecast,
        means=plan.means,
        means_share=plan.means_share,
        people=plan.people,
        new_to=plan.new_to,
        is_further=is_further,
        packages=packages,
    )


def _shares(source: Source, plan: Plan, shares: Sequence[CodedShare]) -> tuple[Measurement, ...]:
    """Measure the tables of target proportions that use budget, with equal cost for each."""
    if not shares:
        return ()
    rho = rho_of(plan.shares_units // len(shares))
    return source.ask([(Marginal(s.clique, s.groups), rho) for s in shares])


def _sums(source: Source, plan: Plan) -> tuple[NoisyNumbers, ...]:
    """Measure the sums for means and linear regressions, with equal cost for each formula."""
    rho, clique = rho_of(plan.means_units // len(plan.means)), source.domain.clique
    return source.ask([(Moments(b, clique(b.columns)), rho) for b in plan.blocks(logistic=False)])


def _scores(source: Source, plan: Plan, table: pd.DataFrame) -> tuple[NoisyNumbers, ...]:
    """Measure the scores of logistic regressions at their fits to the synthetic rows, with equal cost for
    each.
    """
    rho, columns = rho_of(plan.means_units // len(plan.means)), columns_on(table, plan.sums[1])
    starts = [started(block, columns) for block in plan.blocks(logistic=True)]
    clique = source.domain.clique
    return source.ask([(LogisticScore(start, clique(start.block.columns)), rho) for start in starts])


def _privacy(plan: Plan | JudgePlan, ledger: Ledger, run: str, *, rehearsal: bool) -> Privacy:
    """Return the guarantee and its receipt, as recorded in the ledger."""
    spends = tuple(
        Spend(
            part=entry.part,
            question=str(entry.query["ask"]),
            cliques=(tuple(entry.query["clique"]),) if "clique" in entry.query else (),
            units=entry.units,
            step=entry.step,
        )
        for entry in ledger.answers(run)
    )
    return Privacy(
        epsilon=plan.epsilon,
        delta=plan.delta,
        delta_of_lists=plan.delta_of_lists,
        units=plan.units,
        spent_units=sum(s.units for s in spends),
        neighbours=plan.schema.neighbours,
        unit=plan.schema.unit,
        population=plan.schema.population,
        spends=spends,
        receipt=ledger.receipt(run),
        rehearsal=rehearsal,
        law=plan.law,
    )
