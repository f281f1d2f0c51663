"""The sentences of the statement and the report: written once, said the same way everywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from synth.laws import Law, exact, law_in, rho_of, upwards
from synth.measure.ledger import Claim, lapse_told
from synth.schema import LineBreaks, Neighbours, Unit

if TYPE_CHECKING:
    from synth.synthesis import Privacy


def rows(unit: Unit) -> str:
    """How many rows one unit can fill."""
    return "one row" if unit.max_rows == 1 else f"at most {unit.max_rows} rows"


def promise(privacy: Privacy) -> str:
    """The guarantee in one sentence, or two."""
    return (
        f"For any two neighbouring tables, no set of outputs of this release is more than e^epsilon times as "
        f"likely from the one as from the other, up to a slack of delta, with epsilon = "
        f"{exact(privacy.epsilon)} and delta = {exact(privacy.delta)}. The output is the whole bundle: the "
        "synthetic table, the noisy measurements, the checks, the report and this statement together."
        f"{privacy.law.as_a_whole(privacy.units)}"
    )


def share_at_most(share: float) -> str:
    """An upper limit on a share, rounded up to a tenth of a per cent.

    >>> share_at_most(0.0312), share_at_most(0.031), share_at_most(0.0004)
    ('3.2 %', '3.1 %', 'under 0.1 %')
    """
    return "under 0.1 %" if share < 0.001 else f"{math.ceil(1000 * share - 1e-9) / 10:.1f} %"


def neighbours(privacy: Privacy) -> dict[str, str]:
    """The neighbouring relation, in words and formally."""
    who, most = privacy.unit.name, privacy.unit.max_rows
    if privacy.neighbours is Neighbours.REPLACE:
        return {
            "words": f"Two tables are neighbours if one becomes the other when the rows of one {who} "
            f"({rows(privacy.unit)}) are replaced by those of another ({rows(privacy.unit)}). The number of "
            "rows is public: it was typed and not counted, and is the same for both.",
            "formal": f"D ~ D' iff D' = (D - R) + R' as multisets of rows, |R| <= {most} and |R'| <= {most}, "
            "where R and R' each belong to one unit",
        }
    return {
        "words": f"Two tables are neighbours if one of them lacks the rows of one {who} "
        f"({rows(privacy.unit)}) and they agree in everything else. Whether a given {who} is in the table, "
        "and how many rows it has, are protected too.",
        "formal": f"D ~ D' iff D' = D + R or D = D' + R as multisets of rows, |R| <= {most}, where R "
        "belongs to one unit",
    }


RECORDS = {
    LineBreaks.JOIN: "A row is a record as the program reads the file. In a CSV file a text in quotes may "
    "run over several lines, so that stray quotes can join lines; what is compared is the records.",
    LineBreaks.SPLIT: "A row is a record as the program reads the file: in a CSV file one line, whatever the "
    "others hold.",
    LineBreaks.REFUSE: "A row is a record as the program reads the file: in a CSV file one line. That no "
    "text in quotes runs over several lines is stated of both tables; a file in which one does is refused.",
}
"""What the rows of neighbouring tables are, by what a line break inside quotes does."""


def enforcement(unit: Unit) -> str:
    """Who makes sure that one unit fills no more rows than declared."""
    if unit.id_column is not None:
        return (
            f"enforced: before anything was counted, the rows of one {unit.name} were capped at "
            f"{unit.max_rows}, rows with a blank id were left out, and the id column was dropped"
        )
    return "declared by the steward and taken as given; it was not checked against the file"


ACCOUNTING = {
    "delta": "an additive slack on probabilities, chosen by the steward and not derived from the file",
    "accountant": "integer arithmetic in an append-only ledger; each price is committed before a row is "
    "counted",
}


def accounting(privacy: Privacy) -> dict[str, str]:
    """How the prices of the questions became the promise."""
    law = privacy.law
    return {
        "definition": law.definition,
        "composition": law.composition,
        **ACCOUNTING,
        "conversion": law.conversion(privacy.units, delta_bought=privacy.delta_bought),
    }


BOUGHT = {
    "values": "value lists: noisy counts of observed texts against a threshold, (delta, rho)-approximate "
    "zCDP; the counts are not released",
    "magnitudes": "ranges: a noisy histogram on a fixed public grid of magnitudes",
    "tree": "trees over ranges: exact coins (PrivTree), (e, 0)-private and charged rho = e^2 / 2",
    "measure": "merges of rare values: noisy counts of every declared value, published as the proportions in "
    "which merged values are drawn",
}
"""How what the schema left open was bought, by the kind of question."""


def noise(law: Law, *, rehearsal: bool) -> dict[str, str]:
    """What was added to counts."""
    entropy = "the operating system's entropy; there is no seed of the noise, and none is stored"
    if rehearsal:
        entropy = (
            "a seeded generator (REHEARSAL): whoever knows the seed can take the noise off, and no promise "
            "holds"
        )
    return {
        "distribution": law.noise.value,
        "parameter": "sigma^2 = L2^2 / (2 rho) as an exact fraction, where L2 is the most one unit moves "
        "the table",
        "sampler": "exact: random bits are drawn until they settle the outcome, and no rounding of a "
        "floating-point number decides it",
        "entropy": entropy,
    }


SELECTION = (
    "exponential mechanism on integer scores, exactly sampled; a selection with parameter e is charged "
    "rho = e^2 / 8 (bounded range; Cesar and Rogers 2021), where the range is the most by which one unit can "
    "move two scores apart"
)
UNSELECTED = "none: no question of this release was a selection"

POST_PROCESSING = (
    "Everything after an answer (fitting the model, drawing records, decoding, the checks and this bundle) "
    "uses noisy answers and declared facts only, and costs nothing more."
)

TRUST = (
    "Central: the steward holds the table and runs the program. Whoever receives the bundle is treated as an "
    "adversary who may know every row except those of one unit, and who may combine releases."
)

DECLARED = (
    (
        "The schema: column names, value lists, ranges, bins, where blanks are allowed, the unit of "
        "protection and the most rows it fills. They are declared, not computed; had they been read off "
        "the file, the promise would not cover them."
    ),
    "The choice of epsilon, delta, method and options, and the decision to publish.",
)

LEFT_OPEN = {
    "values": "value list",
    "magnitudes": "range",
    "tree": "bins",
    "measure": "merged values",
}


def bought(pieces: Sequence[tuple[str, str]]) -> str:
    """The sentence on what was not declared; `pieces` are kinds of questions and the columns asked about."""
    told = ", ".join(f"{column} ({LEFT_OPEN[kind]})" for kind, column in pieces)
    return f"Not among the declarations is what was bought with budget, which the promise covers: {told}."


BLANKS_AND_RULES = "A blank breaks a rule only where the rule speaks of blank."

RULES = "The rules: they are held to be true of every possible record by law or logic, and are public."


def rows_public(rows: int) -> str:
    """The sentence on a public number of rows."""
    return (
        f"The number of rows, {rows:,}: the steward typed it as a public fact. It was neither counted in the "
        "file nor compared with it."
    )


def void(columns: Sequence[str]) -> str:
    """The sentence that voids the promise for columns whose domain was read from the file."""
    return (
        f"VOID for the domain of {', '.join(columns)}: it was read from the file, which the schema declares "
        "public. If the file is not public, there is no guarantee."
    )


LIMITS = (
    "Time, memory and power used by the private steps are not protected. Do not let outsiders watch a run.",
    "The program, its libraries, the operating system's entropy and the hardware are trusted.",
    (
        "Prices add up only over releases in the same ledger and under the same population. A release made "
        "elsewhere about the same people is not seen here."
    ),
    (
        "What the receipt and the history tell of other runs in the same ledger (what they spent and "
        "reserved, how many entries there were) may follow from their answers. The lifetime promises of "
        "their populations cover that, and not the promise of this release alone."
    ),
    (
        "The promise is about one unit at a time. Facts about the population, or about a group as large "
        "as the noise, can be learned from the release; that is its purpose."
    ),
    "Decisions taken after looking at the private table leave traces that no ledger sees.",
)

NOT_TESTED = (
    (
        "The release does not compare declarations with the file: the unit, the value lists, the ranges, the "
        "rules. Where the steward did, in the app, it stands among the choices made after looking at exact "
        "numbers."
    ),
    "The code is tested (neighbouring tables replayed, samplers against their laws), not formally proved.",
    "No attack was run on this release.",
)


def rho_text(units: int) -> str:
    """Units of the ledger as rho, to four digits.

    >>> rho_text(15_000_000_000)
    '0.015'
    """
    return f"{rho_of(units):.4g}"


def as_of(date: str) -> str:
    """When the figures of the budget line were taken; `date` is the day on which the run was begun."""
    return f"These are the figures at the end of this run, begun on {date}; later releases are not in them."


def history(told: Mapping[str, Any]) -> str:
    """The population's budget line in a sentence or two; `told` is the statement's part of that name."""
    before = told["spent_before_units"]
    own = told["spent_with_this_units"] - before
    others = f"rho {rho_text(before)} on other releases" if before else "nothing on other releases"
    kind = f" All answers up to then were {law_in(told).answers}." if law_in(told).answers else ""
    text = (
        f"In this ledger the population {told['population']} had spent {others} and rho {rho_text(own)} on "
        f"this one.{kind}"
    )
    if told["limit_units"] is not None:
        promised = ""
        if "lifetime" in told:
            epsilon, delta = told["lifetime"]["epsilon"], told["lifetime"]["delta"]
            promised = f"epsilon {upwards(epsilon)} at delta {exact(delta)}, "
        text += (
            f" Of its lifetime limit of {promised}rho {rho_text(told['limit_units'])}, "
            f"rho {rho_text(told['left_units'])} was left."
        )
    if told["reserved_by_open_runs_units"]:
        text += f" Open runs held rho {rho_text(told['reserved_by_open_runs_units'])} in reserve."
    if told.get("lapsed"):
        lifetime = told["lifetime"]["epsilon"], told["lifetime"]["delta"]
        text += f" {lapse_told([Claim(**claim) for claim in told['lapsed']], lifetime)}"
    return text
