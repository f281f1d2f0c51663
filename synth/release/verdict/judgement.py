"""Measure the accuracy of an earlier release: the plan of such a run, and the document of its result.

The release may have no accuracy check, for example because its version is old, or only the accuracy check of
another table from the same measurements. The run makes only the queries of the accuracy check, and its cost
is added to that of the release. The result is a separate JSON document, because a release package is never
changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from synth.core.accounting import GAUSSIAN, Law, Price, law_in, law_named, limit_for, rho_of
from synth.core.errors import Mistake
from synth.core.evidence import VERDICT, Evidence
from synth.core.request import Request
from synth.core.schema import Schema
from synth.core.table import CodeTable
from synth.release.checks.checks import plain_types
from synth.release.layout import CHECKSUMS
from synth.release.opened import Bundle
from synth.release.synthesis import Privacy
from synth.release.verdict.asking import MOST_NOISE, VerdictQueries, queries_about, widest_judged
from synth.release.verdict.figures import Verdict
from synth.release.verdict.likely import with_likely_errors
from synth.release.verdict.sentences import points, sentences
from synth.release.verdict.share import Promise, noise_of, promised

FORMAT = "marginalia-judgement/1"
ABOUT = (
    "How accurate a released synthetic table is, measured in a separate run. Epsilon and delta are for "
    "this measurement only. They are added to the epsilon and delta of the release. The release is "
    "identified by the SHA-256 of its list of checksums."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgePlan:
    """A request to measure the accuracy of the table in a release package. All of it is public.

    `target` is a column whose prediction is also measured, by default the target of the release. Raises:
    `Mistake` for a practice run, for invalid values, and for a budget that is too small for a useful result.
    """

    release: Bundle
    epsilon: float
    delta: float
    target: str | None = None

    law: ClassVar[Law] = GAUSSIAN
    """The accounting rule: all queries of the accuracy check are Gaussian."""

    delta_of_lists: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        Request(epsilon=self.epsilon, delta=self.delta)
        if self.release.layout.rehearsal:
            raise Mistake(
                "The release package is from a practice run, and only real releases are measured. Choose a "
                "release. No budget was spent."
            )
        if self.target is not None and self.target not in self.evidence.domain.names:
            raise Mistake(
                f"The release has no column {self.target!r} to predict. Check its name. No budget was spent."
            )
        noise = self.promise.mean
        if not noise <= MOST_NOISE:
            raise Mistake(
                f"With this budget, the standard deviation of a mean error would be {points(noise)}, which "
                f"is too much to be useful. It must be at most {points(MOST_NOISE)}. Enter a larger "
                "epsilon. No budget was spent."
            )

    @property
    def evidence(self) -> Evidence:
        return self.release.evidence

    @property
    def schema(self) -> Schema:
        """Return the schema of the release, with estimated domains filled in."""
        return self.evidence.codebook.schema

    @property
    def price(self) -> Price:
        return Price(units=limit_for(self.epsilon, self.delta).under(self.law), delta_units=0, law=self.law)

    @property
    def units(self) -> int:
        return self.price.units

    @property
    def promise(self) -> Promise:
        """Return the standard deviations of the measured errors."""
        rows, total_sd = max(1, round(self.evidence.total)), self.evidence.total_sd
        return promised(self.schema, rho=rho_of(self.units), rows=rows, total_sd=total_sd)

    def requested(self, *, counts_only: bool) -> VerdictQueries:
        """Return the queries. Predictions need rows, so there are none for a database (`counts_only`).

        Raises: `Mistake` if predictions were requested from a database.
        """
        if counts_only and self.target is not None:
            raise Mistake(
                f"Predictions of {self.target!r} need rows, but a database returns only counts. Remove the "
                "target. No budget was spent."
            )
        target = self.target or self.release.spec["options"].get("target") or None
        noise = noise_of(self.schema, rho_of(self.units), self.evidence.total)
        return queries_about(
            CodeTable(self.evidence.domain, self.release.codes),
            self.evidence.total,
            target=None if counts_only else target,
            widest=widest_judged(len(self.evidence.domain), noise),
        )

    def head(self) -> dict[str, Any]:
        """Return the fields of the document that are known before the run."""
        release = self.release
        return {
            "format": FORMAT,
            "about": ABOUT,
            "release": {
                "id": release.statement["release"]["id"],
                "checksums_sha256": hashlib.sha256(release.files[CHECKSUMS]).hexdigest(),
            },
            "confidence": release.checks.confidence,
        }

    def judgement(self, head: Mapping[str, Any], privacy: Privacy, verdict: Verdict) -> Judgement:
        """Return the result of a run. Its figures are rounded to six significant digits."""
        rows = CodeTable(self.evidence.domain, self.release.codes)
        verdict = with_likely_errors(verdict, self.evidence, rows, self.release.checks.bounds)
        document = {
            **head,
            "epsilon": privacy.epsilon,
            "delta": privacy.delta,
            "accounting": privacy.law.name,
            "neighbours": privacy.neighbours.value,
            "unit": {"name": privacy.unit.name, "max_rows": privacy.unit.max_rows},
            "population": privacy.population,
            "reserved_units": privacy.units,
            "spent_units": privacy.spent_units,
            "queries": [{"query": s.question, "step": s.step, "units": s.units} for s in privacy.spends],
            "receipt": privacy.receipt,
            "verdict": plain_types(verdict),
            "sentences": sentences(verdict, head["confidence"], self.evidence.codebook.titles),
        }
        return Judgement(verdict=verdict, document=document)


FIELDS = (
    "format", "about", "release", "confidence", "epsilon", "delta", "accounting", "neighbours", "unit",
    "population", "reserved_units", "spent_units", "queries", "receipt", "verdict", "sentences",
)  # fmt: skip
"""Names of all fields of the document."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The measured accuracy of the table of a release.

    `document` is plain JSON that can be published. It identifies the release and contains the guarantee and
    cost of the measurement, and the `verdict` in figures and in sentences.
    """

    verdict: Verdict
    document: dict[str, Any]

    @staticmethod
    def read(document: dict[str, Any]) -> Judgement:
        """Return the judgement from its document.

        Raises: `Mistake` if a field is missing, unknown or invalid, if the costs do not add up to the cost in
        the receipt, or if epsilon and delta do not cover the costs.
        """
        try:
            verdict = Verdict.from_json(document["verdict"])
            is_sound = document["format"] == FORMAT and set(document) == set(FIELDS) and _is_paid(document)
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
            is_sound = False
        if not is_sound:
            raise Mistake(
                "This file is not an accuracy check by this program, or it was changed after it was written."
            )
        return Judgement(verdict=verdict, document=document)


def _is_paid(document: Mapping[str, Any]) -> bool:
    """Whether the costs agree with the receipt, and epsilon and delta cover them."""
    receipt, queries = document["receipt"], document["queries"]
    law, units, spent = law_named(document["accounting"]), document["reserved_units"], document["spent_units"]
    return bool(
        all(document[name] == receipt[name] for name in ("population", "reserved_units", "spent_units"))
        and sum(query["units"] for query in queries) == spent == receipt["parts"][VERDICT]["units"]
        and spent <= units
        and law == law_in(receipt)
        and law.allows(*(query["query"] for query in queries))
        and law.claim_alone(units, document["delta"]) <= document["epsilon"] * (1 + 1e-9)
    )
