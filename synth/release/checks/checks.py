"""Check the quality of a release without reading the private table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from synth.core.codebook import Codebook
from synth.core.columns.unfit import Reason
from synth.core.documents import read_as
from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.numbers import per_cent
from synth.core.schema import Kind, Provenance
from synth.estimates.effects import Pool
from synth.release.checks.bounds import BOUND_PART, Bound, Earlier, bounds, judged, withheld
from synth.release.checks.flags import (
    BLANKS_LOST,
    Flag,
    blank_flags,
    centre_flags,
    column_flags,
    contradiction_flags,
    empty_flags,
    fit_flags,
    residual_flags,
    rule_flags,
)
from synth.release.checks.means import mean_flags
from synth.release.checks.ranges import range_flags
from synth.release.checks.residuals import Residual, residuals
from synth.release.checks.shares import FoundShare, share_flags
from synth.release.checks.tally import Counted
from synth.release.checks.unfit import UnfitShare, sentences, unfit_shares
from synth.release.verdict.figures import Verdict
from synth.release.verdict.likely import with_likely_errors

if TYPE_CHECKING:
    import pandas as pd


ROOM = 3 << 24
"""Maximum number of cells of counts that are cached while a table is checked.

The counts use up to 0.4 GB, which is enough for the pairs of 500 columns with 16 codes on average. Each count
is used more than once.
"""


@dataclass(frozen=True, kw_only=True)
class Checks:
    """Results of the checks that can be published.

    They are computed only from noisy measurements, public facts and the synthetic table. In contrast,
    `evaluate.report.StewardReport` compares the synthetic table with the private table and must not be
    published.
    """

    bounds: tuple[Bound, ...]
    residuals: tuple[Residual, ...]
    violations: dict[str, int]
    flags: tuple[Flag, ...]
    confidence: float
    shares: tuple[FoundShare, ...] = ()
    verdict: Verdict | None = None
    unfit: tuple[UnfitShare, ...] = ()

    @property
    def incomplete(self) -> frozenset[str]:
        """Return the columns in which records were lost. Tables with such a column have no bound."""
        return frozenset(name for flag in self.flags if flag.code == BLANKS_LOST for name in flag.columns)

    @property
    def blocked(self) -> bool:
        """Whether a flag blocks the release."""
        return any(flag.blocks for flag in self.flags)

    def to_json(self) -> dict[str, Any]:
        """Return the checks as plain types with six significant digits, for the release package."""
        document: dict[str, Any] = plain_types(self)
        document["bounds"] = [
            {name: x for name, x in bound.items() if x is not None or not name.startswith("coarse")}
            for bound in document["bounds"]
        ]
        for name in ("shares", "verdict", "unfit"):
            if not document[name]:
                del document[name]
        return {"kind": "public-safe checks", "blocked": self.blocked, **document}

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Checks:
        """Return the checks from a document made by `to_json`. Numbers are rounded to six significant digits.

        Raises: `Mistake` if a field is missing or unknown.
        """
        try:
            return read_as(Checks, {f.name: document[f.name] for f in fields(Checks) if f.name in document})
        except (KeyError, TypeError, ValueError):
            raise Mistake("The checks are damaged: a field is missing or does not fit.") from None


def checks_of(
    evidence: Evidence,
    *,
    candidates: Iterable[Clique],
    synthetic: Counted,
    frame: pd.DataFrame,
    violations: Mapping[str, int],
    found: Sequence[FoundShare],
    converged: bool,
    beta: float,
    earlier: Earlier | None = None,
    verdict: Verdict | None = None,
    tilings: bool = False,
    relates: bool = True,
) -> Checks:
    """Return all checks of one synthetic table.

    `synthetic` has the counts of all its rows in the codes of the evidence. `frame` has all or some of the
    decoded rows; it is used to check values inside their bins. `violations` and `found` cover all rows.
    `candidates` are the cliques of the workload. The result has one bound for each of them. Bounds can use an
    `earlier` table made from the same measurements, and the `verdict` of the accuracy check. `tilings` is
    True if the records were also fitted to tilings. `relates` is True if their generator uses relations
    between columns.
    """
    axes, pool = evidence.codebook.axes, Pool(evidence.domain, evidence.measurements)
    misfits, violations = residuals(evidence, synthetic, tilings=tilings), dict(violations)
    cliques = list(candidates)
    lost = blank_flags(evidence.measurements, axes)
    flags = [
        *fit_flags(converged),
        *empty_flags(pool, axes),
        *rule_flags(violations),
        *lost,
        *column_flags(synthetic, pool, evidence.codebook, total=evidence.total),
        *centre_flags(frame, axes),
        *contradiction_flags(pool, evidence.zeros, evidence.codebook.titles),
        *range_flags(pool, evidence.codebook),
        *mean_flags(frame, pool, evidence.codebook),
        *residual_flags(misfits, evidence.codebook.titles, relates=relates),
        *share_flags(found, rows=synthetic.rows),
        *_unfit_flags(unfit := unfit_shares(evidence), evidence.codebook),
    ]
    errors = {one.clique: one.error for one in verdict.tables} if verdict is not None else {}
    claims = dict[Clique, Bound]()
    plain, both = ([r for r in cliques if (r in errors) is is_judged] for is_judged in (False, True))
    for level, some in ((beta, plain), (BOUND_PART * beta, both)):
        for b in bounds(evidence, candidates=some, synthetic=synthetic, beta=level, earlier=earlier):
            claims[b.clique] = judged(b, errors.get(b.clique), total=evidence.total, beta=beta)
    stated = withheld([claims[r] for r in cliques], {name for flag in lost for name in flag.columns})
    return Checks(
        bounds=stated,
        residuals=misfits,
        violations=violations,
        flags=tuple(flags),
        confidence=1.0 - beta,
        shares=tuple(found),
        verdict=None if verdict is None else with_likely_errors(verdict, evidence, synthetic, stated),
        unfit=unfit,
    )


def _unfit_flags(shares: Iterable[UnfitShare], codebook: Codebook) -> list[Flag]:
    """Warn of every share that is significantly above 0, and of means of estimated ranges that may be too
    short.
    """
    columns, flags = {axis.name: axis.column for axis in codebook.axes}, []
    for one in sorted(shares, key=lambda one: -one.share):
        column, sentence = columns[one.column], ""
        is_clamped = one.reason in (Reason.BELOW, Reason.ABOVE) and column.kind is not Kind.DATE
        is_estimated = is_clamped and column.provenance is Provenance.ESTIMATED
        if one.seen:
            (sentence,) = sentences([one], codebook)
        elif is_estimated and one.high > UNSURE:
            title = codebook.titles.get(one.column, one.column)
            sentence = f"Up to {per_cent(one.high)} of {title} may be {one.reason} the estimated range"
            sentence += f" and {one.shown}."
        if sentence:
            if is_clamped:
                sentence += " Means and totals of this column are those of the values shown."
            advice = "Correct the declaration or the file."
            flags.append(
                Flag(code="unfit", sentence=sentence, blocks=False, columns=(one.column,), advice=advice)
            )
    return flags


UNSURE = 0.01
"""Upper end of a share from which a mean of an estimated range is doubtful."""


def plain_types(value: Any) -> Any:
    """Return a value as plain types with six significant digits, for JSON."""
    if is_dataclass(value):
        return {field.name: plain_types(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(k): plain_types(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_types(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value
