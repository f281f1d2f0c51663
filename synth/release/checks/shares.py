"""Compare the target proportions with the proportions in the synthetic table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from synth.core.numbers import per_cent
from synth.release.checks.flags import Flag
from synth.rules import MeasuredShare

DECLARED, MEASURED, HIDDEN = "declared", "bought", "hidden"
"""The possible origins of a target proportion: a public source, a noisy measurement, and a number that
replaces a hidden one.
"""


@dataclass(frozen=True, kw_only=True)
class FoundShare:
    """A target proportion as requested and as found, as shares of all records from 0 to 1.

    `sentence` is the rule. `origin` is the source of `wanted`. `noisy`, `sigma` and `interval` are the
    estimated share, the standard deviation of its noise, and the interval of the true share. They are None if
    the share was not measured, and earlier versions stored no interval.
    """

    sentence: str
    origin: str
    wanted: float
    reached: float
    noisy: float | None = None
    sigma: float | None = None
    interval: tuple[float, float] | None = None

    def is_met(self, rows: int) -> bool:
        """Whether the found share is as close to the target as possible in a table with this number of rows.

        The comparison allows for the rounding to six digits in files.
        """
        return rows == 0 or abs(self.reached - self.wanted) <= 0.5 / rows + 2e-6


def found_shares(shares: Iterable[MeasuredShare], reached: Mapping[str, float]) -> tuple[FoundShare, ...]:
    """Return the target proportions with the shares found in a table.

    `reached` maps the sentence of each rule to the found share.
    """
    return tuple(
        FoundShare(
            sentence=share.coded.sentence,
            origin=_origin(share),
            wanted=share.wanted,
            reached=reached[share.coded.sentence],
            noisy=share.noisy,
            sigma=None if share.noisy is None else share.sigma,
            interval=share.interval,
        )
        for share in shares
    )


def share_flags(found: Iterable[FoundShare], *, rows: int) -> list[Flag]:
    """Return warnings for target proportions that the records do not meet."""
    return [
        Flag(
            code="share_missed",
            sentence=(
                f"The target proportion '{share.sentence}' is {per_cent(share.wanted, 2)}, but in the "
                f"table it is {per_cent(share.reached, 2)}: other rules or target proportions prevent "
                "it."
            ),
            blocks=False,
        )
        for share in found
        if not share.is_met(rows)
    ]


def _origin(share: MeasuredShare) -> str:
    if share.noisy is not None:
        return MEASURED
    return HIDDEN if share.coded.hides else DECLARED
