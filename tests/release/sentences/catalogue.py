"""What each sentence of the papers claims, and whether it is true of a run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from synth.core.errors import Mistake
from synth.core.schema import Provenance
from synth.mechanisms import MECHANISMS
from synth.models.registry import GENERATORS
from tests.release.sentences.accuracy import (
    beyond,
    bounds_line,
    bounds_of,
    drawn,
    errors_drawn,
    is_like_a_sample,
    is_limited,
    is_measured,
    only_value_drawn,
    pairs_drawn,
    predicts,
    reads_columns_alone,
    within,
)
from tests.release.sentences.declarations import (
    are_ranges,
    asks,
    declared,
    has_share,
    has_void,
    is_capped,
    is_estimated,
    is_summed,
    kept,
    reasons,
    taken_up,
    tiled,
    tilings,
)
from tests.release.sentences.guarantee import (
    buying,
    converts,
    is_just_above,
    leans,
    made_by,
    named,
    rho,
    signed,
    trains_as_stated,
    trains_by_steps,
    versions,
)
from tests.release.sentences.misfits import is_impossible, misfits

Run = Any
"""`conftest.Run`; pytest does not let tests import from there."""
Check = Callable[..., object]


HERE = Path(__file__).parent


def _in_words(beyond: float) -> str:
    return "none" if not beyond else "under 0.1%" if beyond < 0.001 else f"{100 * beyond:.1f}%"


KINDS_BOUGHT = ("values", "magnitudes", "tree", "measure")

WHEN: dict[str, Check] = {
    "every run": lambda run: True,
    "Gaussian": lambda run: run.is_gaussian,
    "rounded noise": lambda run: run.is_gaussian or run.is_trained,
    "trains": lambda run: run.is_trained,
    "real": lambda run: not run.rehearsal,
    "rehearsal": lambda run: run.rehearsal,
    "taken as given": lambda run: run.plan.schema.unit.id_column is None,
    "selects": lambda run: "choose" in run.requested,
    "does not select": lambda run: "choose" not in run.requested,
    "scores only": lambda run: "score" in run.requested and "choose" not in run.requested,
    "asks no score": lambda run: not run.requested & {"score", "choose"},
    "buys nothing": lambda run: not run.estimated,
    "takes up": lambda run: len(taken_up(run)) > 0,
    "has rules": lambda run: len(reasons(run)) > 0,
    "has no rules": lambda run: len(reasons(run)) == 0,
    "has shares": lambda run: len(asks(run)) > 0,
    "declares a share": lambda run: any(s.wanted is not None and not s.hides for s in asks(run)),
    "types a share": lambda run: any(s.wanted is not None for s in asks(run)),
    "hides a share": lambda run: any(s.hides for s in asks(run)),
    "replaces": lambda run: run.replaces,
    "joins lines": lambda run: run.plan.schema.file.line_breaks.value == "join",
    "splits lines": lambda run: run.plan.schema.file.line_breaks.value == "split",
    "refuses joined lines": lambda run: run.plan.schema.file.line_breaks.value == "refuse",
    "a Gaussian line": lambda run: run.line_law == "gaussian",
    "raised": lambda run: run.lapsed is not None,
    "beyond the limit": lambda run: run.imprint.beyond != "",
    "nothing recorded": lambda run: run.imprint.decisions == (),
    "asks for sums": lambda run: "embedding" in run.requested,
    "asks for no sums": lambda run: not run.requested & {"embedding", "train"},
    "keeps counts alone": lambda run: not run.requested & {"embedding", "train", "interaction", "score"},
    "keeps scores": lambda run: "score" in run.requested and "interaction" not in run.requested,
    "measures sums": lambda run: bool(run.plan.means),
    "asks for votes": lambda run: "votes" in run.requested,
    "asks for interactions": lambda run: "interaction" in run.requested,
    "asks for sides": lambda run: {"sides", "choose"} <= run.requested,
    "has tilings": lambda run: len(tilings(run)) > 0,
    "weighs by tilings": lambda run: len(tilings(run)) > 0 and made_by(run) == "blend",
    "passes tilings over": lambda run: len(tilings(run)) > 0 and made_by(run) != "blend",
    "reads columns alone": reads_columns_alone,
    "does not train": lambda run: not run.is_trained,
    "trains by steps": trains_by_steps,
    "makes counts consistent": lambda run: leans(run) == "counts",
    "comes from a trained network": lambda run: leans(run) == "trained",
    "comes from a fitted network": lambda run: leans(run) == "network",
    "comes of votes": lambda run: leans(run) == "votes",
    "selects tables alone": lambda run: "choose" in run.requested and "sides" not in run.requested,
    "is judged": lambda run: "verdict" in run.checks and run.checks["verdict"]["is_of_this_table"],
    "is made again": lambda run: run.name.endswith(" again"),
    "is another table": lambda run: "verdict" in run.checks and not run.checks["verdict"]["is_of_this_table"],
    "has a verdict": lambda run: "verdict" in run.checks,
    "has no verdict": lambda run: "verdict" not in run.checks,
    "has predictions": lambda run: bool(run.checks.get("verdict", {}).get("predicted")),
    "has groups": lambda run: any("coarse_kind" in b for b in run.checks["bounds"]),
    "has groups only": lambda run: any(b["tvd"] is None and "coarse_tvd" in b for b in run.checks["bounds"]),
    "confidence of 95": lambda run: run.plan.confidence == 0.95 == run.checks["confidence"],
    "doubts a rule": lambda run: any(f["code"] == "rule_doubted" for f in run.checks["flags"]),
    "has misfits": lambda run: len(misfits(run)) > 0,
    "has first steps in R": lambda run: (
        b": first steps in R\n" in run.opened.files.get(run.opened.layout.script, b"")
    ),
    "void": lambda run: any(c.provenance is Provenance.READ_FROM_FILE for c in run.plan.schema.modelled),
    **{f"buys {kind}": buying(kind) for kind in KINDS_BOUGHT},
}

"""The sections of `fixed.txt`, sentences without a figure: of which runs they are true."""

FIXED: dict[str, Check] = {
    sentence: WHEN[name]
    for name, section in re.findall(
        r"^\[(.+)\]\n((?:[^\[\n].*\n)+)",
        (HERE / "fixed.txt").read_text("utf-8"),
        re.M,
    )
    for sentence in section.splitlines()
}

WHO, NUMBER = r"(?P<who>[\w ]+?)", r"[\d.e+-]*\d"

CHECKS: dict[str, Check] = {
    "head": lambda run, rows, columns, id, day, population: (
        (int(rows.replace(",", "")), int(columns)) == run.table.shape
        and named(run, id, day)
        and (population == run.plan.schema.population)
    ),
    "tilings": tiled,
    "sides by a label": lambda run, label: (
        {label} == {a.query["label"] for a in run.answers if a.query["ask"] == "sides"}
    ),
    "intended use": lambda run, use: use == run.imprint.purpose != "",
    "whoever reads this": lambda run, who, again, how: (
        who == again == run.unit
        and how == ("had the rows of another" if run.replaces else "did not contain that")
    ),
    "neighbours added or removed": lambda run, who, most: (
        not run.replaces and (who, most) == (run.unit, run.rows_of_one)
    ),
    "whether and how many rows": lambda run, who: not run.replaces and who == run.unit,
    "neighbours replaced": lambda run, who, most, again: (
        run.replaces and (who, most, again) == (run.unit, run.rows_of_one, run.rows_of_one)
    ),
    "formally added or removed": lambda run, most: (
        not run.replaces and int(most) == run.plan.schema.unit.max_rows
    ),
    "formally replaced": lambda run, most, again: (
        run.replaces and int(most) == int(again) == run.plan.schema.unit.max_rows
    ),
    "rows that were typed": lambda run, rows: rows == f"{run.plan.schema.rows_public:,}",
    "epsilon": lambda run, epsilon: float(epsilon) == run.plan.epsilon,
    "delta": lambda run, delta: float(delta) == run.plan.delta,
    "mu": lambda run, stated: run.is_gaussian and is_just_above(stated, run.mu),
    "rho": lambda run, stated: not run.is_gaussian and is_just_above(stated, run.plan.units * 1e-12),
    "protects one": lambda run, who, most: (who, most.replace("≤", "at most")) == (run.unit, run.rows_of_one),
    "take somebody who": lambda run, who, whom: run.unit in (who, whom),
    "after it": lambda run, stated: stated == run.guess,
    "they may accuse": lambda run, stated: stated == run.caught,
    "right guesses out": lambda run, stated: stated == run.guess,
    "whether in the table": lambda run, who: not run.replaces and who == run.unit,
    "hidden and open": lambda run, who, whom: run.unit in (who, whom),
    "promise": lambda run, epsilon, delta: (
        (float(epsilon), float(delta)) == (run.plan.epsilon, run.plan.delta)
    ),
    "promise as mu": lambda run, stated: run.is_gaussian and is_just_above(stated, run.mu),
    "bar of spending": lambda run, what, share: run.spent.get(what) == share,
    "bar of the line": lambda run, what, share: run.line.get(what) == share,
    "history": lambda run, population, others, own: (
        population == run.plan.schema.population
        and own == run.part(run.own)
        and (others == (run.part(run.others) if run.others else "nothing"))
    ),
    "lost": lambda run, share: share == run.part(run.whole - run.limit) != "0.0%",
    "several releases": lambda run, guess, caught: (
        (guess or caught) == run.odds_of_all(run.others + run.held)[guess is None]
    ),
    "all of the budget": lambda run, kind, guess, caught: (
        (guess, caught) == run.odds_at_limit and (kind is not None) is (run.line_law == "gaussian")
    ),
    "count of three": lambda run, which, table, low, high: (
        (table, int(low), int(high)) in run.counts_of_three(max if which == "least" else min)
    ),
    "lifetime limit": lambda run, epsilon, delta, limit, left: (
        (limit, left) == (rho(run.limit), run.part(run.limit - run.others - run.own - run.held))
        and is_just_above(epsilon, run.lifetime[0])
        and float(delta) == run.lifetime[1]
    ),
    "lapsed": lambda run, epsilon, delta: (float(epsilon), float(delta)) == run.lapsed,
    "private training": trains_as_stated,
    "raised": lambda run, epsilon, delta: run.lapsed and (float(epsilon), float(delta)) == run.lifetime,
    "reserve": lambda run, held: held == run.part(run.held) != "0.0%",
    "as of": lambda run, day: day in run.days,
    "every noisy count": lambda run, law, source: FIXED[law or source](run),
    "method records drawn": lambda run, method, generator: (
        (method, generator) == (MECHANISMS[run.plan.method].title, GENERATORS[made_by(run)].title)
    ),
    "conversion": converts,
    "estimated with budget": lambda run, how: (
        run.estimated
        and how
        == "; ".join(
            (sentence for sentence, check in FIXED.items() if check.__name__ == "buys" and check(run))
        )
    ),
    "software": lambda run, stated: (
        stated
        == ", ".join(f"{n} {v}" for n, v in versions(network=bool(run.requested & {"embedding", "sides"})))
    ),
    "line of a part": lambda run, part, what, stated: (
        what == run.questions(part) and stated == rho(run.units_of(part))
    ),
    "line of the sum": lambda run, stated: stated == rho(run.plan.units),
    "line of bounds": bounds_line,
    "rules kept": kept,
    "residuals": lambda run, cells, share: (
        int(cells.replace(",", "")) == beyond(run)[0] and share == _in_words(beyond(run)[1])
    ),
    "picture of a column": drawn,
    "bound of a column": lambda run, column, bound: bound == within(bounds_of(run)[column]),
    "picture of a column often blank": drawn,
    "picture of a column of one value": only_value_drawn,
    "picture of pairs": pairs_drawn,
    "picture of errors": errors_drawn,
    "sums of a formula": is_summed,
    "ranges of a formula": are_ranges,
    "unit": lambda run, who, most, how: (who, most) == (run.unit, run.rows_of_one) and is_true(run, how),
    "enforced": is_capped,
    "bounds under a cap": lambda run, who, most: (
        is_capped(run, who, str(run.plan.schema.unit.max_rows)) and most == run.rows_of_one
    ),
    "bias of a cap": lambda run, who: is_capped(run, who or run.unit, str(run.plan.schema.unit.max_rows)),
    "left open": lambda run, stated: (
        stated == ", ".join((f"{column} ({kind})" for column, kind in run.estimated.items())) != ""
    ),
    "taken up": lambda run, stated: stated == ", ".join(taken_up(run).values()),
    "share asked for": has_share,
    "share bought": is_estimated,
    "source of a share": lambda run, stated: (
        stated in [r.because for r, s in run.plan.rules.shares if s.wanted]
    ),
    "impossible values": is_impossible,
    "rule with its reason": lambda run, stated: stated in reasons(run),
    "void": has_void,
    "line of a column": declared,
    "line of the log": lambda run, stated: stated in run.imprint.decisions,
    "second command": lambda run, path: path in (None, run.opened.layout.statement),
    "signature": signed,
    "title": lambda run, title, alone: run.plan.schema.name in ("first", title, alone),
    "readme head": lambda run, rows, id, day: (
        int(rows.replace(",", "")) == len(run.table) and named(run, id, day)
    ),
    "readme promise": lambda run, who, epsilon, delta, neighbours, most: (
        (who, float(epsilon), float(delta), neighbours, int(most))
        == (
            run.unit,
            run.plan.epsilon,
            run.plan.delta,
            run.plan.schema.neighbours.value,
            run.plan.schema.unit.max_rows,
        )
    ),
    "line of a file": lambda run, paths, what: (
        f"{paths.replace('REHEARSAL-', '')} | {what}" in FIXED
        and all(path in run.opened.files for path in paths.split(", "))
    ),
    "readme advice": lambda run, path: path == run.opened.layout.measurements,
    "readme command": lambda run, path: path == run.opened.layout.spec,
    "citation": lambda run, mark, name, id, day, version: (
        named(run, id, day)
        and (mark is not None, name, dict(versions())["marginalia"])
        == (run.rehearsal, run.plan.schema.name, version)
    ),
    "contact": lambda run, stated: stated == run.imprint.contact != "",
    "measured error": is_measured,
    "limit of the error": is_limited,
    "predictions": predicts,
    "as a sample": is_like_a_sample,
}

"""What the patterns of `patterns.txt` claim, by their names there; a check is told the pattern's groups."""

SHARE = r"\d+(?:\.\d)?"

SAID: list[tuple[str, Check]] = [
    (pattern.replace("{WHO}", WHO).replace("{NUMBER}", NUMBER).replace("{SHARE}", SHARE), CHECKS[name])
    for name, pattern in re.findall(
        r"^\[([a-z ]+)\]\n(.+)$", (HERE / "patterns.txt").read_text("utf-8"), re.M
    )
]


def split(line: str) -> list[str]:
    return re.split(r"(?<=[.!?]) +(?=[A-Z●∅])", line)


def is_true(run: Run, sentence: str) -> bool:
    """Whether a flag of the run says this sentence, or a pattern knows it and its check holds."""
    if sentence in FIXED:
        return bool(FIXED[sentence](run))
    if any(
        sentence in (stated, *split(stated)) for stated in (flag["sentence"] for flag in run.checks["flags"])
    ):
        return True
    for pattern, check in SAID:
        found = re.fullmatch(pattern, sentence)
        try:
            if found and check(run, **found.groupdict()):
                return True
        except (Mistake, LookupError, StopIteration, ValueError):
            continue  # the sentence names what this run has not got
    return False


def faults(run: Run, lines: list[str]) -> list[str]:
    """Sentences that nobody knows or that are not true; a whole line may be known as one."""
    return [
        sentence
        for line in lines
        if line and not is_true(run, line)
        for sentence in split(line)
        if not is_true(run, sentence)
    ]
