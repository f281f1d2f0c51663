"""Define answers, which are figures that can be published, with a sentence about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from synth.core.schema import iso_day
from synth.estimates.estimated import Estimated, Span

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95


class Status(StrEnum):
    """The kind of an answer: an estimate with intervals, a bound without an estimate, or a refusal."""

    INTERVAL = "interval"
    BOUND = "bound"
    REFUSED = "refused"


class Form(StrEnum):
    """The format of the figures of an answer."""

    COUNT = "count"
    SHARE = "share"
    NUMBER = "number"
    DATE = "date"


@dataclass(frozen=True, kw_only=True, repr=False)
class Answer:
    """The answer to a question.

    `interval` contains the figure for the private records of the release with confidence `level`.
    `population` contains the figure for the population, if the records are a random sample of it. `noise` is
    the standard deviation due to privacy noise, and `sampling` is the standard deviation due to the random
    sample. `bins` is the part of the half-width that is due to bins. `rests_on` contains the
    measurements that were used, with their shares of the noise variance. `estimate` is not rounded, and is
    None for a bound or a refusal. `reason` explains why there is no estimate and what to measure next
    time, or what limits an interval.
    """

    status: Status
    question: str
    form: Form = Form.COUNT
    estimate: float | None = None
    interval: Span | None = None
    population: Span | None = None
    noise: float = 0.0
    sampling: float = 0.0
    bins: float = 0.0
    level: float = LEVEL
    rests_on: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""

    def __repr__(self) -> str:
        return self.sentence

    def frame(self) -> pd.DataFrame:
        """Return the answer as a data frame with one row."""
        return Answers((self,)).frame()

    @property
    def sentence(self) -> str:
        """Return the answer in words."""
        if self.status is Status.REFUSED or self.interval is None:
            return f"No answer for {self.question}. {self.reason}"
        level = f"{100 * self.level:.6g}%"
        if self.status is Status.BOUND:
            return f"{_capital(self.question)}: {self.ends(self.interval)} ({level} bound). {self.reason}"
        figure = f"{self.figure} ({level} interval {self.ends(self.interval)})"
        parts = [f"{_capital(self.question)}: {figure}."]
        z = NormalDist().inv_cdf(0.5 + self.level / 2)
        if self.noise:
            noise = f"Privacy noise accounts for ± {self._width(z * self.noise)}"
            parts.append(f"{noise}, bins for ± {self._width(self.bins)}." if self.bins else f"{noise}.")
        if self.population is not None and self.population != self.interval:
            population = f"For the population, the interval is {self.ends(self.population)}"
            sampling = f": sampling accounts for ± {self._width(z * self.sampling)}" if self.sampling else ""
            parts.append(f"{population}{sampling}.")
        return " ".join([*parts, *([self.reason] if self.reason else [])])

    @property
    def figure(self) -> str:
        """Return the estimate as text. A count is not negative if its interval is not negative."""
        if self.estimate is None or self.interval is None:
            return ""
        is_at_least_zero = self.form is Form.COUNT and self.interval[0] >= 0
        estimate = max(0.0, self.estimate) if is_at_least_zero else self.estimate
        return written(estimate, self.form, self._step)

    def ends(self, span: Span) -> str:
        """Return the ends of an interval as text, rounded outwards."""
        return " to ".join(
            written(end, self.form, self._step, rounding=rounding)
            for end, rounding in zip(span, (math.floor, math.ceil), strict=True)
        )

    def facts(self) -> dict[str, Any]:
        """Return the answer as plain types."""
        return {**asdict(self), "rests_on": dict(self.rests_on), "sentence": self.sentence}

    @staticmethod
    def of(
        found: Estimated, question: str, level: float, *, form: Form = Form.COUNT, reason: str = ""
    ) -> Answer:
        """Return the answer that an estimate gives to a question."""
        return Answer(
            status=Status.INTERVAL,
            question=question,
            form=form,
            estimate=found.estimate,
            interval=found.interval,
            population=found.population,
            noise=found.noise,
            sampling=found.sampling,
            bins=found.bins,
            level=level,
            rests_on=found.rests_on,
            reason=reason,
        )

    def _width(self, value: float) -> str:
        if self.form is Form.DATE:
            return f"{math.ceil(value):,} days"
        if self.form is Form.SHARE:
            return f"{100 * value:,.{max(self._step, _decimals(100 * value, 1))}f} points"
        digits = max(self._step, _decimals(value, 1)) if self.form is Form.NUMBER else self._step
        return written(value, self.form, digits)

    @property
    def _step(self) -> int:
        """Return the number of decimal places at which the width of the interval has two digits.

        It is 0 if the estimate and the ends of the interval are whole numbers.
        """
        if self.form in (Form.COUNT, Form.DATE) or self.interval is None:
            return 0
        low, high = self.interval
        if self.form is Form.NUMBER and all(end.is_integer() for end in map(float, (low, high))):
            return (
                0 if self.estimate is None or float(self.estimate).is_integer() else _decimals(high - low, 2)
            )
        width = (high - low) * (100 if self.form is Form.SHARE else 1)
        return _decimals(width, 2) if width > 0 else 2


class Answers(tuple[Answer, ...]):
    """Several answers, such as one mean for each group."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(answer.sentence for answer in self)

    def frame(self) -> pd.DataFrame:
        """Return the answers as a data frame with one row each. Missing figures are blank."""
        import pandas as pd

        def ends(name: str, span: Span | None) -> dict[str, float | None]:
            low, high = span or (None, None)
            return {f"{name}low": low, f"{name}high": high}

        return pd.DataFrame(
            [
                {
                    "question": one.question,
                    "status": one.status.value,
                    "estimate": one.estimate,
                    **ends("", one.interval),
                    **ends("population_", one.population),
                    "reason": one.reason,
                }
                for one in self
            ]
        )


def written(value: float, form: Form, decimals: int, *, rounding: Any = round) -> str:
    """Return a figure with its unit.

    >>> written(16192.4, Form.COUNT, 0), written(0.25, Form.SHARE, 1), written(0.0, Form.DATE, 0)
    ('16,192', '25.0%', '1970-01-01')
    """
    if form is Form.DATE:
        return iso_day(rounding(value))
    scale = 100.0 if form is Form.SHARE else 1.0
    shown = rounding(round(value * scale * 10**decimals, 6)) / 10**decimals
    return f"{shown + 0.0:,.{decimals}f}" + ("%" if form is Form.SHARE else "")


def _decimals(value: float, digits: int) -> int:
    """Return the number of decimal places at which a value has this many digits, from 0 to 8.

    >>> _decimals(0.034, 1), _decimals(0.034, 2), _decimals(34.0, 2), _decimals(0.0, 2)
    (2, 3, 0, 0)
    """
    return min(8, max(0, digits - 1 - math.floor(math.log10(value)))) if value > 0 else 0


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
