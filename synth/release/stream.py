"""Draw the rows of a plan, as a whole or in blocks, and check them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from synth.core.blocks import Axes, blocks
from synth.core.codebook import Codebook
from synth.core.columns.published import published
from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.graphs.workload import Workload
from synth.core.model import Model
from synth.core.progress import Pace, Progress, Reporter, silent
from synth.core.table import CodeTable
from synth.release.checks.bounds import nothing
from synth.release.checks.checks import Checks, checks_of
from synth.release.checks.shares import found_shares
from synth.release.checks.tally import Tally
from synth.release.checks.targets import measured_targets
from synth.release.drawing import Drawing
from synth.release.plan import Plan

if TYPE_CHECKING:
    import pandas as pd

MOST_CELLS = 1 << 24
"""Maximum number of cells of a table that is counted in blocks: 128 MB of counts."""

CELLS_TOGETHER = 1 << 14
"""Maximum number of cells in the joint table of columns that are counted together.

Summing a larger table to its cliques takes longer than counting the rows of a block for each of them.
"""

Form = TypeVar("Form")


def reporting(rows: int, report: Reporter) -> Callable[[int], None]:
    """Return a callback that reports how many rows are drawn."""
    pace = Pace()

    def tell(drawn: int) -> None:
        report(Progress(stage="sample", done=drawn / rows, fact=pace.as_text(drawn, rows, "rows")))

    return tell


def rows_of(plan: Plan, model: Model) -> int:
    """Return the number of rows of a plan: the requested number, or else the total of the strata, or else the
    total of the model.
    """
    default = round(model.total) if plan.schema.total is None else plan.schema.total
    return default if plan.rows is None else plan.rows


def drawing_of(plan: Plan, evidence: Evidence, model: Model) -> Drawing:
    """Return the `Drawing` of a plan's rows."""
    coded = plan.rules.coded_shares(evidence.codebook)
    shares = measured_targets(coded, evidence, confidence=plan.confidence)
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
    """Draw the rows of a plan in blocks, with checks that cover all of them. This spends no budget.

    Each block is converted by `form` on the core (one of `cores`) that draws it, and then passed to `take`,
    in order. Only a few blocks and the counts for the checks are in memory. Pairs with more than `MOST_CELLS`
    cells are counted in the groups of codes of their measurements. Pairs without such groups have no counts
    and no bound. Checks of values inside their bins use the first block.
    """
    drawing, rows, domain = drawing_of(plan, evidence, model), rows_of(plan, model), evidence.domain
    candidates = workload_of(plan, evidence.codebook).candidates()
    coarse = _large(evidence)
    fine = [r for r in candidates if domain.size(r) <= MOST_CELLS]
    counted = [r for r in candidates if domain.size(r) <= MOST_CELLS or any(r == one for one, _ in coarse)]
    tally = Tally(domain, _blocks(evidence, fine), coarse=coarse)
    first: list[pd.DataFrame] = []
    broken: Counter[str] = Counter()
    reached: Counter[str] = Counter()

    def use(codes: NDArray[np.unsignedinteger], frame: pd.DataFrame) -> _Block[Form]:
        return _Block(
            form=form(published(frame, evidence.codebook.schema)),
            tables=tally.counted(CodeTable(domain, codes)),
            violations=plan.rules.violations(frame),
            shares=plan.rules.shares_of(frame) if drawing.shares else {},
            frame=frame if not first else None,
        )

    tell = reporting(rows, report)
    for many, block in drawing.blocks(rows, use, cores=cores):
        take(block.form)
        tally.add(many, block.tables)
        broken.update(block.violations)
        reached.update({sentence: share * many for sentence, share in block.shares.items()})
        if not first and block.frame is not None:
            first.append(block.frame)
        tell(tally.rows)
    report(Progress(stage="check", done=1.0, fact="calculating error bounds, residuals and warnings"))
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
    """Facts about a block of rows that are kept for the checks."""

    form: Form
    tables: Sequence[NDArray[np.integer]]
    violations: Mapping[str, int]
    shares: Mapping[str, float]
    frame: pd.DataFrame | None


def _blocks(evidence: Evidence, candidates: Iterable[Clique]) -> dict[Axes, tuple[Axes, ...]]:
    """Return blocks of columns that contain the tables of all candidates and measurements."""
    domain = evidence.domain
    large = {clique for clique, _ in _large(evidence)}
    requested = {m.clique for m in evidence.measurements if m.clique not in large}
    rising = {tuple(sorted(domain.axes(r))) for r in (*candidates, *requested, *((n,) for n in domain.names))}
    sizes = dict(enumerate(domain.sizes))
    return blocks(sorted(axes for axes in rising if axes), sizes, cells=CELLS_TOGETHER)


def _large(evidence: Evidence) -> list[tuple[Clique, Mapping[str, tuple[int, ...]]]]:
    """Return cliques with more than `MOST_CELLS` cells that were measured in groups with fewer cells."""
    domain = evidence.domain
    requested = [(m.clique, m.groups) for m in evidence.measurements]
    requested += [(r, scores.groups) for scores in evidence.scores for r in scores.score.cliques]
    return [
        (clique, groups)
        for clique, groups in requested
        if domain.size(clique) > MOST_CELLS
        and domain.with_sizes({n: max(group_of) + 1 for n, group_of in groups.items()}).size(clique)
        <= MOST_CELLS
    ]


def workload_of(plan: Plan, codebook: Codebook) -> Workload:
    """Return all k-way marginals, weighted by the schema."""
    return Workload.all_kway(codebook.domain, plan.workload, column_weights=codebook.column_weights)
