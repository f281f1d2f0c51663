"""Write the privacy statement: the guarantee, its cost, and what it does not cover.

The statement is a JSON file for programs and auditors. Its schema is `statement.schema.json`.
`check_statement` recomputes everything that can be recomputed from the statement alone: the costs must add up
to the total cost, and the stated (epsilon, delta) must cover the total cost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from itertools import groupby
from platform import python_version
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from synth.core.accounting import Law, exact, law_in, law_named, rho_of
from synth.core.accounting.sampled import TRAIN
from synth.core.codebook import Codebook
from synth.core.documents import read_as
from synth.core.errors import Mistake
from synth.core.schema import Neighbours, Provenance
from synth.core.system.version import __version__
from synth.release.checks.checks import Checks, plain_types
from synth.release.checks.unfit import UnfitShare
from synth.release.checks.unfit import sentences as unfit_sentences
from synth.release.documents import templating, wording
from synth.release.verdict.figures import Verdict
from synth.release.verdict.sentences import sentences as accuracy

if TYPE_CHECKING:
    from synth.release.synthesis import Privacy, Spend, Synthesis

FORMAT = "marginalia-privacy-statement/1"
UNUSED = "reserved, never asked"
FURTHER = (
    "These rows were made again from the noisy measurements of an earlier release. This used no further "
    "budget: all packages from these measurements together have the epsilon stated here."
)
"""Name of the part of the reservation that no query used.

This part is included in rho, so the guarantee covers the whole reservation.
"""

UNPUBLISHED = "preprocess"
"""Name of the part of the budget that estimated the domains left open by the schema.

Domains and groupings are published, but not the counts behind them.
"""

LATER = ("whole_units", "law")
"""Fields of the history if part of the lifetime budget cannot be used; missing in earlier versions."""

_PACKAGES = ("numpy", "scipy", "opendp", "pyarrow", "pandas")
SOMETIMES = ("torch",)
"""Names of packages that only some releases use."""

_SLACK = 1e-9
"""Largest relative difference between the stated and the recomputed epsilon that rounding can cause."""


@dataclass(frozen=True, kw_only=True)
class Imprint:
    """The texts that the steward adds for publication. They are printed unchanged.

    `approvers` are the names of those who agreed to publish. `decisions` are choices made after seeing exact
    numbers (the private evaluation). Each decision can leak information that the ledger does not record, so
    the statement lists them. `beyond` explains why this release exceeds the organisation's limit; it is empty
    if the release does not.
    """

    licence: str = ""
    contact: str = ""
    purpose: str = ""
    approvers: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    beyond: str = ""

    @staticmethod
    def of(stated: Mapping[str, Any]) -> Imprint:
        """Return the imprint of a statement. This is the inverse of `fields`."""
        words = stated["imprint"]
        return Imprint(
            licence=words["licence"],
            contact=words["contact"],
            purpose=words["purpose"],
            approvers=tuple(words.get("approvers", ())),
            decisions=tuple(stated["decisions_after_private_views"]),
            beyond=words.get("beyond", ""),
        )

    def fields(self) -> dict[str, Any]:
        """Return the keys of the statement that contain these texts."""
        return {
            "decisions_after_private_views": list(self.decisions),
            "imprint": {
                "licence": self.licence,
                "contact": self.contact,
                "purpose": self.purpose,
                "approvers": list(self.approvers),
                **({"beyond": self.beyond} if self.beyond else {}),
            },
        }


def statement(synthesis: Synthesis, imprint: Imprint, *, release: str) -> dict[str, Any]:
    """Return the statement of one release. `release` is the ID of the bundle."""
    privacy, schema = synthesis.privacy, synthesis.schema
    words = sentences(synthesis)
    past = history(privacy)
    estimated = [how for kind, how in words["bought"].items() if kind in dict(_estimates(privacy))]
    return {
        "format": FORMAT,
        "release": {
            "id": release,
            "name": schema.name,
            "title": schema.title or schema.name,
            "date": date_of(privacy.receipt),
            "rehearsal": privacy.rehearsal,
        },
        "promise": words["promise"],
        "epsilon": privacy.epsilon,
        "delta": privacy.delta,
        "rho": rho_of(privacy.units),
        "claim": claim(privacy),
        "neighbours": privacy.neighbours.value,
        "neighbours_explained": words["neighbours_explained"],
        "unit": {
            "name": privacy.unit.name,
            "max_rows": privacy.unit.max_rows,
            "enforced": words["enforced"],
        },
        "budget": {
            "rho_per_unit": rho_of(1),
            "reserved_units": privacy.units,
            "spent_units": privacy.spent_units,
            "delta_for_bought_lists": privacy.delta_of_lists,
        },
        "spend": _spend_by_part(privacy),
        "accounting": {**words["accounting"], "bought": "; ".join(estimated) or "nothing"},
        "noise": words["noise"],
        "selection": words["selection"],
        "method": {
            "name": synthesis.method,
            "generator": synthesis.generator,
            **({"generator_options": synthesis.generator_options} if synthesis.generator_options else {}),
            "parameters": public_parameters(synthesis.parameters)
            | ({"compress": True} if synthesis.compress else {}),
            "post_processing": words["post_processing"],
        },
        "outside_the_guarantee": words["outside_the_guarantee"],
        "odds": wording.odds_fields(
            wording.odds_of((privacy.epsilon, privacy.delta), privacy.law, privacy.units, past)
        ),
        "history": past,
        "receipt": privacy.receipt,
        **_accuracy(synthesis),
        **({"unfit": unfit} if (unfit := unfit_words(synthesis.checks, synthesis.evidence.codebook)) else {}),
        **({"further": FURTHER} if synthesis.is_further else {}),
        **({"means": wording.means(synthesis.means, synthesis.evidence)} if synthesis.means else {}),
        **({"changes": synthesis.changes} if synthesis.changes else {}),
        "trust_model": words["trust_model"],
        "known_limits": words["known_limits"],
        "not_tested": words["not_tested"],
        "software": dict(software(synthesis.packages)),
        **imprint.fields(),
    }


def unfit_words(checks: Checks, codebook: Codebook) -> list[str]:
    """Return the shares of cells that do not fit the declaration in words, as the package stores them."""
    stored = [read_as(UnfitShare, plain_types(one)) for one in checks.unfit]
    return unfit_sentences(stored, codebook)


def _accuracy(synthesis: Synthesis) -> dict[str, list[str]]:
    """Return the measured accuracy in words, if part of the budget measured it.

    The sentences are based on the figures as the package stores them, with six digits, so that `verify` can
    write the same sentences.
    """
    checks = synthesis.checks
    if checks.verdict is None:
        return {}
    verdict = Verdict.from_json(plain_types(checks.verdict))
    return {"accuracy": accuracy(verdict, checks.confidence, synthesis.evidence.codebook.titles)}


def sentences(synthesis: Synthesis) -> dict[str, Any]:
    """Return the sentences of the statement: `templates/statement.yaml` with all facts filled in."""
    privacy, schema = synthesis.privacy, synthesis.schema
    return templating.document(
        "statement.yaml",
        privacy=privacy,
        unit=privacy.unit,
        rows=wording.rows(privacy.unit),
        replaces=privacy.neighbours is Neighbours.REPLACE,
        line_breaks=schema.file.line_breaks.value,
        trains=any(spend.question == TRAIN for spend in privacy.spends),
        selects=any(spend.question == "choose" for spend in privacy.spends),
        estimated=_estimates(privacy),
        earlier=[c for c in schema.modelled if c.provenance is Provenance.EARLIER],
        has_rules=any(rule.stated for rule in synthesis.rules.forbidding),
        declares_shares=any(share.wanted is not None for _, share in synthesis.rules.shares),
        has_shares=len(synthesis.rules.shares) > 0,
        rows_public=schema.rows_public,
        start=wording.start(synthesis.evidence),
        people=wording.people(synthesis.people, synthesis.new_to, privacy.unit),
        read=[c.name for c in schema.modelled if c.provenance is Provenance.READ_FROM_FILE],
    )


def claim(privacy: Privacy) -> dict[str, Any]:
    """Return the accounting rule on which the guarantee is based, with its mu if it is Gaussian DP."""
    return {"law": privacy.law.name, "mu": privacy.law.mu(privacy.units)}


def claimed_law(stated: Mapping[str, Any]) -> Law:
    """Return the accounting rule on which a statement is based.

    A statement without a claim, from an earlier version, is based on zCDP. Raises: `Mistake` for an unknown
    accounting rule.
    """
    name = stated.get("claim", {}).get("law")
    try:
        return law_named(name)
    except KeyError:
        raise Mistake(
            f"The statement uses the accounting rule {name!r}, which this program does not know."
        ) from None


def _spend_by_part(privacy: Privacy) -> list[dict[str, Any]]:
    """Return every query with its cost, grouped by part and in the order of the run.

    The costs of all parts add up to the reservation.
    """
    order = {part: i for i, part in enumerate(dict.fromkeys(s.part for s in privacy.spends))}
    by_part = sorted(privacy.spends, key=lambda s: (order[s.part], s.step))
    parts = [_part(name, list(spends)) for name, spends in groupby(by_part, key=lambda s: s.part)]
    not_requested = privacy.units - sum(part["units"] for part in parts)
    if not_requested:
        parts.append({"part": UNUSED, "units": not_requested, "rho": rho_of(not_requested), "questions": []})
    return parts


def _part(name: str, spends: Sequence[Spend]) -> dict[str, Any]:
    questions = [
        {
            "step": s.step,
            "question": s.question,
            "cliques": [list(clique) for clique in s.cliques],
            "units": s.units,
            "rho": rho_of(s.units),
        }
        for s in spends
    ]
    units = sum(s.units for s in spends)
    return {"part": name, "units": units, "rho": rho_of(units), "questions": questions}


def _estimates(privacy: Privacy) -> list[tuple[str, str]]:
    """Return the kinds of queries that estimated open domains of the schema, with their columns."""
    return [
        (spend.question, column)
        for spend in privacy.spends
        if spend.part == UNPUBLISHED
        for clique in spend.cliques
        for column in clique
    ]


def public_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a run that can be published: all except seeds and paths."""
    hidden = ("seed", "path", "data", "file", "out", "ledger")
    return {name: value for name, value in parameters.items() if name not in hidden}


def date_of(receipt: Mapping[str, Any]) -> str:
    """Return the date in the receipt: the day on which the ledger opened the run."""
    return str(receipt["date"])[:10]


def history(privacy: Privacy) -> dict[str, Any]:
    """Return the population's lifetime budget at the end of this run, in units of 1e-12 rho.

    `limit_units` is None if the budget is unlimited. `lifetime` is the guarantee for all runs of the
    population together, including estimated value lists. `whole_units` are 100% of the lifetime budget.
    `lapsed` are earlier guarantees that ended because the limit was raised after results had been seen.
    Receipts of version 0.1 contain neither of these two keys.
    """
    receipt = privacy.receipt
    promised = {}
    if "population_lifetime" in receipt:
        epsilon, delta = receipt["population_lifetime"]
        promised = {
            "lifetime": {"epsilon": epsilon, "delta": delta},
            "lapsed": receipt["population_lapsed"],
        }
    spent, limit = receipt["population_spent_units"], receipt["population_limit_units"]
    reserved = receipt["population_reserved_units"]
    return {
        "population": privacy.population,
        "spent_before_units": spent - receipt["spent_units"],
        "spent_with_this_units": spent,
        "reserved_by_open_runs_units": reserved,
        "limit_units": limit,
        "left_units": None if limit is None else limit - spent - reserved,
        "is_gaussian": bool(receipt.get("population_is_gaussian", False)),
        **{name: receipt[f"population_{name}"] for name in LATER if f"population_{name}" in receipt},
        **promised,
    }


@cache
def software(further: tuple[str, ...] = ()) -> tuple[tuple[str, str], ...]:
    """Return the versions of the software that was used.

    The list contains the packages that every release uses and the packages in `further`.
    """
    versions = [("python", python_version()), ("marginalia", __version__)]
    for package in (*_PACKAGES, *further):
        try:
            versions.append((package, version(package)))
        except PackageNotFoundError:
            versions.append((package, "not installed as a package"))
    return tuple(versions)


def is_by_this_software(statement: Mapping[str, Any]) -> bool:
    """Whether a statement was written with exactly the installed versions of the software."""
    stated = statement["software"]
    return bool(stated == dict(software(tuple(p for p in SOMETIMES if p in stated))))


@cache
def _validator() -> Draft202012Validator:
    text = (files("synth.release") / "statement.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def check_statement(statement: Mapping[str, Any]) -> None:
    """Recompute all numbers that follow from other numbers of the statement.

    Raises: `Mistake` with one sentence per fault: a wrong shape, parts that do not sum, a rho that differs
    from the sum of the parts, or an epsilon below the result of the conversion.
    """
    faults = [
        f"The statement's {'.'.join(map(str, error.absolute_path)) or 'top level'} does not fit its schema."
        for error in _validator().iter_errors(dict(statement))
    ]
    if not faults:
        faults = _arithmetic(statement)
    if faults:
        raise Mistake("\n".join(faults))


def _arithmetic(stated: Mapping[str, Any]) -> list[str]:
    faults = []
    units = sum(part["units"] for part in stated["spend"])
    requested = sum(part["units"] for part in stated["spend"] if part["part"] != UNUSED)
    budget = stated["budget"]
    for part in stated["spend"]:
        if part["part"] != UNUSED and part["units"] != sum(q["units"] for q in part["questions"]):
            faults.append(f"The queries of part {part['part']!r} do not add up to its cost.")
        lines = [part, *part["questions"]]
        if [line["rho"] for line in lines] != [rho_of(line["units"]) for line in lines]:
            faults.append(f"The rho of part {part['part']!r} differs from its cost.")
    if requested != budget["spent_units"]:
        faults.append("The parts do not add up to the amount that the ledger states as spent.")
    if units != budget["reserved_units"] or stated["rho"] != rho_of(units):
        faults.append("The parts do not add up to the stated rho.")
    left = stated["delta"] - budget["delta_for_bought_lists"]
    law = claimed_law(stated)
    faults += _law_faults(law, stated, units)
    odds = wording.odds_of((stated["epsilon"], stated["delta"]), law, units, stated["history"])
    if "odds" in stated and stated["odds"] != wording.odds_fields(odds):
        faults.append("The stated odds do not follow from the costs.")
    if not 0 < left < 1 or stated["epsilon"] * (1 + _SLACK) < law.claim_alone(units, left):
        faults.append("The stated epsilon and delta do not cover the stated rho.")
    return faults


def _law_faults(law: Law, stated: Mapping[str, Any], units: int) -> list[str]:
    """Return the reasons why a claim based on this accounting rule is false.

    zCDP is valid for every run and for all queries except training. GDP is valid for the same queries, but
    only with the noise and the ranges of a run that was reserved under it.
    """
    faults = []
    requested = {q["question"] for part in stated["spend"] for q in part["questions"]}
    buys_lists = stated["budget"]["delta_for_bought_lists"] and not law.allows("values")
    if not law.allows(*requested) or buys_lists:
        kept = f"is {law.answers}" if law.answers else "complies with it"
        faults.append(f"The statement claims {law.title}, but not every query {kept}.")
    if law.asks is None:
        return faults
    if stated["delta"] < law.least_delta:
        faults.append(
            f"The statement claims {law.title}, which is valid only from delta "
            f"{exact(law.least_delta)} upwards."
        )
    if law.is_for_added_units and stated["neighbours"] != Neighbours.ADD_REMOVE.value:
        faults.append(f"The statement claims {law.title}, which does not cover replacing a unit.")
    if law_in(stated["receipt"]) != law:
        faults.append(
            f"The statement claims {law.title}, but the run was reserved under another accounting rule."
        )
    if stated["claim"]["mu"] != law.mu(units):
        faults.append("The stated mu does not follow from the costs.")
    return faults
