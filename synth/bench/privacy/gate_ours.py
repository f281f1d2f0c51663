"""Record one of our methods in a real private session, then replay it without a table.

The session returns only answers that were charged. So a method is replayed from its transcript alone
(`private.replay`), which refuses any other query or cost. The exact numbers behind every query are computed
here from the query itself, on public tables: they show the noise, and what a neighbouring table would change.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from synth.bench.privacy.gate_draws import CHOICE, NORMAL, Draw, Transcript
from synth.bench.privacy.gate_tables import ROWS, SIZES, Rows
from synth.bench.tables.tables import schema_of
from synth.bench.trials.session import RUN, opened
from synth.core.axis import domain_of
from synth.core.codebook import Codebook
from synth.core.discretisation import resolve_axes
from synth.core.domain import Domain
from synth.core.measurements.noisy import Choice, Measurement, NoisyNumbers, NoisyScores
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.shared.base import Problem
from synth.mechanisms.shared.recipe import recipe_of
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import A, Query
from synth.private.replay import Entry, replay
from synth.private.scores import SCALE
from synth.private.source import Source
from synth.private.terms import Allowance, Terms
from synth.rules import parse_rules

PART = "mechanism"
SCHEMA = schema_of("gate", SIZES, ())
AXES = resolve_axes(SCHEMA, parse_rules([], SCHEMA))
DOMAIN = domain_of(AXES)

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


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """A recorded run: its transcript, and what is needed to replay it for another table."""

    method: str
    entries: list[Entry]
    transcript: Transcript

    def on(self, rows: Rows) -> Transcript:
        """Return the run replayed without a table, with the exact numbers that another table would have
        behind its queries.
        """
        return transcript_of(self.method, replay(self.entries, DOMAIN, part=PART, schema=SCHEMA), rows)


def recorded(method: str, *, epsilon: float, delta: float) -> Run:
    """Record a run in a session with exact noise and its own ledger."""
    law = recipe_of(method).mechanism.law
    with tempfile.TemporaryDirectory() as name:
        csv = Path(name) / "rows.csv"
        np.savetxt(csv, ROWS, fmt="%d", delimiter=",", header=",".join(SIZES), comments="")
        with opened(csv, SCHEMA, AXES, epsilon=epsilon, delta=delta, law=law) as (session, ledger, units):
            transcript = transcript_of(method, session.source(AXES, session.account(PART, units)), ROWS)
            entries = [
                Entry(part=one.part, query=one.query, units=one.units, answer=one.blob)
                for one in ledger.answers(RUN)
            ]
    return Run(method=method, entries=entries, transcript=transcript)


def transcript_of(method: str, source: Source, rows: Rows) -> Transcript:
    """Run the method, and compute its draws from its queries and a public table."""
    overheard, rng = Overheard(source), np.random.default_rng(0)
    codebook = Codebook(schema=SCHEMA, axes=AXES)
    problem = Problem(workload=Workload.all_kway(DOMAIN, 2), codebook=codebook)
    model = recipe_of(method).run(overheard, problem, rng=rng).model
    made = model.sample(round(model.total), rng).tobytes()
    tables = ExactTables(Codes.of(rows, DOMAIN), DOMAIN)
    return Transcript(draws=tuple(_draw(*asked, tables) for asked in overheard.heard), made=made)


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
        case NoisyScores():
            told, scale = answer.values * float(SCALE), answer.sigma * SCALE
        case _:
            raise TypeError(f"an answer that the gate does not know: {type(answer).__name__}")
    return Draw(kind=NORMAL, exact=exact, scale=float(scale), told=told)
