"""Whether a bundle is whole and says the truth about itself; needs no private file and no ledger."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from synth.answers import Measurement
from synth.errors import MarginaliaError, Mistake
from synth.laws import UNITS_PER_RHO, ZCDP
from synth.release import csv_text, measurements, papers, parquet
from synth.release.datapackage import table_schema
from synth.release.layout import CHECKSUMS, DATAPACKAGE
from synth.release.opened import Bundle, is_zip, open_bundle, unpacked
from synth.release.statement import UNPUBLISHED, check_statement, claimed_law, is_by_this_software
from synth.rules import asked_shares, parse_rules
from synth.schema import Neighbours

ROUNDING = 2e-6
"""Of a share in the checks, which has six digits."""


@dataclass(frozen=True, kw_only=True)
class Verification:
    """`problems` are sentences, one per fault; `ok` if there are none. A rehearsal can be whole, too."""

    problems: tuple[str, ...]
    rehearsal: bool = False

    @property
    def ok(self) -> bool:
        return not self.problems


def verify(path: str | Path) -> Verification:
    """Check a bundle, given as its folder or its zip.

    Checksums; the statement's shape and arithmetic; every noisy table against a question of the statement
    and its noise against its price; spec, dictionaries and statement against each other; every cell of the
    table against the declared domain; the rules; the shares that were asked for; the two forms of the table
    against each other.
    Raises: `Mistake` if there is no bundle at `path`.
    """
    bundle = open_bundle(path)
    problems = _problems(_checksums, bundle)
    if all(name in bundle.files for name in bundle.layout.files):
        for check in (_statement, _measurements, _agreement, _dictionary, _papers, _table, _rules, _shares):
            problems += _problems(check, bundle)
    return Verification(problems=tuple(dict.fromkeys(problems)), rehearsal=bundle.layout.rehearsal)


def _problems(check: Callable[[Bundle], Iterator[str]], bundle: Bundle) -> list[str]:
    """The sentences of one check; total, for a bundle may come from anybody."""
    try:
        return list(check(bundle))
    except MarginaliaError as error:
        return str(error).split("\n")
    except Exception:
        return [f"The part of the bundle read by the check of {check.__name__.strip('_')} is damaged."]


def _checksums(bundle: Bundle) -> Iterator[str]:
    files, layout = bundle.files, bundle.layout
    listed: dict[str, str] = {}
    for line in files[CHECKSUMS].decode("utf-8", "replace").splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    for name in layout.files:
        if name not in files:
            yield f"{name} is not there."
    for name, content in files.items():
        if is_zip(name):
            yield from _archive(name, content, files)
        elif name not in listed and name != CHECKSUMS:
            yield f"{name} is not in the list of checksums."
        elif name != CHECKSUMS and hashlib.sha256(content).hexdigest() != listed[name]:
            yield f"{name} was changed after the bundle was written: its checksum differs."
    for name in sorted(set(listed) - set(files) - set(layout.files)):
        yield f"{name} is listed but not there."


def _archive(name: str, content: bytes, files: Mapping[str, bytes]) -> Iterator[str]:
    try:
        inside = unpacked(io.BytesIO(content), name=name)
    except Mistake as error:
        yield str(error)
        return
    if inside != {path: body for path, body in files.items() if not is_zip(path)}:
        yield f"{name} does not hold the same files as the folder."


def _statement(bundle: Bundle) -> Iterator[str]:
    check_statement(bundle.statement)
    if bundle.statement["release"]["rehearsal"] != bundle.layout.rehearsal:
        yield "The statement and the file names disagree on whether this is a rehearsal."


def _measurements(bundle: Bundle) -> Iterator[str]:
    statement = bundle.statement
    asked = {
        (part["part"], q["step"]): q
        for part in statement["spend"]
        for q in part["questions"]
        if q["question"] == "measure" and part["part"] != UNPUBLISHED
    }
    for number, measured in enumerate(measurements.tables(bundle.evidence)):
        question = asked.pop((measured.part, measured.step), None)
        if question is None or [list(measured.clique)] != question["cliques"]:
            yield f"Noisy table {number} does not belong to any question of the statement."
        elif question["units"] != measured.units:
            yield f"Noisy table {number} and the statement disagree on its price."
        elif not _fair(measured, statement):
            yield f"Noisy table {number} has less noise than its price requires."
        elif claimed_law(statement) not in (ZCDP, measured.law):
            yield f"Noisy table {number} has noise for which the statement's claim is not known to hold."
    for part, step in asked:
        yield f"The table of part {part!r}, step {step} was charged but is not among the measurements."


def _fair(measured: Measurement, statement: Mapping[str, Any]) -> bool:
    """sigma^2 >= L2^2 / (2 rho) in exact numbers, from the statement's own unit and neighbours."""
    twice = 2 if statement["neighbours"] == Neighbours.REPLACE.value else 1
    change = statement["unit"]["max_rows"] ** 2 * twice
    return bool(measured.variance * 2 * Fraction(measured.units, UNITS_PER_RHO) >= change)


def _agreement(bundle: Bundle) -> Iterator[str]:
    statement, spec, schema = bundle.statement, bundle.spec, bundle.schema
    pairs = {
        "epsilon": (spec["epsilon"], statement["epsilon"]),
        "delta": (spec["delta"], statement["delta"]),
        "the method": (spec["method"], statement["method"]["name"]),
        "the neighbours": (schema.neighbours.value, statement["neighbours"]),
        "the unit of protection": (
            [schema.unit.name, schema.unit.max_rows],
            [statement["unit"]["name"], statement["unit"]["max_rows"]],
        ),
        "the population": (schema.population, statement["history"]["population"]),
    }
    for what, (asked, stated) in pairs.items():
        if asked != stated:
            yield f"The spec and the statement disagree on {what}."
    if bool(spec.get("held_back", 0.0)) != bool(bundle.evidence.held_back):
        yield "The spec and the measurements disagree on whether anything was held back for comparing."
    if bundle.evidence.codebook.schema != schema:
        yield "The spec and the measurements disagree on the schema."


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
    if package["resources"][0]["schema"] != json.loads(json.dumps(table_schema(bundle.schema))):
        yield f"{DATAPACKAGE} does not describe the columns of the schema."


def _papers(bundle: Bundle) -> Iterator[str]:
    """Papers that say the same in another form; an older program's words are its own."""
    if is_by_this_software(bundle.statement):
        written = papers.for_programs(bundle.schema, bundle.evidence.codebook, bundle.files, bundle.statement)
        for name, content in written.items():
            if bundle.files[name] != content:
                yield f"{name} does not say what the statement and the schema say."


def _table(bundle: Bundle) -> Iterator[str]:
    for name, cells in bundle.table.outside.items():
        if cells:
            yield f"Column {name!r} of the synthetic table has {cells} cells outside its declared domain."
    frame, axes = parquet.read(bundle.files[bundle.layout.parquet]), bundle.evidence.codebook.axes
    if all(csv_text.write(frame, axes, padded=padded) != bundle.text for padded in (True, False)):
        yield "The CSV and the Parquet form of the synthetic table differ."


def _rules(bundle: Bundle) -> Iterator[str]:
    rules = parse_rules(bundle.spec["rules"], bundle.evidence.codebook.schema)
    for rule, rows in rules.violations(bundle.values).items():
        if rows:
            yield f"{rows} synthetic rows break the rule: {rule}."


def _shares(bundle: Bundle) -> Iterator[str]:
    """Shares that rules ask for: told as the table has them, and as they were declared or bought."""
    evidence = bundle.evidence
    rules = parse_rules(bundle.spec["rules"], evidence.codebook.schema)
    told = {share.sentence: share for share in bundle.checks.shares}
    asked = {s.coded.sentence: s for s in asked_shares(rules.coded_shares(evidence.codebook), evidence)}
    if len(evidence.shares) != rules.bought_shares:
        yield "The rules and the measurements disagree on which shares were bought."
    if told.keys() != {rule.sentence for rule, _ in rules.shares}:
        yield "The rules and the checks disagree on which shares were asked for."
        return
    for sentence, reached in rules.shares_of(bundle.values).items():
        if abs(told[sentence].reached - reached) > ROUNDING:
            yield f"The checks tell another share than the table has, of the rule: {sentence}."
        if sentence in asked and abs(told[sentence].wanted - asked[sentence].wanted) > ROUNDING:
            yield f"The checks tell another number than was asked for, of the rule: {sentence}."
