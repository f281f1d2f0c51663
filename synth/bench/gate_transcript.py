"""What a method drew, and what one row more or less tells through it.

A draw of noise has a scale and the exact numbers it went to; a choice has the weights it was made with. Two
transcripts of the same draws on neighbouring tables give the loss of every draw in rho, by formulas of the
textbooks alone: Gaussian |d|^2 / (2 sigma^2); Laplace (|d|_1 / b)^2 / 2; a choice, or the largest of sums
with Gumbel noise, (range of the log weights' change)^2 / 8 (Cesar and Rogers 2021).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

NORMAL, LAPLACE, GUMBEL, CHOICE = "normal", "laplace", "gumbel", "choice"

FALSE_ALARM = 1e-6
"""How often noise of the right scale is called noise of another one."""

NEVER = 1e-12
"""A candidate of less weight than this says nothing: its logarithm is that of rounding."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Draw:
    """One private draw. `exact` are the numbers that got noise of this `scale` and became `told`, or the log
    weights that an index was drawn with. Shapes: one-dimensional, `told` empty of a choice."""

    kind: str
    exact: Numbers
    scale: float = 1.0
    told: Numbers = field(default_factory=lambda: np.empty(0))

    def loss(self, other: Draw) -> float:
        """In rho, from what it would have been on the other table."""
        moved = other.exact - self.exact
        if self.kind == NORMAL:
            return float(np.square(moved).sum()) / (2 * self.scale**2)
        if self.kind == LAPLACE:
            return float(np.abs(moved).sum() / self.scale) ** 2 / 2
        if self.kind == CHOICE:
            moved = moved[(self.exact > math.log(NEVER)) & (other.exact > math.log(NEVER))]
        return float(np.ptp(moved) / self.scale) ** 2 / 8 if moved.size else 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Transcript:
    """One run: its draws in order, its table, and where it left the recorded run, if it did.

    `declared`: by the place of a draw the standard deviation that the method noted of it.
    `unheard`: draws of which nobody knows what they were added to.
    """

    draws: tuple[Draw, ...]
    made: bytes
    broken: str = ""
    declared: Mapping[int, float] = field(default_factory=dict)
    unheard: int = 0

    @property
    def squares(self) -> Numbers:
        """Of all Gaussian noise over its scale. Shapes: one-dimensional."""
        drawn = [
            (d.told - d.exact) / d.scale
            for d in self.draws
            if d.kind == NORMAL and d.told.size == d.exact.size
        ]
        return np.square(np.concatenate(drawn)) if drawn else np.empty(0)

    @property
    def misdeclared(self) -> tuple[float, float] | None:
        """The first scale that was drawn and noted differently: drawn, noted."""
        pairs = ((self.draws[place].scale, noted) for place, noted in sorted(self.declared.items()))
        return next(((a, b) for a, b in pairs if abs(a - b) > 1e-6 * a), None)

    def losses(self, other: Transcript) -> list[float]:
        """Of every draw that both have."""
        return [a.loss(b) for a, b in zip(self.draws, other.draws, strict=False)]


def spread(runs: Sequence[Transcript]) -> float:
    """Drawn Gaussian noise over its scale, root of the mean square; 1 where none was drawn."""
    squares = np.concatenate([run.squares for run in runs])
    return math.sqrt(squares.mean()) if squares.size else 1.0


def is_as_drawn(runs: Sequence[Transcript]) -> bool:
    """Whether Gaussian noise has the spread of its scale, by a two-sided chi-square test."""
    squares = np.concatenate([run.squares for run in runs])
    if not squares.size:
        return True
    low, high = 2 * gammaincinv(squares.size / 2, [FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])
    return bool(low <= squares.sum() <= high)


def transcript_of(tape: Mapping[str, Any], made: bytes) -> Transcript:
    """What `peers.recorder` wrote."""
    heard = list(_heard(tape["draws"]))
    return Transcript(
        draws=tuple(draw for draw in heard if draw is not None),
        made=made,
        broken=_told(tape["broken"]),
        declared=_places(tape["declared"], heard),
        unheard=sum(draw is None for draw in heard),
    )


def _heard(draws: Sequence[Mapping[str, Any]]) -> Iterator[Draw | None]:
    for draw in draws:
        if draw["kind"] == CHOICE:
            with np.errstate(divide="ignore"):
                yield Draw(kind=CHOICE, exact=np.log(np.array(draw["weights"], dtype=float)))
        elif "exact" in draw:
            exact, told = (
                np.atleast_1d(np.array(draw[name], dtype=float)).ravel() for name in ("exact", "told")
            )
            yield Draw(kind=draw["kind"], exact=exact, scale=draw["scale"], told=told)
        else:
            yield None


def _places(declared: Mapping[str, float], heard: Sequence[Draw | None]) -> dict[int, float]:
    """By the place among the draws that were heard."""
    known = [place for place, draw in enumerate(heard) if draw is not None]
    return {known.index(int(place)): noted for place, noted in declared.items() if int(place) in known}


def _told(broken: Mapping[str, Any] | None) -> str:
    if broken is None:
        return ""
    then, now = (_draw_in_words(broken[name]) for name in ("then", "now"))
    return f"draw {broken['at'] + 1} was {then} and became {now}"


def _draw_in_words(draw: Mapping[str, Any] | None) -> str:
    if draw is None:
        return "none"
    size = math.prod(draw["size"])
    scale = f" at scale {draw['scale']:.6g}" if "scale" in draw else ""
    return f"a {draw['kind']} draw over {size} numbers{scale}"
