"""Every way to a model of records from noisy answers: a new generator is one file and one entry here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from synth.evidence import Evidence
from synth.generate import independent, refined, spread
from synth.model import Model


@dataclass(frozen=True, kw_only=True)
class Generator:
    """How a model is made of answers. `summary` is a sentence for whoever chooses.

    `joins_all`: it needs a junction tree that holds every answer; `relates`: it has something to add only
    where relations between columns were asked about.
    """

    name: str
    title: str
    summary: str
    fit: Callable[[Evidence], Model]
    joins_all: bool = False
    relates: bool = True


def _pgm(a: Evidence) -> Model:
    return spread.fit(a.domain, a.measurements, total=a.total, zeros=a.zeros, ordered=a.ordered)


def _refined(a: Evidence) -> Model:
    return refined.fit(a.domain, a.measurements, total=a.total, zeros=a.zeros, ordered=a.ordered)


def _independent(a: Evidence) -> Model:
    return independent.fit(a.domain, a.measurements, total=a.total, zeros=a.zeros)


GENERATORS: dict[str, Generator] = {
    g.name: g
    for g in (
        Generator(
            name="pgm",
            title="Graphical model",
            summary="One model that agrees with every answer as well as possible.",
            fit=_pgm,
            joins_all=True,
        ),
        Generator(
            name="refined",
            title="Refined records",
            summary="A graphical model of the strongest relations, its records then changed towards all the "
            "others.",
            fit=_refined,
        ),
        Generator(
            name="independent",
            title="Independent columns",
            summary="Every column by itself: the floor any other table has to beat.",
            fit=_independent,
            relates=False,
        ),
    )
}
