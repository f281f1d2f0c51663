"""Table in, table out: the one place where the order of the steps is written.

    schema, rules -> axes -> (bought domains) -> source -> mechanism -> evidence, model
        -> records -> (moved to the shares asked for) -> table -> checks

Rows cross a border twice: encoded once by the room, decoded once here, and between the two there are only
answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from synth.answers import Measurement
from synth.check.bounds import Earlier
from synth.check.checks import Checks, run_checks
from synth.codebook import Codebook
from synth.device import check_device
from synth.entropy import OS_ENTROPY, Entropy
from synth.errors import Mistake
from synth.evidence import COMPARISON, SHARES, Evidence
from synth.generate.steer import steered
from synth.laws import rho_of
from synth.measure.ledger import Ledger
from synth.measure.questions import Marginal
from synth.measure.room import Room
from synth.measure.source import Source
from synth.measure.table import open_table
from synth.mechanisms.base import Problem
from synth.model import Model
from synth.plan import Plan
from synth.preprocess.axes import declared_axes, resolve_axes
from synth.preprocess.buy import buy_domains, buy_groupings
from synth.preprocess.decode import decode
from synth.preprocess.slopes import leaning
from synth.progress import Progress, Reporter, silent
from synth.reading.vault import Vault
from synth.rules import CodedShare, asked_shares, coarsen_zeros, settle
from synth.select.held_back import drawn_pairs
from synth.select.workload import Workload
from synth.synthesis import Privacy, Spend, Synthesis
from synth.table import CodeTable


def release(
    plan: Plan,
    *,
    data: Path,
    ledger: Ledger,
    run: str,
    report: Reporter = silent,
    entropy: Entropy = OS_ENTROPY,
    vault: Vault | None = None,
) -> Synthesis:
    """One release of a private file, or the continuation of one that was interrupted.

    With a `vault`, a continuation keeps the same rows of every unit and refuses another file.

    The population's budget line must exist. Privacy: checks the ledger's whole chain, reserves `plan.units`
    before the file is opened, and frees what was never asked when done. Raises: `Mistake`, `BudgetRefused`,
    `Refusal` (`LEDGER_BROKEN` before anything is reserved), `Cancelled`.
    """
    if entropy.is_rehearsal and not plan.schema.file_is_public:
        raise Mistake("A rehearsal uses predictable noise: only files that the schema declares public.")
    recipe, declared = plan.recipe(), declared_axes(plan.schema, plan.rules)
    plan.rules.coded_shares(Codebook(schema=plan.schema, axes=declared))  # faults are told before the price
    check_device(plan.device)
    ledger.verify()  # a budget line whose past does not add up covers nothing
    ledger.open_run(
        plan.schema.population,
        run,
        units=plan.units,
        protects=plan.schema.protects,
        delta_units=plan.delta_units,
        label=plan.schema.name,
        law=plan.law,
    )
    report(Progress(stage="ingest", done=0.0, fact="reading the table into codes"))
    table = open_table(data, plan.schema, axes=declared, vault=vault)
    room = Room(table, plan.schema, ledger, run, law=plan.law, entropy=entropy)
    schema, account = plan.schema, room.account("preprocess", plan.preprocess_units)
    if plan.preprocess_units:
        report(Progress(stage="domain", done=0.0, fact="buying what the schema leaves open"))
        schema = buy_domains(room, schema, account, delta_units=plan.delta_units)
    axes = resolve_axes(schema, plan.rules)
    groupings = buy_groupings(room, axes, account, schema=schema, rules=plan.rules)
    zeros = coarsen_zeros(plan.rules.zeros(axes), axes, groupings)
    codebook = Codebook(schema=schema, axes=axes, groupings=groupings, zeros=zeros)
    apart = plan.preprocess_units + plan.held_back_units + plan.shares_units
    share = room.account("mechanism", plan.units - apart)
    source = room.source(axes, share, groupings=groupings)
    problem = Problem(
        workload=_workload(plan, codebook),
        codebook=codebook,
        seed=plan.seed,
        device=plan.device,
        report=report,
    )
    fitted = recipe.run(source, problem, rng=np.random.default_rng(plan.seed))
    if plan.held_back_units or plan.shares_units:
        report(Progress(stage=COMPARISON, done=1.0, fact="measuring what no model is fitted to"))
    held_back = _held_back(source.paid_by(room.account(COMPARISON, plan.held_back_units)), plan, codebook)
    wanted = [s for s in plan.rules.coded_shares(codebook) if s.declared is None]
    shares = _shares(source.paid_by(room.account(SHARES, plan.shares_units)), plan, wanted)
    ledger.close_run(run)
    privacy = _privacy(plan, ledger, run, rehearsal=entropy.is_rehearsal)
    evidence = fitted.evidence.joined([*held_back, *shares])
    return _finish(plan, evidence, fitted.model, privacy, packages=recipe.packages, report=report)


class FirstTable(Protocol):
    """The table that a release came with, as a run has it (`Synthesis`) or a bundle tells it."""

    @property
    def codes(self) -> NDArray[np.int64]: ...
    @property
    def checks(self) -> Checks: ...


def regenerate(
    plan: Plan,
    evidence: Evidence,
    privacy: Privacy,
    *,
    first: FirstTable | None = None,
    report: Reporter = silent,
) -> Synthesis:
    """Another table, or another model, from evidence that is already paid for. Spends nothing.

    The plan's generator makes it, whichever made the first. Bounds of marginals that were never measured are
    drawn from those of the `first` table; without it they are *none*, as a bundle keeps no selections.
    """
    generator = plan.recipe().follower
    fact = f"fitting {generator.name} to {len(evidence.measurements)} measurements"
    report(Progress(stage="fit", done=0.0, fact=fact))
    model = generator.fit(evidence, seed=plan.seed, device=plan.device, report=report)
    earlier = None
    if first is not None:
        earlier = Earlier(synthetic=CodeTable(evidence.domain, first.codes), bounds=first.checks.bounds)
    return _finish(
        plan, evidence, model, privacy, packages=generator.packages, report=report, earlier=earlier
    )


def _finish(
    plan: Plan,
    evidence: Evidence,
    model: Model,
    privacy: Privacy,
    *,
    packages: tuple[str, ...],
    report: Reporter,
    earlier: Earlier | None = None,
) -> Synthesis:
    """From a model to a table and its checks: post-processing."""
    rng, codebook = np.random.default_rng([plan.seed, 1]), evidence.codebook
    rows = round(model.total) if plan.rows is None else plan.rows
    report(Progress(stage="sample", done=1.0, fact=f"drawing {rows} records"))
    codes = model.sample(rows, rng)
    codes = codes[rng.permutation(rows)]
    shares = asked_shares(plan.rules.coded_shares(codebook), evidence)
    if shares:
        report(Progress(stage="sample", done=1.0, fact="moving records to the shares asked for"))
        own = np.random.default_rng([plan.seed, 3])
        codes = steered(codes, codebook.domain, shares, rng=own, zeros=codebook.zeros)
    table = decode(refined(codes, codebook, rng), codebook.axes, rng)
    settle(plan.rules, table, codebook.axes)
    report(Progress(stage="check", done=1.0, fact="bounds, residuals and red flags"))
    checks = run_checks(
        evidence,
        candidates=_workload(plan, codebook).candidates(),
        codes=codes,
        frame=table,
        rules=plan.rules,
        converged=model.converged,
        beta=1 - plan.confidence,
        earlier=earlier,
        shares=shares,
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
        held_back_share=plan.held_back,
        model=model,
        codes=codes,
        table=table,
        checks=checks,
        shares_part=plan.shares_part,
        packages=packages,
    )


def refined(codes: NDArray[np.int64], codebook: Codebook, rng: np.random.Generator) -> NDArray[np.int64]:
    """Coarse codes back to the fine ones of the axes, ranges along the slopes of their released groups.

    Shapes: int64[rows, columns], both.
    """
    fine = codes.copy()
    for grouping in codebook.groupings:
        i = codebook.domain.axis(grouping.column)
        masses = np.bincount(codes[:, i], minlength=grouping.size).tolist()
        fine[:, i] = leaning(grouping, codebook.axes[i], masses).refine(codes[:, i], rng)
    return fine


def _held_back(source: Source, plan: Plan, codebook: Codebook) -> tuple[Measurement, ...]:
    """The pairs measured apart, each for an equal price; which ones they are follows from no row."""
    if not plan.held_back_units:
        return ()
    rng = np.random.default_rng([plan.seed, 2])
    pairs = drawn_pairs(codebook.domain, rng, column_weights=codebook.column_weights)
    rho = rho_of(plan.held_back_units // len(pairs))
    return source.ask([(Marginal(pair), rho) for pair in pairs])


def _shares(source: Source, plan: Plan, shares: Sequence[CodedShare]) -> tuple[Measurement, ...]:
    """The tables that count the records of each share that is bought, each for an equal price."""
    if not shares:
        return ()
    rho = rho_of(plan.shares_units // len(shares))
    return source.ask([(Marginal(s.clique, s.groups), rho) for s in shares])


def _workload(plan: Plan, codebook: Codebook) -> Workload:
    """All k-way marginals, weighted by what the schema says of its columns."""
    return Workload.all_kway(codebook.domain, plan.workload, column_weights=codebook.column_weights)


def _privacy(plan: Plan, ledger: Ledger, run: str, *, rehearsal: bool) -> Privacy:
    """The promise and its receipt, as the ledger has it."""
    spends = tuple(
        Spend(
            part=entry.part,
            question=str(entry.question["ask"]),
            cliques=(tuple(entry.question["clique"]),) if "clique" in entry.question else (),
            units=entry.units,
            step=entry.step,
        )
        for entry in ledger.answers(run)
    )
    return Privacy(
        epsilon=plan.epsilon,
        delta=plan.delta,
        delta_bought=plan.delta_bought,
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
