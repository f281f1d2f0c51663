"""Verify that a package is complete and consistent, without using the private file or the ledger."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, cast

import pandas as pd

from synth.core.accounting import UNITS_PER_RHO, ZCDP, rho_of
from synth.core.accounting.sampled import sampled_sigma
from synth.core.axis import domain_of
from synth.core.columns.published import Modelled, limits, published, published_axes
from synth.core.domain import Domain
from synth.core.errors import MarginaliaError, Mistake
from synth.core.evidence import MEANS
from synth.core.measurements.half_spaces import HalfSpaces
from synth.core.measurements.logistic import Score as Logistic
from synth.core.measurements.logistic import started
from synth.core.measurements.moments import Block
from synth.core.measurements.noisy import Measurement, NoisyNumbers, NoisyScores, Trained
from synth.core.schema import Neighbours, Provenance
from synth.core.table import CodeTable
from synth.private.queries import (
    Descent,
    Embedding,
    Hits,
    Interaction,
    LogisticScore,
    Marginal,
    MeanScore,
    Moments,
    Scores,
    Sides,
    Training,
    Votes,
)
from synth.private.scores import SCALE, L1Gap, RangeGap, Score
from synth.private.terms import Terms
from synth.release import csv_text, parquet
from synth.release.checks.checks import plain_types
from synth.release.checks.shares import FoundShare
from synth.release.checks.targets import measured_targets
from synth.release.checks.unfit import unfit_shares
from synth.release.codes import columns_on
from synth.release.documents import measurements, papers
from synth.release.documents.datapackage import table_schema
from synth.release.documents.statement import (
    FURTHER,
    UNPUBLISHED,
    check_statement,
    claimed_law,
    is_by_this_software,
    unfit_words,
)
from synth.release.documents.wording import DECLARED
from synth.release.documents.wording import means as means_of
from synth.release.documents.wording import people as people_of
from synth.release.documents.wording import start as start_of
from synth.release.formats.agreement import agrees
from synth.release.formats.content import Content
from synth.release.formats.forms import forms_in
from synth.release.layout import CHECKSUMS, DATAPACKAGE
from synth.release.opened import Bundle, is_zip, open_bundle
from synth.release.plan import Plan
from synth.release.reading.files import unpacked
from synth.release.verdict.asking import queries_about
from synth.release.verdict.figures import Verdict, judged_in, verdict_of
from synth.release.verdict.likely import with_likely_errors
from synth.release.verdict.sentences import sentences as accuracy
from synth.rules import MeasuredShare, parse_rules

ROUNDING = 2e-6
"""Tolerance for rounding.

It applies to proportions in the checks, which are rounded to six digits, and to the noise of a training,
which is a float.
"""

APART_ERRORS = 1e-5
"""Tolerance for the posterior of an error, a share of rows: six digits and the arithmetic of the machine."""

APART = 4
"""Tolerance for the rounding of the starting point of a logistic regression, in units of the stored
coefficients.
"""

NumbersOf = Interaction | Sides | Votes | Embedding | Moments | LogisticScore
"""The queries whose results are not tables."""

OF_NUMBERS: dict[str, NumbersOf] = {
    "interaction": Interaction((), ()),
    "sides": Sides(HalfSpaces((), (), (), ())),
    "votes": Votes((), (), ()),
    "embedding": Embedding((), ()),
    "moments": Moments(Block(()), ()),
    "logistic": LogisticScore(Logistic(Block(()), ()), ()),
}
"""One query of each kind, from which other queries of this kind are restored."""

OF_VERDICT = (MeanScore.ask, Hits.ask)
"""Kinds of queries about the finished rows.

Their descriptions contain only a digest of these rows.
"""

PUBLISHED = (Marginal.ask, *OF_NUMBERS, *OF_VERDICT, Scores.ask, Training.ask)
"""Kinds of queries whose results are in a package. Results of selections are not."""

Published = Measurement | NoisyNumbers | NoisyScores | Trained
"""The results of such queries."""


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The result of a verification.

    `problems` has one sentence per fault. `ok` is True if there are no faults. This is also possible for a
    practice run.
    """

    problems: tuple[str, ...]
    rehearsal: bool = False

    @property
    def ok(self) -> bool:
        return not self.problems


def verify(path: str | Path, *, notebook: papers.Notebook | None = None) -> Verification:
    """Check a bundle, given as its folder or its zip.

    The function checks the checksums; the form and arithmetic of the statement; every noisy measurement
    against a query of the statement, and its noise against its privacy cost; the request, the dictionaries
    and the statement against each other; every cell of the table against the declared domain; the rules; the
    requested target proportions; and the two forms of the table against each other. If `notebook` is passed,
    the notebook is written again and compared. Raises: `Mistake` if there is no package at `path`.
    """
    bundle = open_bundle(path)
    problems = _problems(_checksums, bundle)
    layout = bundle.layout
    if all(name in bundle.files for name in layout.files if name not in layout.later):
        for check in (
            _statement,
            _measurements,
            _agreement,
            _dictionary,
            partial(_papers, notebook=notebook),
            _table,
            _formats,
            _rules,
            _shares,
            _verdict,
            _starts,
        ):
            problems += _problems(check, bundle)
    return Verification(problems=tuple(dict.fromkeys(problems)), rehearsal=bundle.layout.rehearsal)


def _problems(check: Callable[[Bundle], Iterator[str]], bundle: Bundle) -> list[str]:
    """Return the sentences of one check.

    An error in the check also becomes a sentence, because the package may come from an untrusted source.
    """
    named = getattr(check, "func", check).__name__
    try:
        return list(check(bundle))
    except MarginaliaError as error:
        return str(error).split("\n")
    except Exception:
        return [f"The part of the release package read by the check of {named.strip('_')} is damaged."]


def _checksums(bundle: Bundle) -> Iterator[str]:
    files, layout = bundle.files, bundle.layout
    listed: dict[str, str] = {}
    for line in files[CHECKSUMS].decode("utf-8", "replace").splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    for name in layout.files:
        if name not in files and (name in listed or name not in layout.later):
            yield f"{name} is missing."
    for name, content in files.items():
        if is_zip(name):
            yield from _archive(name, content, files)
        elif name not in listed and name != CHECKSUMS:
            yield f"{name} is not in the list of checksums."
        elif name != CHECKSUMS and hashlib.sha256(content).hexdigest() != listed[name]:
            yield f"{name} was changed after the release package was written: its checksum differs."
    for name in sorted(set(listed) - set(files) - set(layout.files)):
        yield f"{name} is listed but missing."


def _archive(name: str, content: bytes, files: Mapping[str, bytes]) -> Iterator[str]:
    try:
        inside = unpacked(io.BytesIO(content), name=name)
    except Mistake as error:
        yield str(error)
        return
    if inside != {path: body for path, body in files.items() if not is_zip(path)}:
        yield f"{name} does not contain the same files as the folder."


def _statement(bundle: Bundle) -> Iterator[str]:
    check_statement(bundle.statement)
    if bundle.statement["release"]["rehearsal"] != bundle.layout.rehearsal:
        yield "The statement and the file names disagree on whether this is a practice run."


def _measurements(bundle: Bundle) -> Iterator[str]:
    """Check every noisy measurement in the package against the query charged for it, and vice versa."""
    evidence, statement = bundle.evidence, bundle.statement
    requested = {
        (part["part"], q["step"]): q
        for part in statement["spend"]
        for q in part["questions"]
        if q["question"] in PUBLISHED and part["part"] != UNPUBLISHED
    }
    if not measurements.scores(
        evidence
    ):  # a bundle of an earlier version, or a further table from its measurements
        requested = {place: q for place, q in requested.items() if q["question"] != Scores.ask}
    tables = measurements.tables(evidence)
    each: list[tuple[str, Published]] = [
        *((f"Noisy table {number}", measured) for number, measured in enumerate(tables)),
        *((f"Entry {number} of numbers", n) for number, n in enumerate(measurements.numbers(evidence))),
        *(
            (f"Batch {number} of noisy scores", batch)
            for number, batch in enumerate(measurements.scores(evidence))
        ),
        *((f"Block {number} of the training", block) for number, block in enumerate(evidence.trained)),
    ]
    plan = bundle.plan()
    if sum(answer.part == MEANS for _, answer in each) != len(plan.means):
        yield "The request and the measurements disagree on which means and regressions were measured."
    for name, answer in each:
        question = requested.pop((answer.part, answer.step), None)
        kind, cliques = _requested(answer)
        if question is None or question["question"] != kind or question["cliques"] != cliques:
            yield f"{name} does not belong to any query of the statement."
        elif question["units"] != answer.units:
            yield f"{name} and the statement disagree on its cost."
        elif not _is_answer(answer, statement, evidence.domain, plan):
            yield f"{name} does not fit the query that it states."
        elif not _fair(answer, statement):
            yield f"{name} has less noise than its cost requires."
        elif claimed_law(statement) not in (ZCDP, answer.law):
            yield f"{name} has noise for which the statement's claim is not known to be valid."
    for (part, step), question in requested.items():
        what = "table" if question["question"] == Marginal.ask else "answer"
        yield f"The {what} of part {part!r}, step {step} was charged but is not among the measurements."


def _requested(answer: Published) -> tuple[str, list[list[str]]]:
    """Return the kind of a measured query, and its tables as listed in the statement.

    Scores have no tables.
    """
    if isinstance(answer, NoisyScores):
        return Scores.ask, []
    if isinstance(answer, Measurement):
        return Marginal.ask, [list(answer.clique)]
    return str(answer.requested["ask"]), [
        list(answer.requested["clique"])
    ] if "clique" in answer.requested else []


def _is_answer(
    answer: Published,
    statement: Mapping[str, Any],
    domain: Domain,
    plan: Plan,
) -> bool:
    """Whether the query is valid for this domain, and the result has the right number of values.

    Sums for means and regressions must belong to a formula of the request, in the codes of its lattices.

    `measurements.read` has already made these checks for tables and scores.
    """
    if isinstance(answer, NoisyNumbers) and answer.requested["ask"] in OF_VERDICT:
        return answer.values.shape == ((2,) if answer.requested["ask"] == Hits.ask else (1,))
    if isinstance(answer, NoisyNumbers):
        question = _restored(answer)
        if isinstance(question, Moments | LogisticScore):
            is_logistic = isinstance(question, LogisticScore)
            block = question.score.block if isinstance(question, LogisticScore) else question.block
            if block not in plan.blocks(logistic=is_logistic):
                return False
            domain = domain_of(plan.sums[1])
        return (
            question.fits(domain)
            and question.facts(_terms(answer, statement)) == dict(answer.requested)
            and question.shape(domain) == answer.values.shape
            and question.scale == answer.scale
        )
    if isinstance(answer, Trained):
        return (
            answer.net.sizes == domain.shape(tuple(answer.requested["clique"])) and _descent(answer).is_sound
        )
    return True


def _fair(answer: Published, statement: Mapping[str, Any]) -> bool:
    """Whether the noise is at least as large as the privacy cost requires.

    The function checks sigma^2 >= L2^2 / (2 rho) in exact arithmetic, with the unit and the neighbours of the
    statement. For training, it uses `sampled`, for all orders on which the claim depends.
    """
    terms = _terms(answer, statement)
    if isinstance(answer, Trained):
        descent, most = _descent(answer), answer.requested["most"]
        price = rho_of(answer.units) / descent.steps
        least = sampled_sigma(price, rate=descent.rate, rows=terms.rows, most=float(most))
        is_read = answer.law.covers(answer.requested, statement["budget"]["reserved_units"])
        return is_read and not terms.replaces and answer.sigma >= least * (1 - ROUNDING)
    change: Fraction | int
    if isinstance(answer, NoisyScores):
        change = Fraction(Scores(cast(Score, answer.score)).l2_squared(terms), SCALE**2)
    elif isinstance(answer, NoisyNumbers) and answer.requested["ask"] in OF_VERDICT:
        change = _verdict_change(answer, terms)
    else:
        change = terms.l2_squared if isinstance(answer, Measurement) else _restored(answer).l2_squared(terms)
    return bool(answer.variance * 2 * Fraction(answer.units, UNITS_PER_RHO) >= change)


def _verdict_change(answer: NoisyNumbers, terms: Terms) -> int:
    """Return the squared L2 sensitivity of a query of the accuracy check, in the units of the query.

    Raises: KeyError for another query.
    """
    if answer.requested["ask"] == Hits.ask:
        return 2 * terms.rows**2 * answer.scale**2
    moved = {L1Gap.name: terms.l1, RangeGap.name: terms.rows}[answer.requested["score"]]
    return (moved * answer.scale) ** 2


def _verdict(bundle: Bundle) -> Iterator[str]:
    """Check that the accuracy check refers to the rows of the table, and that the checks state its
    results.
    """
    evidence, stated = bundle.evidence, bundle.checks.verdict
    if stated is None:
        return
    if not evidence.verdict:
        yield "The checks state a measured error, but the measurements contain none."
        return
    if not stated.is_of_this_table:
        if stated.predicted:
            yield "The checks state predictions that were measured for another table."
        return
    requested = queries_about(
        CodeTable(evidence.domain, bundle.codes),
        evidence.total,
        target=None,
        widest=judged_in(evidence.verdict),
    )
    found = verdict_of(evidence.verdict, requested, total=evidence.total, total_sd=evidence.total_sd)
    if found.means.keys() != stated.means.keys():
        yield "The accuracy was measured for rows that differ from the rows of the table."
        return
    rows = CodeTable(evidence.domain, bundle.codes)
    likely = with_likely_errors(found, evidence, rows, bundle.checks.bounds)
    if any(one.likely for one in stated.tables) and not _same_errors(stated, likely):
        yield "The checks state errors of single tables that do not follow from the measured ones."
    for name, figure in found.means.items():
        if abs(figure.estimate - stated.means[name].estimate) > ROUNDING:
            yield f"The checks state a mean error of {name} that differs from the measured one."


def _same_errors(stated: Verdict, found: Verdict) -> bool:
    """Return whether the posteriors of all errors are equal up to rounding."""
    figures = [
        [x for one in verdict.tables if one.likely for x in (one.likely.estimate, *one.likely.quantiles)]
        for verdict in (stated, found)
    ]
    same = zip(*figures, strict=False)
    return len(figures[0]) == len(figures[1]) and all(abs(a - b) <= APART_ERRORS for a, b in same)


def _starts(bundle: Bundle) -> Iterator[str]:
    """Check that the scores of logistic regressions start from the fits to the rows of the table.

    A table that was generated later has other rows, so it is not checked.
    """
    answers = [a for a in bundle.evidence.numbers if a.requested["ask"] == LogisticScore.ask]
    if not answers or bundle.spec.get("is_further"):
        return
    table = Modelled(parquet.ByColumn(bundle.files[bundle.layout.parquet]), bundle.evidence.codebook.schema)
    columns = columns_on(table, bundle.plan().sums[1])
    for answer in answers:
        stated = Logistic.of(answer.requested)
        fitted = started(stated.block, columns).start
        if any(abs(one - other) > APART for one, other in zip(stated.start, fitted, strict=True)):
            outcome = stated.block.terms[-1].name
            yield f"The logistic regression of {outcome} does not start from a fit to the rows of the table."


def _terms(answer: Published, statement: Mapping[str, Any]) -> Terms:
    neighbours = Neighbours(statement["neighbours"])
    return Terms(rows=statement["unit"]["max_rows"], neighbours=neighbours, law=answer.law)


def _restored(answer: NoisyNumbers) -> NumbersOf:
    """Return the query from its description. Raises: `KeyError`, `ValueError` for an invalid description."""
    return OF_NUMBERS[answer.requested["ask"]].restored(answer.requested, None)


def _descent(answer: Trained) -> Descent:
    return Descent(**{field.name: answer.requested[field.name] for field in fields(Descent)})


def _agreement(bundle: Bundle) -> Iterator[str]:
    statement, spec, schema = bundle.statement, bundle.spec, bundle.schema
    pairs = {
        "epsilon": (spec["epsilon"], statement["epsilon"]),
        "delta": (spec["delta"], statement["delta"]),
        "the method": (spec["method"], statement["method"]["name"]),
        "the neighbours": (schema.neighbours.value, statement["neighbours"]),
        "the privacy unit": (
            [schema.unit.name, schema.unit.max_rows],
            [statement["unit"]["name"], statement["unit"]["max_rows"]],
        ),
        "the population": (schema.population, statement["history"]["population"]),
    }
    for what, (requested, stated) in pairs.items():
        if requested != stated:
            yield f"The spec and the statement disagree on {what}."
    if bundle.evidence.codebook.schema != schema:
        yield "The spec and the measurements disagree on the schema."
    if is_by_this_software(statement):
        plan = bundle.plan()
        measured = means_of(plan.means, bundle.evidence)
        if statement.get("means", []) != measured:
            yield "The statement and the measurements disagree on means and regressions."
        started = start_of(bundle.evidence)
        if started is not None and started not in statement["outside_the_guarantee"]:
            yield "The statement and the measurements disagree on the starting table."
        outside = statement["outside_the_guarantee"]
        declared = people_of(plan.people, plan.new_to, schema.unit)
        if [line for line in outside if line.startswith(DECLARED)] != (
            [] if declared is None else [declared]
        ):
            yield "The spec and the statement disagree on who is in the table."
    further = FURTHER if bundle.spec.get("is_further") else None
    if is_by_this_software(statement) and statement.get("further") != further:
        yield "The spec and the statement disagree on whether the rows were made again."
    if is_by_this_software(statement):
        unfit = unfit_words(bundle.checks, bundle.evidence.codebook)
        if plain_types(unfit_shares(bundle.evidence)) != plain_types(bundle.checks.unfit):
            yield "The measurements and the checks disagree on the cells that do not fit."
        if statement.get("unfit", []) != unfit:
            yield "The statement and the checks disagree on the cells that do not fit."
    checks, stated = bundle.checks, statement.get("accuracy")
    if (stated is None) != (checks.verdict is None):
        yield "The statement and the checks disagree on whether the accuracy was measured."
    elif checks.verdict is not None and is_by_this_software(statement):
        found = accuracy(checks.verdict, checks.confidence, bundle.evidence.codebook.titles)
        yield from ["The statement and the checks disagree on the accuracy."] * (found != stated)


def _dictionary(bundle: Bundle) -> Iterator[str]:
    package = bundle.json(DATAPACKAGE)
    for resource in package["resources"]:
        content = bundle.files.get(resource["path"])
        digest = "" if content is None else f"sha256:{hashlib.sha256(content).hexdigest()}"
        if (
            content is None
            or resource.get("bytes", len(content)) != len(content)
            or resource["hash"] != digest
        ):
            yield f"{DATAPACKAGE} and {resource['path']} disagree on its size or hash."
    described = package["resources"][0]["schema"]
    for field in described["fields"]:  # earlier versions call a source by another name
        if "provenance" in field:
            field["provenance"] = Provenance(field["provenance"]).value
    if described != json.loads(json.dumps(table_schema(bundle.schema))):
        yield f"{DATAPACKAGE} does not describe the columns of the schema."


def _papers(bundle: Bundle, *, notebook: papers.Notebook | None) -> Iterator[str]:
    """Check the documents that repeat the same facts in another form.

    The documents are not compared if an older version of the program wrote them.
    """
    if is_by_this_software(bundle.statement):
        written = papers.for_programs(bundle, bundle.statement, notebook=notebook)
        for name, content in written.items():
            if bundle.files.get(name, content) != content:
                yield f"{name} differs from what the statement and the schema state."


def _formats(bundle: Bundle) -> Iterator[str]:
    """Check that the table has the same content in all formats."""
    forms = forms_in(bundle.files, bundle.layout)
    content = Content.of(bundle) if forms and is_by_this_software(bundle.statement) else None
    for form in forms:
        path = form.path(bundle.layout)
        if content is not None and not agrees(form, bundle.files[path], content):
            yield f"{path} differs from the synthetic table."


def _table(bundle: Bundle) -> Iterator[str]:
    for name, cells in bundle.table.outside.items():
        if cells:
            yield f"Column {name!r} of the synthetic table has {cells} cells outside its declared domain."
    frame, axes = parquet.read(bundle.files[bundle.layout.parquet]), published_axes(bundle.evidence.codebook)
    if all(csv_text.write(frame, axes, padded=padded) != bundle.text for padded in (True, False)):
        yield "The CSV file and the Parquet file of the synthetic table differ."
    schema, read = bundle.evidence.codebook.schema, bundle.table.frame
    values = bundle.values
    for column, over, _ in limits(values, schema):
        if over.any():
            yield f"Column {column.name!r} of the synthetic table has {over.sum()} values above its limit."
    made = published(values, schema)
    for column in schema.published:
        if column in schema.modelled or _same(made[column.name], read[column.name]):
            continue
        if column.formula:
            yield f"Column {column.name!r} of the synthetic table is not computed by its formula."
        elif column.id_format:
            yield f"Column {column.name!r} of the synthetic table does not contain the generated IDs."
        else:
            yield f"Column {column.name!r} of the synthetic table has cells that do not fit the declaration."


def _same(one: pd.Series[Any], other: pd.Series[Any]) -> bool:
    """Whether two columns have the same values, even if their types differ."""
    both = ([None if pd.isna(cell) else cell for cell in column.tolist()] for column in (one, other))
    return next(both) == next(both)


def _rules(bundle: Bundle) -> Iterator[str]:
    rules = parse_rules(bundle.spec["rules"], bundle.evidence.codebook.schema)
    for rule, rows in rules.violations(bundle.values).items():
        if rows:
            yield f"{rows} synthetic rows break the rule: {rule}."


def _shares(bundle: Bundle) -> Iterator[str]:
    """Check that the stated target proportions agree with the table and with the declared or measured
    values.
    """
    evidence = bundle.evidence
    rules = parse_rules(bundle.spec["rules"], evidence.codebook.schema)
    by_sentence = {share.sentence: share for share in bundle.checks.shares}
    targets = measured_targets(
        rules.coded_shares(evidence.codebook),
        evidence,
        confidence=bundle.checks.confidence,
        combine=any(share.interval for share in bundle.checks.shares),
    )
    requested = {share.coded.sentence: share for share in targets}
    if len(evidence.shares) != rules.measured_shares:
        yield "The rules and the measurements disagree on which shares were measured."
    if by_sentence.keys() != {rule.sentence for rule, _ in rules.shares}:
        yield "The rules and the checks disagree on which shares were requested."
        return
    for sentence, reached in rules.shares_of(bundle.values).items():
        if abs(by_sentence[sentence].reached - reached) > ROUNDING:
            yield f"The checks state a share that differs from that of the table, for the rule: {sentence}."
        if sentence in requested and _differs(by_sentence[sentence], requested[sentence]):
            yield f"The checks state a number that differs from the requested one, for the rule: {sentence}."


def _differs(stated: FoundShare, requested: MeasuredShare) -> bool:
    """Return whether a stated target proportion, its noise or its interval is not the requested one."""
    sigma = requested.sigma if requested.noisy is not None else None
    pairs = [(stated.wanted, requested.wanted), (stated.noisy, requested.noisy), (stated.sigma, sigma)]
    if stated.interval is not None:
        pairs += zip(stated.interval, requested.interval or (None, None), strict=True)
    return any((a is None) != (b is None) or abs((a or 0.0) - (b or 0.0)) > ROUNDING for a, b in pairs)
