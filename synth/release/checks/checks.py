"""Everything that may be said about a release's quality without looking at the private table again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.table import CodeTable
from synth.release.checks.bounds import Bound, Earlier, Support, bounds, withheld
from synth.release.checks.flags import (
    BLANKS_LOST,
    Flag,
    blank_flags,
    centre_flags,
    column_flags,
    contradiction_flags,
    fit_flags,
    residual_flags,
    rule_flags,
)
from synth.release.checks.gls import Pool
from synth.release.checks.means import mean_flags
from synth.release.checks.paper_bounds import UnselectedLimit, unselected_limits
from synth.release.checks.ranges import range_flags
from synth.release.checks.residuals import Residual, residuals
from synth.release.checks.shares import FoundShare, found_shares, share_flags
from synth.release.checks.tally import Counted
from synth.rules import AskedShare

if TYPE_CHECKING:
    import pandas as pd


ROOM = 3 << 24
"""Most cells of the counts that are kept of a table while it is checked: 0.4 GB, for the pairs of 500 columns
of 16 codes on average, each of which is looked at more than once."""


class RuleBook(Protocol):
    """What the checks need to know of rules."""

    def violations(self, frame: pd.DataFrame) -> Mapping[str, int]:
        """For each rule, in words, how many rows of a decoded table break it."""
        ...

    def shares_of(self, frame: pd.DataFrame) -> Mapping[str, float]:
        """For each rule that asks for a share, in words, the part of the rows that has what it asks for."""
        ...


@dataclass(frozen=True, kw_only=True)
class Checks:
    """Public-safe findings: functions of noisy measurements, public facts and the synthetic table only.

    Not to be confused with `evaluate.report.StewardReport`, which compares with the private table and must
    not leave the house.

    `unselected` has Theorem 5 of the MargNet paper (`check.paper_bounds`) for pairs that were not measured;
    it follows from a selection, which no bundle keeps.
    """

    bounds: tuple[Bound, ...]
    residuals: tuple[Residual, ...]
    violations: dict[str, int]
    flags: tuple[Flag, ...]
    confidence: float
    shares: tuple[FoundShare, ...] = ()
    unselected: tuple[UnselectedLimit, ...] = ()

    @property
    def incomplete(self) -> frozenset[str]:
        """The columns in which records were lost: no bound is known for a table with one of them."""
        return frozenset(name for flag in self.flags if flag.code == BLANKS_LOST for name in flag.columns)

    @property
    def blocked(self) -> bool:
        """Whether a flag says that this must not be released as it stands."""
        return any(flag.blocks for flag in self.flags)

    def to_json(self) -> dict[str, Any]:
        """Plain types, six significant digits, for the bundle."""
        document: dict[str, Any] = _plain(self)
        document["bounds"] = [
            {name: x for name, x in bound.items() if x is not None or not name.startswith("coarse")}
            for bound in document["bounds"]
        ]
        for name in ("shares", "unselected"):
            if not document[name]:
                del document[name]
        return {"kind": "public-safe checks", "blocked": self.blocked, **document}

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Checks:
        """Inverse of `to_json`, up to its rounding. Raises: `Mistake` if a field is missing or unknown."""
        try:
            return Checks(
                bounds=tuple(_bound(b) for b in document["bounds"]),
                residuals=tuple(
                    Residual(**{**r, "clique": tuple(r["clique"])}) for r in document["residuals"]
                ),
                violations=dict(document["violations"]),
                flags=tuple(Flag(**{**f, "columns": tuple(f["columns"])}) for f in document["flags"]),
                confidence=document["confidence"],
                shares=tuple(FoundShare(**s) for s in document.get("shares", ())),
                unselected=tuple(
                    UnselectedLimit(**{**u, "clique": tuple(u["clique"])})
                    for u in document.get("unselected", ())
                ),
            )
        except (KeyError, TypeError, ValueError):
            raise Mistake("The checks are damaged: a field is missing or does not fit.") from None


def run_checks(
    evidence: Evidence,
    *,
    candidates: Iterable[Clique],
    codes: NDArray[np.integer],
    frame: pd.DataFrame,
    rules: RuleBook,
    converged: bool,
    beta: float = 0.05,
    earlier: Earlier | None = None,
    shares: Sequence[AskedShare] = (),
    tilings: bool = False,
    relates: bool = True,
) -> Checks:
    """All checks of one synthetic table.

    Shapes: `codes: int[rows, columns]`, in the codes of the evidence as the model made them; `frame` is the
    same table decoded. `candidates` are the workload's W+, one bound each. `earlier` is a table made from the
    same answers, whose bounds this one may lean on; `shares` are those that the records were steered to.
    `tilings`: whether the records were made of these, too; `relates`: whether their generator reads how
    columns go together.
    """
    return checks_of(
        evidence,
        candidates=candidates,
        synthetic=CodeTable(evidence.domain, codes, room=ROOM),
        frame=frame,
        violations=rules.violations(frame),
        found=found_shares(shares, rules.shares_of(frame)) if shares else (),
        converged=converged,
        beta=beta,
        earlier=earlier,
        tilings=tilings,
        relates=relates,
    )


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
    tilings: bool = False,
    relates: bool = True,
) -> Checks:
    """All checks of a table of which only some rows are at hand, as `frame`: what concerns the values inside
    their bins is judged by these. `violations` and `found` are of all rows."""
    axes, pool = evidence.codebook.axes, Pool(evidence.domain, evidence.measurements)
    misfits, violations = residuals(evidence, synthetic, tilings=tilings), dict(violations)
    lost = blank_flags(evidence.measurements, axes)
    flags = [
        *fit_flags(converged),
        *rule_flags(violations),
        *lost,
        *column_flags(synthetic, pool, evidence.codebook, total=evidence.total),
        *centre_flags(frame, axes),
        *contradiction_flags(pool, evidence.zeros, evidence.codebook.titles),
        *range_flags(pool, evidence.codebook),
        *mean_flags(frame, pool, evidence.codebook),
        *residual_flags(misfits, evidence.codebook.titles, relates=relates),
        *share_flags(found, rows=synthetic.rows),
    ]
    claims = bounds(evidence, candidates=candidates, synthetic=synthetic, beta=beta, earlier=earlier)
    return Checks(
        bounds=withheld(claims, {name for flag in lost for name in flag.columns}),
        residuals=misfits,
        violations=violations,
        flags=tuple(flags),
        confidence=1.0 - beta,
        shares=tuple(found),
        unselected=_unselected_pairs(evidence, synthetic, pool, beta),
    )


def _unselected_pairs(
    evidence: Evidence, synthetic: Counted, pool: Pool, beta: float
) -> tuple[UnselectedLimit, ...]:
    limits = unselected_limits(evidence, synthetic, beta=beta)
    return tuple(u for u in limits if len(u.clique) == 2 and not pool.supports(u.clique))


def _bound(told: Mapping[str, Any]) -> Bound:
    kinds = {name: Support(told[name]) for name in ("kind", "coarse_kind") if name in told}
    return Bound(**{**told, "clique": tuple(told["clique"]), **kinds})


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value
