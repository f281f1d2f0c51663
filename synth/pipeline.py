"""Table in, table out: the one place where the order of the steps is written.

    schema, rules -> axes -> (bought pieces) -> source -> mechanism -> model -> codes -> table -> checks

Rows cross a border twice: encoded once by the room, decoded once here, and between the two there are only
answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from synth.axis import Axis, Grouping, domain_of, ordered_codes
from synth.check.bounds import Earlier
from synth.check.checks import Checks, run_checks
from synth.domain import Domain
from synth.entropy import OS_ENTROPY, Entropy
from synth.errors import Mistake
from synth.generate.registry import GENERATORS, Answered
from synth.generate.total import estimate_total
from synth.measure.accounting import rho_of
from synth.measure.ledger import Ledger
from synth.measure.room import Room
from synth.measure.source import Source
from synth.measure.table import open_table
from synth.measurement import Measurement
from synth.mechanisms.base import Fitted, Task
from synth.mechanisms.route import Route
from synth.plan import Plan
from synth.preprocess.axes import declared_axes, resolve_axes
from synth.preprocess.buy import buy_domains, buy_groupings
from synth.preprocess.decode import decode
from synth.preprocess.slopes import leaning
from synth.progress import Progress, Reporter, silent
from synth.reading.vault import Vault
from synth.rules import coarsen_zeros, settle
from synth.schema import Schema
from synth.select.held_back import drawn_pairs
from synth.select.workload import Workload
from synth.synthesis import Privacy, Spend, Synthesis
from synth.table import CodeTable
from synth.zeros import Zero

COMPARISON = "comparison"
"""The part of a run whose answers no model is fitted to."""


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
    route = plan.route()
    ledger.verify()  # a budget line whose past does not add up covers nothing
    ledger.open_run(
        plan.schema.population,
        run,
        units=plan.units,
        protects=plan.schema.protects,
        delta_units=plan.delta_units,
        label=plan.schema.name,
        is_gaussian=plan.is_gaussian,
    )
    report(Progress(stage="ingest", done=0.0, fact="reading the table into codes"))
    table = open_table(data, plan.schema, axes=declared_axes(plan.schema, plan.rules), vault=vault)
    room = Room(table, plan.schema, ledger, run, is_gaussian=plan.is_gaussian, entropy=entropy)
    schema, account = plan.schema, room.account("preprocess", plan.preprocess_units)
    if plan.preprocess_units:
        report(Progress(stage="domain", done=0.0, fact="buying what the schema leaves open"))
        schema = buy_domains(room, schema, account, delta_units=plan.delta_units)
    axes = resolve_axes(schema, plan.rules)
    groupings = buy_groupings(room, axes, account, schema=schema, rules=plan.rules)
    domain, zeros = domain_of(axes, groupings), coarsen_zeros(plan.rules.zeros(axes), axes, groupings)
    share = room.account("mechanism", plan.units - plan.preprocess_units - plan.held_back_units)
    source = room.source(axes, share, groupings=groupings)
    task = Task(
        workload=_workload(plan, domain),
        zeros=zeros,
        ordered=ordered_codes(axes, groupings),
        report=report,
    )
    fitted = route.run(source, task, rng=np.random.default_rng(plan.seed))
    held_back = _held_back(source.paid_by(room.account(COMPARISON, plan.held_back_units)), plan)
    ledger.close_run(run)
    privacy = _privacy(plan, ledger, run, rehearsal=entropy.is_rehearsal)
    made = Made(
        schema=schema, axes=axes, groupings=groupings, zeros=zeros, fitted=fitted, held_back=held_back
    )
    return _finish(plan, made, privacy, generator=route.follower, report=report)


@dataclass(frozen=True, eq=False, kw_only=True)
class Made:
    """What a table can be generated from: declared and bought facts, and noisy answers."""

    schema: Schema
    axes: tuple[Axis, ...]
    groupings: tuple[Grouping, ...]
    zeros: tuple[Zero, ...]
    fitted: Fitted
    held_back: tuple[Measurement, ...] = ()


class Finished(Protocol):
    """A table that was made before, as a run has it (`Synthesis`) or a bundle tells it."""

    @property
    def domain(self) -> Domain: ...
    @property
    def codes(self) -> NDArray[np.int64]: ...
    @property
    def total(self) -> float: ...
    @property
    def checks(self) -> Checks: ...


def regenerate(
    plan: Plan,
    *,
    schema: Schema,
    axes: tuple[Axis, ...],
    groupings: tuple[Grouping, ...],
    zeros: tuple[Zero, ...],
    measurements: Sequence[Measurement],
    privacy: Privacy,
    held_back: Sequence[Measurement] = (),
    generator: str | None = None,
    first: Finished | None = None,
    report: Reporter = silent,
) -> Synthesis:
    """Another table, or another model, from measurements that are already paid for. Spends nothing.

    `held_back` is handed on and not fitted to. `first` is the table that the release came with: this one
    stands for as many records, and bounds of marginals that were never measured are drawn from those of the
    first. Without it the answers alone tell the number, and such bounds are *none*.
    """
    follower = Route(mechanism=plan.mechanism(), generator=generator).follower
    answered = Answered(
        domain=domain_of(axes, groupings),
        measurements=measurements,
        total=first.total if first else schema.rows_public or estimate_total(measurements),
        zeros=zeros,
        ordered=ordered_codes(axes, groupings),
    )
    report(Progress(stage="fit", done=0.0, fact=f"fitting {follower} to {len(measurements)} measurements"))
    fitted = Fitted(model=GENERATORS[follower].fit(answered), measurements=tuple(measurements))
    made = Made(
        schema=schema,
        axes=axes,
        groupings=groupings,
        zeros=zeros,
        fitted=fitted,
        held_back=tuple(held_back),
    )
    earlier = None
    if first is not None:
        table = CodeTable(first.domain, first.codes)
        earlier = Earlier(synthetic=table, total=first.total, bounds=first.checks.bounds)
    return _finish(plan, made, privacy, generator=follower, report=report, earlier=earlier)


def _finish(
    plan: Plan,
    made: Made,
    privacy: Privacy,
    *,
    generator: str,
    report: Reporter,
    earlier: Earlier | None = None,
) -> Synthesis:
    """From a model to a table and its checks: post-processing."""
    model, domain = made.fitted.model, made.fitted.model.domain
    rng = np.random.default_rng([plan.seed, 1])
    rows = round(model.total) if plan.rows is None else plan.rows
    report(Progress(stage="sample", done=1.0, fact=f"drawing {rows} records"))
    codes = model.sample(rows, rng)
    codes = codes[rng.permutation(rows)]
    table = decode(_refined(codes, made, rng), made.axes, rng)
    settle(plan.rules, table, made.axes)
    report(Progress(stage="check", done=1.0, fact="bounds, residuals and red flags"))
    candidates = _workload(plan, domain).candidates()
    checks = run_checks(
        measurements=made.fitted.measurements,
        choices=made.fitted.choices,
        domain=domain,
        candidates=candidates,
        codes=codes,
        frame=table,
        axes=made.axes,
        rules=plan.rules,
        zeros=made.zeros,
        groupings=made.groupings,
        total=model.total,
        converged=model.converged,
        beta=1 - plan.confidence,
        scores=made.fitted.scores,
        earlier=earlier,
    )
    return Synthesis(
        schema=made.schema,
        rules=plan.rules,
        axes=made.axes,
        groupings=made.groupings,
        domain=domain,
        zeros=made.zeros,
        method=plan.method,
        generator=generator,
        compress=plan.compress,
        parameters=asdict(plan.mechanism()),  # type: ignore[call-overload]
        privacy=privacy,
        measurements=made.fitted.measurements,
        held_back=made.held_back,
        preprocess_share=plan.preprocess_share,
        held_back_share=plan.held_back,
        choices=made.fitted.choices,
        model=model,
        model_cells=model.cells,
        model_cliques=tuple(model.cliques),
        converged=model.converged,
        total=model.total,
        codes=codes,
        table=table,
        checks=checks,
    )


def _refined(codes: NDArray[np.int64], made: Made, rng: np.random.Generator) -> NDArray[np.int64]:
    """Coarse codes back to the fine ones of the axes, ranges along the slopes of their released groups."""
    fine = codes.copy()
    position = {axis.name: i for i, axis in enumerate(made.axes)}
    for grouping in made.groupings:
        i = position[grouping.column]
        masses = np.bincount(codes[:, i], minlength=grouping.size).tolist()
        fine[:, i] = leaning(grouping, made.axes[i], masses).refine(codes[:, i], rng)
    return fine


def _held_back(source: Source, plan: Plan) -> tuple[Measurement, ...]:
    """The pairs measured apart, each for an equal price; which ones they are follows from no row."""
    if not plan.held_back_units:
        return ()
    pairs = drawn_pairs(
        source.domain, np.random.default_rng([plan.seed, 2]), column_weights=_column_weights(plan)
    )
    rho = rho_of(plan.held_back_units // len(pairs))
    return source.measure_all([(pair, rho) for pair in pairs])


def _workload(plan: Plan, domain: Domain) -> Workload:
    """All k-way marginals, weighted by what the schema says of its columns."""
    return Workload.all_kway(domain, plan.workload, column_weights=_column_weights(plan))


def _column_weights(plan: Plan) -> dict[str, float]:
    return {c.name: c.weight for c in plan.schema.modelled}


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
        is_gaussian=plan.is_gaussian,
    )
