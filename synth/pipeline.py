"""Table in, table out: the one place where the order of the steps is written.

    schema, rules -> axes -> (bought domains) -> source -> mechanism -> evidence, model
        -> records -> (moved to the shares asked for) -> table -> checks

Rows cross a border twice: encoded once by the room, decoded once here, and between the two there are only
answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from synth.address import Address, address_of
from synth.answers import Measurement
from synth.check.bounds import Earlier, nothing
from synth.check.checks import Checks, checks_of, run_checks
from synth.check.shares import found_shares
from synth.check.tally import Axes, Tally
from synth.codebook import Codebook
from synth.counting.blocks import blocks
from synth.device import check_device
from synth.domain import Clique
from synth.drawing import Drawing, Drawn, records_of
from synth.entropy import OS_ENTROPY, Entropy
from synth.errors import Mistake
from synth.evidence import COMPARISON, SHARES, Evidence
from synth.laws import rho_of
from synth.measure.database_table import check_connection
from synth.measure.ledger import Ledger
from synth.measure.questions import Marginal
from synth.measure.room import Room
from synth.measure.source import Source
from synth.measure.table import open_table
from synth.mechanisms.base import Problem
from synth.model import Model
from synth.numerals import number_of
from synth.plan import Plan, check_counted
from synth.preprocess.axes import declared_axes, resolve_axes
from synth.preprocess.buy import buy_domains, buy_groupings
from synth.preprocess.domains import known_before
from synth.progress import UNKEPT, Fits, Pace, Progress, Reporter, silent
from synth.reading.vault import Vault
from synth.rules import CodedShare, asked_shares, coarsen_zeros
from synth.select.held_back import drawn_pairs
from synth.select.workload import Workload
from synth.synthesis import Privacy, Spend, Synthesis
from synth.table import CodeTable

if TYPE_CHECKING:
    import pandas as pd

MOST_CELLS = 1 << 24
"""Most cells of a table that is counted of a table in blocks, 128 MB of counts."""

CELLS_TOGETHER = 1 << 14
"""Most cells of columns that are counted together, of a table in blocks: summing more to their cliques takes
longer than counting some rows of a block does."""

Form = TypeVar("Form")


def release(
    plan: Plan,
    *,
    data: Address | Path | str,
    ledger: Ledger,
    run: str,
    report: Reporter = silent,
    entropy: Entropy = OS_ENTROPY,
    vault: Vault | None = None,
    fits: Fits = UNKEPT,
) -> Synthesis:
    """One release of a private table, or the continuation of one that was interrupted.

    With a `vault`, a continuation keeps the same rows of every unit and refuses another file; with `fits` it
    does not make again what was fitted between the rounds.

    The population's budget line must exist. Privacy: checks the ledger's whole chain, reserves `plan.units`
    before the file is opened, and frees what was never asked when done. Raises: `Mistake`, `BudgetRefused`,
    `Refusal` (`LEDGER_BROKEN` before anything is reserved), `Cancelled`.
    """
    if entropy.is_rehearsal and not plan.schema.file_is_public:
        raise Mistake("A rehearsal uses predictable noise: only files that the schema declares public.")
    plan = replace(plan, schema=known_before(plan.schema))
    recipe, declared = plan.recipe(), declared_axes(plan.schema, plan.rules)
    plan.rules.coded_shares(Codebook(schema=plan.schema, axes=declared))  # faults are told before the price
    check_device(plan.device)
    address = data if isinstance(data, Address) else address_of(data)
    if address.connection:
        check_counted(plan.schema, recipe.mechanism)
        check_connection(address.connection)
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
    table = open_table(address, plan.schema, axes=declared, vault=vault)
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
        fits=fits,
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
    del table, room, source  # rows are not kept in memory while others are drawn
    return _finish(plan, evidence, fitted.model, privacy, packages=recipe.packages, report=report)


class FirstTable(Protocol):
    """The table that a release came with, as a run has it (`Synthesis`) or a bundle tells it."""

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
    """Another table, or another model, from evidence that is already paid for. Spends nothing.

    The plan's generator makes it, whichever made the first. Bounds of marginals that were never measured are
    drawn from those of the `first` table; without it they are *none*, as a bundle keeps no selections. With
    `records`, which `drawn` made, nothing is fitted: all but their codes is made anew here.
    """
    model = refitted(plan, evidence, report=report) if records is None else records
    earlier = None
    if first is not None:
        earlier = Earlier(synthetic=CodeTable(evidence.domain, first.codes), bounds=first.checks.bounds)
    packages = plan.recipe().follower.packages
    return _finish(plan, evidence, model, privacy, packages=packages, report=report, earlier=earlier)


def drawn(plan: Plan, evidence: Evidence, *, report: Reporter = silent) -> Drawn:
    """Records of the plan's generator, in the codes of the evidence, and nothing else of a table: what
    `regenerate` goes on from, here or elsewhere. Spends nothing."""
    model = refitted(plan, evidence, report=report)
    rows = rows_of(plan, model)
    report(Progress(stage="sample", done=0.0, fact=f"drawing {number_of(rows, 'record')}"))
    tell = _telling(rows, report)
    codes = records_of(model, rows, np.random.default_rng([plan.seed, 5]), tell=tell)
    table = CodeTable(evidence.domain, codes)
    return Drawn(table=table, total=model.total, converged=bool(model.converged))


def refitted(plan: Plan, evidence: Evidence, *, report: Reporter = silent) -> Model:
    """The model of the plan's generator, from evidence that is already paid for. Spends nothing."""
    generator = plan.recipe().follower
    measured = len(evidence.measurements) + (len(evidence.tilings) if generator.tiles else 0)
    fact = f"fitting {generator.title} to {number_of(measured, 'measurement')}"
    if evidence.tilings and not generator.tiles:
        passed_over = number_of(len(evidence.tilings), "table")
        fact += f", without {passed_over} of the target in several sets of groups, which it cannot read"
    report(Progress(stage="fit", done=0.0, fact=fact))
    return generator.fit(evidence, seed=plan.seed, device=plan.device, report=report)


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
    rows, drawing = rows_of(plan, model), drawing_of(plan, evidence, model)
    moved = ", moved to the shares asked for" if drawing.shares else ""
    report(Progress(stage="sample", done=1.0, fact=f"drawing {number_of(rows, 'record')}{moved}"))
    codes, table = drawing.whole(rows, tell=_telling(rows, report))
    report(Progress(stage="check", done=1.0, fact="bounds, residuals and red flags"))
    checks = run_checks(
        evidence,
        candidates=_workload(plan, evidence.codebook).candidates(),
        codes=codes,
        frame=table,
        rules=plan.rules,
        converged=model.converged,
        beta=1 - plan.confidence,
        earlier=earlier,
        shares=drawing.shares,
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
        held_back_share=plan.held_back,
        model=model,
        codes=codes,
        table=table,
        checks=checks,
        shares_part=plan.shares_part,
        packages=packages,
    )


def _telling(rows: int, report: Reporter) -> Callable[[int], None]:
    """Reports how many of the rows are drawn."""
    pace = Pace()

    def tell(drawn: int) -> None:
        report(Progress(stage="sample", done=drawn / rows, fact=pace.told(drawn, rows, "rows")))

    return tell


def rows_of(plan: Plan, model: Model) -> int:
    """How many rows a plan asks for: those of the model's total where it does not say."""
    return round(model.total) if plan.rows is None else plan.rows


def drawing_of(plan: Plan, evidence: Evidence, model: Model) -> Drawing:
    """What the rows of a plan are drawn from."""
    shares = asked_shares(plan.rules.coded_shares(evidence.codebook), evidence)
    return Drawing(model=model, codebook=evidence.codebook, rules=plan.rules, shares=shares, seed=plan.seed)


def stream(
    plan: Plan,
    evidence: Evidence,
    model: Model,
    *,
    form: Callable[[pd.DataFrame], Form],
    take: Callable[[Form], None],
    cores: int = 1,
    report: Reporter = silent,
) -> Checks:
    """The rows of a plan in blocks, however many, and the checks of all of them. Spends nothing.

    Every block is brought into another `form` where it was drawn, on one of the `cores`, and then handed to
    `take`, in order. Memory is that of a few blocks and of the counts that the checks lean on; those of pairs
    with more than `MOST_CELLS` cells are in the groups of codes in which something was asked of them, and
    where nothing was in fewer cells there are none, and nothing is claimed. What the checks say of values
    inside their bins is judged by the first block.
    """
    drawing, rows, domain = drawing_of(plan, evidence, model), rows_of(plan, model), evidence.domain
    candidates = _workload(plan, evidence.codebook).candidates()
    coarse = _large(evidence)
    fine = [r for r in candidates if domain.size(r) <= MOST_CELLS]
    counted = [r for r in candidates if domain.size(r) <= MOST_CELLS or any(r == one for one, _ in coarse)]
    tally = Tally(domain, _blocks(evidence, fine), coarse=coarse)
    first: list[pd.DataFrame] = []
    broken: Counter[str] = Counter()
    reached: Counter[str] = Counter()

    def use(codes: NDArray[np.unsignedinteger], frame: pd.DataFrame) -> _Block[Form]:
        return _Block(
            form=form(frame),
            tables=tally.counted(CodeTable(domain, codes)),
            violations=plan.rules.violations(frame),
            shares=plan.rules.shares_of(frame) if drawing.shares else {},
            frame=frame if not first else None,
        )

    tell = _telling(rows, report)
    for many, block in drawing.blocks(rows, use, cores=cores):
        take(block.form)
        tally.add(many, block.tables)
        broken.update(block.violations)
        reached.update({sentence: share * many for sentence, share in block.shares.items()})
        if not first and block.frame is not None:
            first.append(block.frame)
        tell(tally.rows)
    report(Progress(stage="check", done=1.0, fact="bounds, residuals and red flags"))
    shares = {sentence: share / max(rows, 1) for sentence, share in reached.items()}
    checks = checks_of(
        evidence,
        candidates=counted,
        synthetic=tally,
        frame=first[0] if first else drawing.whole(0)[1],
        violations=broken,
        found=found_shares(drawing.shares, shares) if rows else (),
        converged=model.converged,
        beta=1 - plan.confidence,
        tilings=plan.recipe().follower.tiles,
        relates=plan.recipe().follower.relates,
    )
    claimed = {bound.clique: bound for bound in checks.bounds}
    return replace(
        checks, bounds=tuple(claimed.get(r) or nothing(r, 1 - plan.confidence) for r in candidates)
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Block(Generic[Form]):
    """What is kept of a block of rows."""

    form: Form
    tables: Sequence[NDArray[np.integer]]
    violations: Mapping[str, int]
    shares: Mapping[str, float]
    frame: pd.DataFrame | None


def _blocks(evidence: Evidence, candidates: Iterable[Clique]) -> dict[Axes, tuple[Axes, ...]]:
    """Blocks of columns that hold the tables of all candidates and of all that was asked."""
    domain = evidence.domain
    scores = (*(c.score for c in evidence.choices), *(s.score for s in evidence.scores))
    scored = {r for score in scores for r in score.cliques}
    large = {clique for clique, _ in _large(evidence)}
    asked = {m.clique for m in evidence.measurements if m.clique not in large}
    asked |= {r for r in scored if domain.size(r) <= MOST_CELLS}
    rising = {tuple(sorted(domain.axes(r))) for r in (*candidates, *asked, *((n,) for n in domain.names))}
    sizes = dict(enumerate(domain.sizes))
    return blocks(sorted(axes for axes in rising if axes), sizes, cells=CELLS_TOGETHER)


def _large(evidence: Evidence) -> list[tuple[Clique, Mapping[str, tuple[int, ...]]]]:
    """Cliques of more than `MOST_CELLS` cells that something was asked of in groups of fewer."""
    domain = evidence.domain
    asked = [(m.clique, m.groups) for m in evidence.measurements]
    asked += [(r, scores.groups) for scores in evidence.scores for r in scores.score.cliques]
    return [
        (clique, groups)
        for clique, groups in asked
        if domain.size(clique) > MOST_CELLS
        and domain.with_sizes({n: max(group_of) + 1 for n, group_of in groups.items()}).size(clique)
        <= MOST_CELLS
    ]


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
