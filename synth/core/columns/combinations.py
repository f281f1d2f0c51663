"""Model the options of a multiple-choice column or of several yes/no columns jointly.

A *part* is one modelled column: each of its codes is a set of options. All options are in one part if the
possible sets are listed, or if there are at most `MOST_CODES` of them. Otherwise the options are divided into
parts of at most `WIDEST` options. A blank, and an option that excludes all others, are then a code of each
part, so either all parts have it or none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

MOST_CODES = 64
"""Largest number of sets of options in a modelled column."""
WIDEST = 5
"""Largest number of options in a part if there are several parts."""
EMPTY = "none of these"
"""The label of a code without options."""
NO, YES = "no", "yes"
"""The values of an option that is modelled as a separate column."""


@dataclass(frozen=True)
class Part:
    """A modelled column. `sets` has the positions of the options in each code, and `labels` its text."""

    name: str
    options: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...]

    @cached_property
    def holds(self) -> Mask:
        """Return which options each code contains. Shapes: bool[codes, options of all parts up to here]."""
        import numpy as np

        width = max((place for own in self.sets for place in own), default=-1) + 1
        return np.array([[place in own for place in range(width)] for own in self.sets], dtype=np.bool_)


@dataclass(frozen=True)
class Choices:
    """The options of a multiple-choice column, or of a group of yes/no columns with any number of choices.

    `exclusive` is the position of an option that excludes all others, or None. `listed` contains the possible
    sets of options, as positions, or is empty if all sets are possible. `blank` states whether a blank is
    possible, and `keeps_empty` whether a row without options differs from a blank. Without `joint`, each
    option is a separate yes/no column, as up to version 0.9.0.
    """

    name: str
    options: tuple[str, ...]
    separator: str
    exclusive: int | None = None
    listed: tuple[tuple[int, ...], ...] = ()
    blank: bool = True
    keeps_empty: bool = False
    joint: bool = True

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Return the modelled columns."""
        if not self.joint:
            return tuple(
                Part(self.option_name(place), (place,), ((), (place,)), (NO, YES))
                for place in range(len(self.options))
            )
        everything = tuple(range(len(self.options)))
        plain = [place for place in everything if place != self.exclusive]
        only = () if self.exclusive is None else ((self.exclusive,),)
        has_empty = self.keeps_empty and not only
        if self.listed or 2 ** len(plain) - (not has_empty) + len(only) <= MOST_CODES:
            found = self.listed or (*_subsets(plain)[not has_empty :], *only)
            return (Part(self.name, everything, found, tuple(map(self.text, found))),)
        count = math.ceil(len(plain) / WIDEST)
        ends = [len(plain) * number // count for number in range(count + 1)]
        shares = [tuple(plain[start:end]) for start, end in pairwise(ends)]
        return tuple(
            Part(
                f"{self.name} ({number} of {count})",
                share,
                (*_subsets(share), *only),
                tuple(map(self.text, (*_subsets(share), *only))),
            )
            for number, share in enumerate(shares, start=1)
        )

    def option_name(self, place: int) -> str:
        """Return the name of an option in rules and conditions."""
        return f"{self.name}: {self.options[place]}"

    def text(self, chosen: Sequence[int]) -> str:
        """Return the label of a set of options."""
        return self.separator.join(self.options[place] for place in sorted(chosen)) or EMPTY

    def where(self, place: int) -> tuple[Part, tuple[str, ...]]:
        """Return the part with an option, and the labels of this part that contain the option."""
        part = next((p for p in self.parts if place in p.options), self.parts[0])
        return part, tuple(label for own, label in zip(part.sets, part.labels, strict=True) if place in own)

    def settled(self, chosen: Mask, blank: Mask) -> tuple[Mask, Mask]:
        """Return the options and the blanks of rows without contradictions.

        An option that excludes the others does not count next to others. A row without options has this
        option if the row is not blank. Otherwise it is blank, or stays empty with `keeps_empty`. Shapes:
        `chosen: bool[options, rows]`, `blank: bool[rows]`; the results have the same shapes.
        """
        import numpy as np

        blank = blank & self.blank
        chosen = chosen & ~blank
        if self.exclusive is not None:
            others = np.delete(chosen, self.exclusive, axis=0).any(axis=0)
            stays = chosen[self.exclusive] | (not self.blank or self.keeps_empty)
            chosen[self.exclusive] = stays & ~others & ~blank
        is_empty: Mask = np.logical_not(np.any(chosen, axis=0))
        return chosen, blank | (is_empty & self.blank) if not self.keeps_empty else blank

    def codes(self, chosen: Mask, blank: Mask) -> NDArray[np.int64]:
        """Return the code of each row in each part, and -1 for a blank or a set that is not listed.

        Shapes: `chosen: bool[options, rows]`, `blank: bool[rows]`; returns int64[parts, rows].
        """
        import numpy as np

        chosen, blank = self.settled(chosen, blank)
        rows, row_of = np.unique(np.vstack([chosen, blank]), axis=1, return_inverse=True)
        found = np.full((len(self.parts), rows.shape[1]), -1, dtype=np.int64)
        for number, part in enumerate(self.parts):
            place = {frozenset(own): code for code, own in enumerate(part.sets)}
            reached = {*part.options} | ({self.exclusive} if self.exclusive is not None else set())
            for row, own in enumerate(rows[:-1].T):
                if not rows[-1, row]:
                    mine = frozenset(np.flatnonzero(own).tolist()) & reached
                    found[number, row] = place.get(mine, -1)
        return found[:, row_of.ravel()]

    def masks(self, codes: NDArray[np.integer]) -> tuple[Mask, Mask]:
        """Return the options and the blanks of rows, from the code in each part. The inverse of `codes`.

        A code below 0 or above the last one is a blank. Shapes: `codes: int[parts, rows]`; returns
        bool[options, rows] and bool[rows].
        """
        import numpy as np

        chosen = np.zeros((len(self.options), codes.shape[1]), dtype=np.bool_)
        blank = np.zeros(codes.shape[1], dtype=np.bool_)
        for part, own in zip(self.parts, codes, strict=True):
            is_known = (own >= 0) & (own < len(part.sets))
            held = part.holds[np.where(is_known, own, 0)] & is_known[:, None]
            chosen[: held.shape[1]] |= held.T
            blank |= ~is_known
        return self.settled(chosen, blank)


def _subsets(places: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return all subsets, the empty one first and then by size."""
    return tuple(own for size in range(len(places) + 1) for own in combinations(places, size))
