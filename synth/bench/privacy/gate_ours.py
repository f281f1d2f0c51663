"""Record one of our methods in a real private session, then replay it without a table.

The session returns only answers that were charged. So a method is replayed from its transcript alone
(`private.replay`), which refuses any other query or cost. The exact numbers behind every query are computed
here from the query itself, on public tables: they show the noise, and what a neighbouring table would change.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.bench.privacy.gate_entries import recipe_for
from synth.bench.privacy.gate_tables import Rows
from synth.bench.privacy.gate_transcript import CHOICE, NORMAL, Draw, Transcript
from synth.bench.tables.tables import schema_of
from synth.core.accounting import Law, limit_for
from synth.core.axis import Axis, domain_of
from synth.core.codebook import Codebook
from synth.core.discretisation import resolve_axes
from synth.core.domain import Domain
from synth.core.measurements.interactions import squared_lengths
from synth.core.measurements.noisy import Choice, Measurement, NoisyNumbers, NoisyScores
from synth.core.schema import Schema, Unit
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.shared.base import Problem
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.ledger import Ask, Ledger
from synth.private.queries import A, Interaction, Query
from synth.private.replay import Entry, replay
from synth.private.scores import SCALE
from synth.private.session import PrivateSession
from synth.private.source import Source
from synth.private.table import open_table
from synth.private.terms import Allowance, Terms
from synth.rules import parse_rules

PART = "mechanism"

Asked = tuple[Query[Any], Any]
"""A query and its answer."""


@dataclass(frozen=True, eq=False)
class Overheard:
    """A source that records its queries and answers."""

    source: Source
    heard: list[Asked] = field(default_factory=list)

    @property
    def domain(self) -> Domain:
        return self.source.domain

    @property
    def terms(self) -> Terms:
        return self.source.terms

    @property
    def left(self) -> Allowance:
        return self.source.left

    def ask(self, asked: Sequence[tuple[Query[A], float]]) -> tuple[A, ...]:
        answers = self.source.ask(asked)
        self.heard.extend((question, answer) for (question, _), answer in zip(asked, answers, strict=True))
        return answers


class Kept(Ledger):
    """A ledger that keeps a run's answers as a transcript."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.entries: list[Entry] = []

    def ask_all(self, run: str, *, part: str, step: int, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        answers = super().ask_all(run, part=part, step=step, asks=asks)
        self.entries += [
            Entry(part=part, query=dict(ask.query), units=ask.units, answer=answer)
            for ask, answer in zip(asks, answers, strict=True)
        ]
        return answers


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """A recorded run: its transcript, and what is needed to replay it for another table."""

    entry: str
    schema: Schema
    heard: list[Asked]
    terms: Terms
    entries: list[Entry]
    transcript: Transcript

    def on(self, rows: Rows) -> Transcript:
        """Return the run replayed without a table, with the exact numbers that another table would have
        behind its queries.
        """
        domain = domain_of(_axes(self.schema))
        tape = Overheard(replay(self.entries, domain, part=PART, schema=self.schema))
        made = _made(self.entry, tape, self.schema)
        return Transcript(draws=_draws(tape.heard, self.terms, self.schema, rows), made=made)

    def priced_on(self, rows: Rows) -> Transcript:
        """Return the exact numbers that a table would have behind the queries of the recorded run, without a
        replay.
        """
        draws = _draws(self.heard, self.terms, self.schema, rows)
        return Transcript(draws=draws, made=self.transcript.made)


def recorded(
    entry: str, rows: Rows, sizes: Mapping[str, int], *, epsilon: float, delta: float, per_unit: int = 1
) -> Run:
    """Record a run in a session with exact noise and its own ledger; a unit has at most `per_unit` rows."""
    schema = replace(schema_of("gate", dict(sizes), ()), unit=Unit(max_rows=per_unit))
    law, limit = law_of(entry), limit_for(epsilon, delta)
    units = limit.under(law)
    with tempfile.TemporaryDirectory() as name:
        ledger = Kept(Path(name) / "ledger.sqlite")
        population, protects = schema.population, schema.protects
        ledger.open_population(population, units=limit, reason="the gate, on public data", protects=protects)
        ledger.open_run(population, "gate", units=units, label="gate", law=law, protects=protects)
        axes = _axes(schema)
        table = open_table(_written(rows, schema, Path(name)), schema, axes=axes)
        session = PrivateSession(table, schema, ledger, "gate", law=law)
        source = Overheard(session.source(axes, session.account(PART, units)))
        made = _made(entry, source, schema)
        terms, entries = source.terms, list(ledger.entries)
        ledger.close()
    draws = _draws(source.heard, terms, schema, rows)
    return Run(
        entry=entry,
        schema=schema,
        heard=source.heard,
        terms=terms,
        entries=entries,
        transcript=Transcript(draws=draws, made=made),
    )


def law_of(entry: str) -> Law:
    return recipe_for(entry).mechanism.law


def _axes(schema: Schema) -> tuple[Axis, ...]:
    return resolve_axes(schema, parse_rules([], schema))


def _made(entry: str, source: Source, schema: Schema) -> bytes:
    """Return the bytes of the synthetic codes."""
    codebook = Codebook(schema=schema, axes=_axes(schema))
    rng = np.random.default_rng(0)
    problem = Problem(workload=Workload.all_kway(source.domain, 2), codebook=codebook)
    fitted = recipe_for(entry).run(source, problem, rng=rng)
    return fitted.model.sample(round(fitted.model.total), rng).tobytes()


def _draws(heard: Sequence[Asked], terms: Terms, schema: Schema, rows: Rows) -> tuple[Draw, ...]:
    """Return the draws of the session, computed from the queries and a public table."""
    domain = domain_of(_axes(schema))
    tables = ExactTables(Codes.of(rows, domain), domain)
    return tuple(_draw(question, answer, tables) for question, answer in heard)


def _draw(question: Query[Any], answer: Any, tables: ExactTables) -> Draw:
    exact = question.exact(tables).ravel().astype(np.float64)
    match answer:
        case Choice():
            logs = answer.epsilon / answer.swing * exact
            return Draw(kind=CHOICE, exact=logs - np.logaddexp.reduce(logs))
        case Measurement():
            told, scale = answer.counts.ravel().astype(float), math.sqrt(answer.variance)
        case NoisyNumbers():
            told, scale = answer.values.ravel().astype(float), math.sqrt(answer.variance)
            if isinstance(question, Interaction):
                told, exact, scale = _alike(told, exact, scale, squared_lengths(question.sizes).ravel())
        case NoisyScores():
            told, scale = answer.values * float(SCALE), answer.sigma * SCALE
        case _:
            raise TypeError(f"an answer that the gate does not know: {type(answer).__name__}")
    return Draw(kind=NORMAL, exact=exact, scale=float(scale), told=told)


def _alike(
    told: NDArray[np.float64], exact: NDArray[np.float64], scale: float, squared: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return numbers with a common scale of noise, from numbers whose noise has these squared lengths times
    the scale. They stay integers if they have a common scale already.
    """
    lengths = np.sqrt(squared)
    if len(set(squared.tolist())) == 1:
        return told, exact, scale * float(lengths[0])
    return told / lengths, exact / lengths, scale


def _written(rows: Rows, schema: Schema, folder: Path) -> Path:
    path, names = folder / "rows.csv", ",".join(column.name for column in schema.columns)
    np.savetxt(path, rows, fmt="%d", delimiter=",", header=names, comments="")
    return path
