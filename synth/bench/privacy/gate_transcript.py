"""Compute the privacy loss of one row from the random draws of a method.

A draw of noise has a scale and the exact numbers it was added to. A choice has the weights it was drawn with.
Two transcripts of the same draws on neighbouring tables give the loss of every draw in rho, by textbook
formulas only: Gaussian |d|^2 / (2 sigma^2); Laplace (|d|_1 / b)^2 / 2; a choice, or the largest of sums with
Gumbel noise, (range of the change of the log weights)^2 / 8 (Cesar and Rogers 2021). A single number with
Gumbel noise is not a choice, and its loss has no bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaincinv

NORMAL, LAPLACE, GUMBEL, CHOICE = "normal", "laplace", "gumbel", "choice"

FALSE_ALARM = 1e-6
"""Largest probability, over all tests, that an entry with the right scale of noise is reported."""

TAILS = 3
"""Ways in which noise can be wrong: too little, too much, none."""

NEVER = 1e-12
"""A candidate of less weight than this on both tables is ignored: its logarithm is that of rounding."""

WHOLE = 1e-6
"""Largest distance from an integer of noise that is an integer, after sums in floats."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Draw:
    """One private draw. `exact` are the numbers to which noise of this `scale` was added, with the result
    `told`, or the log weights with which an index was drawn. Shapes: one-dimensional; `told` is empty for a
    choice.
    """

    kind: str
    exact: Numbers
    scale: float = 1.0
    told: Numbers = field(default_factory=lambda: np.empty(0))

    def loss(self, other: Draw) -> float:
        """Return the loss in rho, given the draw on the other table. It is infinite if the choice of one
        table is impossible on the other, if numbers move without noise, or for a single number with Gumbel
        noise.
        """
        if self.kind == CHOICE:
            return _loss_of_choice(self.exact, other.exact)
        moved = other.exact - self.exact
        if not self.scale:
            return math.inf if moved.any() else 0.0
        if self.kind == NORMAL:
            return float(np.square(moved).sum()) / (2 * self.scale**2)
        if self.kind == LAPLACE:
            return float(np.abs(moved).sum() / self.scale) ** 2 / 2
        return _loss_of_largest(moved / self.scale)

    @property
    def is_known(self) -> bool:
        """Whether it is noise of a scale above 0 whose numbers are all known."""
        return self.scale > 0 and bool(self.told.size) and self.told.size == self.exact.size

    @property
    def is_gaussian(self) -> bool:
        """Whether it is Gaussian noise whose numbers are all known."""
        return self.kind == NORMAL and self.is_known

    @property
    def noise(self) -> Numbers:
        return self.told - self.exact


def _loss_of_largest(moved: Numbers) -> float:
    """Return the loss of the position of the largest sum with Gumbel noise; a single number is published and
    not chosen.
    """
    if moved.size == 1:
        return math.inf if moved.any() else 0.0
    return float(np.ptp(moved)) ** 2 / 8 if moved.size else 0.0


def _loss_of_choice(here: Numbers, there: Numbers) -> float:
    """Return the loss by the log weights of all candidates that one of the tables can choose."""
    likely = (here > math.log(NEVER)) | (there > math.log(NEVER))
    here, there = here[likely], there[likely]
    if not (np.isfinite(here).all() and np.isfinite(there).all()):
        return math.inf
    return float(np.ptp(there - here)) ** 2 / 8 if here.size else 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Transcript:
    """One run: its draws in order, its table, and where it left the recorded run, if it did.

    `declared`: the standard deviation that the method noted for a draw, by its position. `unheard`: draws for
    which it is unknown what they were added to.
    """

    draws: tuple[Draw, ...]
    made: bytes
    broken: str = ""
    declared: Mapping[int, float] = field(default_factory=dict)
    unheard: int = 0

    @property
    def asked(self) -> int:
        """Return the number of draws, including the `unheard` ones."""
        return len(self.draws) + self.unheard

    @property
    def misdeclared(self) -> tuple[float, float] | None:
        """Return the first scale that was drawn and noted differently: drawn, noted."""
        pairs = ((self.draws[place].scale, noted) for place, noted in sorted(self.declared.items()))
        return next(((a, b) for a, b in pairs if abs(a - b) > 1e-6 * a), None)

    def losses(self, other: Transcript) -> list[float]:
        """Return the losses of the draws that both transcripts have; `asked` tells whether these are all."""
        return [a.loss(b) for a, b in zip(self.draws, other.draws, strict=False)]


@dataclass(frozen=True, eq=False, kw_only=True)
class Noise:
    """Gaussian noise that is tested together, and the scale of each of its numbers. `told` is its name.

    Integer noise was rounded by up to half a `step` of 1; other noise has a step of 0. Shapes: both
    one-dimensional and of equal length.
    """

    told: str
    drawn: Numbers
    scales: Numbers
    step: float

    @property
    def spread(self) -> float:
        """Return the root mean square of the noise divided by its scale."""
        return math.sqrt(np.square(self.drawn / self.scales).mean())

    def is_odd(self, alarm: float) -> bool:
        """Whether noise of these scales is this small, this large or entirely zero with a probability below
        `alarm`.

        Before rounding, a number was at least half a step closer to zero and at most half a step farther. The
        sum of squares is tested as chi-square with both limits. All numbers are zero with a probability of at
        most the product of step / (scale sqrt(2 pi)), which is the larger one for rounded and discrete
        Gaussians.
        """
        each, half = alarm / TAILS, self.step / 2
        size, away = self.drawn.size, np.abs(self.drawn)
        most = np.square((away + half) / self.scales).sum()
        least = np.square(np.maximum(away - half, 0) / self.scales).sum()
        is_nothing = not self.drawn.any() and self._chance_of_nothing < each
        too_small = most < 2 * gammaincinv(size / 2, each)
        return bool(is_nothing or too_small or least > 2 * gammainccinv(size / 2, each))

    @property
    def _chance_of_nothing(self) -> float:
        return float(np.prod(np.minimum(self.step / (self.scales * math.sqrt(2 * math.pi)), 1.0)))

    def __str__(self) -> str:
        if not self.drawn.any():
            return f"{self.told} is nothing but zeros."
        return f"{self.told} has {self.spread:.3g} times the spread of the scale it was asked for."


def misdrawn(runs: Sequence[Transcript]) -> list[Noise]:
    """Return the Gaussian noise that does not have the spread of its scale, all of it first if it does not.

    Tests cover all noise together, every draw by itself, and the draws with the same position and size of all
    runs, because a few numbers say little: three numbers of integer noise at scale 7 are all zero once in
    5,000 runs. The tests share `FALSE_ALARM`, so an entry whose sizes of draws do not depend on its noise is
    wrongly reported no more often than that. A single zero is reported only where it is rarer.
    """
    drawn = [(place, d) for run in runs for place, d in enumerate(run.draws) if d.is_gaussian]
    if not drawn:
        return []
    step = step_of([d for _, d in drawn])
    together = dict[tuple[int, int], list[Draw]]()
    for place, draw in drawn:
        together.setdefault((place, draw.told.size), []).append(draw)
    groups = [("Its noise", [d for _, d in drawn])]
    groups += [(_named(place, draws), draws) for (place, _), draws in together.items()]
    groups += [(_named(place, [d]), [d]) for place, d in drawn if len(together[place, d.told.size]) > 1]
    tested = [_noise_of(told, draws, step) for told, draws in groups]
    return [one for one in tested if one.is_odd(FALSE_ALARM / len(tested))]


def _named(place: int, draws: Sequence[Draw]) -> str:
    size = draws[0].told.size
    runs = f" in {len(draws)} runs" if len(draws) > 1 else ""
    return f"The noise of draw {place + 1}, over {size} {'number' if size == 1 else 'numbers'}{runs},"


def _noise_of(told: str, draws: Sequence[Draw], step: float) -> Noise:
    return Noise(
        told=told,
        drawn=np.concatenate([d.noise for d in draws]),
        scales=np.concatenate([np.full(d.told.size, d.scale) for d in draws]),
        step=step,
    )


def step_of(draws: Sequence[Draw]) -> float:
    """Return 1 if noise was seen that is not zero and consists of integers."""
    seen = (d.noise for d in draws if d.noise.any())
    return float(any(np.all(np.abs(noise - np.rint(noise)) < WHOLE) for noise in seen))


def transcript_of(tape: Mapping[str, Any], made: bytes) -> Transcript:
    """Return the transcript that `peers.recorder` wrote."""
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
    """Return draws by their position among the recorded ones."""
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
