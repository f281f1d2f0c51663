"""Check target proportions against each other and against forbidden combinations, and express them in codes.

A target proportion counts the records that satisfy a conjunction of conditions. Each condition is about one
column, and bins are cut at its ends. So the codes of a record determine whether it satisfies the condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.domain import Clique, Domain
from synth.core.errors import Mistake
from synth.core.schema import Kind
from synth.rules.atoms import Atoms
from synth.rules.conflicts import all_values
from synth.rules.possible import Live, Search
from synth.rules.tables import all_of, over_axes
from synth.rules.terms import Rule, Share

MOST_COLUMNS = 10
"""Maximum number of columns in a target proportion. The proportion is counted in a table with two cells per
column.
"""

Marks = Mapping[str, NDArray[np.bool_]]
"""The atoms or codes that satisfy the conditions of a target proportion, by column.

Columns are in the order of the schema.
"""


def check_shares(
    shares: Sequence[tuple[Rule, Share]],
    atoms: Mapping[str, Atoms],
    search: Search,
    live: Live,
) -> None:
    """Raise `Mistake` if target proportions are impossible.

    They are impossible if no such records can exist, if the domain of a column is not estimated yet, if two
    of them are about the same records, or if declared numbers contradict each other. `search` is for records
    that satisfy all rules, and `live` contains the values that the columns in rules may have.
    """
    marked = [(rule.sentence, share, _marks(share, atoms)) for rule, share in shares]
    world = _World(search, all_values(atoms, live))
    for sentence, share, marks in marked:
        for name in marks:
            if atoms[name].column.buy:
                raise Mistake(
                    f"The rule '{sentence}' is about {name!r}, whose values are not known yet. Declare "
                    "them, or remove the rule."
                )
        if len(marks) > MOST_COLUMNS:
            raise Mistake(
                f"The rule '{sentence}' has conditions on {len(marks)} columns, but a share can have at "
                f"most {MOST_COLUMNS}."
            )
        if not world.has(marks) and share.wanted != 0:
            raise Mistake(
                f"According to the other rules and the declared values, no record can have: {share.where()}."
            )
    for (one, first, a), (other, second, b) in combinations(marked, 2):
        a_in_b, b_in_a = world.is_within(a, b), world.is_within(b, a)
        if a_in_b and b_in_a and world.has(a):
            raise Mistake(
                f"Two rules are about the same share: '{one}' and '{other}'. Both rules count exactly the "
                "same records. Remove one."
            )
        if first.wanted is None or second.wanted is None:
            continue
        if (
            (not world.has(a, b) and first.wanted + second.wanted > 1)
            or (a_in_b and first.wanted > second.wanted)
            or (b_in_a and second.wanted > first.wanted)
        ):
            raise Mistake(f"These two shares cannot both be met: '{one}' and '{other}'. Change one of them.")


@dataclass(frozen=True, eq=False)
class _World:
    """The records that rules and declared values allow."""

    search: Search
    live: Marks

    def has(self, *marks: Marks) -> bool:
        """Whether a record can satisfy the conditions of all these target proportions."""
        start = dict(self.live)
        for name, mask in (item for some in marks for item in some.items()):
            start[name] = start[name] & mask
        return all(mask.any() for mask in start.values()) and self.search.record(start) is not None

    def is_within(self, inner: Marks, outer: Marks) -> bool:
        """Whether every record of the inner target proportion is also a record of the outer one."""
        return not any(self.has(inner, {name: ~mask}) for name, mask in outer.items())


def _marks(share: Share, atoms: Mapping[str, Atoms]) -> Marks:
    conditions = share.conditions
    return {
        name: all_of(column, [c for c in conditions if c.column == name])
        for name, column in atoms.items()
        if name in share.columns
    }


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedShare:
    """A target proportion in the codes of a codebook.

    `masks[column]`: bool[codes], with columns in the order of the domain. Columns are omitted if all their
    codes satisfy the conditions.
    """

    sentence: str
    declared: float | None
    hides: bool
    masks: Marks

    @property
    def clique(self) -> Clique:
        return tuple(self.masks)

    @property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """Return the codes of each column in two groups: group 1 satisfies the conditions, group 0 does not.

        In the table of these groups, the last cell counts the records of the target proportion.
        """
        return {name: tuple(mask.astype(int).tolist()) for name, mask in self.masks.items()}

    def holds(self, codes: NDArray[np.integer], domain: Domain) -> NDArray[np.bool_]:
        """Return whether each record satisfies the conditions. Shapes: `codes` int[rows, columns];
        bool[rows].
        """
        found = np.ones(len(codes), dtype=np.bool_)
        for name, mask in self.masks.items():
            found &= mask[codes[:, domain.axis(name)]]
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredShare:
    """A target proportion with its value from 0 to 1, which is declared or estimated from measurements.

    `noisy` is the estimate as a proportion of all records, or None for a declared number. `noisy` may be
    below 0 or above 1, but `wanted` is always between them. `sigma` is the standard deviation of the noise,
    which is 0 for a declared number, and `interval` is the interval of the true proportion.
    """

    coded: CodedShare
    noisy: float | None = None
    sigma: float = 0.0
    interval: tuple[float, float] | None = None

    @property
    def masks(self) -> Marks:
        return self.coded.masks

    @property
    def wanted(self) -> float:
        if self.coded.declared is not None:
            return self.coded.declared
        assert self.noisy is not None
        return min(max(self.noisy, 0.0), 1.0)


def coded_shares(
    shares: Iterable[tuple[Rule, Share]], codebook: Codebook, atoms: Mapping[str, Atoms]
) -> tuple[CodedShare, ...]:
    """Return target proportions in the codes of a codebook whose axes have the cuts for them.

    Raises: `Mistake` if all codes or no codes satisfy the conditions, or if the codes do not determine
    whether a record satisfies them.
    """
    return tuple(
        CodedShare(
            sentence=rule.sentence,
            declared=share.wanted,
            hides=share.hides,
            masks=_coded(rule.sentence, share, codebook, atoms),
        )
        for rule, share in shares
    )


def _coded(sentence: str, share: Share, codebook: Codebook, atoms: Mapping[str, Atoms]) -> Marks:
    axes = {axis.name: axis for axis in codebook.axes}
    group_of = {g.column: np.asarray(g.group_of) for g in codebook.groupings}
    masks = {}
    for name in [n for n in axes if n in share.columns]:
        own = [c for c in share.conditions if c.column == name]
        holds = all_of(atoms[name], own)
        mask, fails = (over_axes(table, (name,), axes, atoms) for table in (holds, ~holds))
        ends = {end for c in own for r in c.ranges for end in r.span(axes[name].column.kind)}
        _check_cut(sentence, axes[name], mask | fails, ends)
        masks[name] = _grouped(mask, group_of[name]) if name in group_of else mask
    if any(not mask.any() for mask in masks.values()):
        raise Mistake(
            f"The rule '{sentence}' counts no record, because no declared value meets its conditions."
        )
    partial_masks = {name: mask for name, mask in masks.items() if not mask.all()}
    if not partial_masks:
        raise Mistake(
            f"The rule '{sentence}' counts every record, because all declared values meet its conditions."
        )
    return partial_masks


def _check_cut(sentence: str, axis: Axis, decided: NDArray[np.bool_], ends: set[float]) -> None:
    """Raise `Mistake` if a bin contains both values that satisfy the conditions and values that do not.

    Bins are cut at every end of a condition, except at the largest declared value, which the last bin of a
    decimal column includes.
    """
    cut = np.flatnonzero(~decided)
    at_last = bool(axis.edges) and axis.column.kind is Kind.DECIMAL and axis.edges[-1] in ends
    if cut.size or at_last:
        bin_cut = axis.label(int(cut[0])) if cut.size else axis.label(axis.cells - 1)
        raise Mistake(
            f"The rule '{sentence}' ends inside the bin {bin_cut} of column {axis.name!r}, whose values "
            "are modelled together. Choose an end at an edge of that bin."
        )


def _grouped(mask: NDArray[np.bool_], group_of: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which groups of codes are marked.

    Raises: ValueError if a group has both marked and unmarked codes.
    """
    whole = np.array([mask[group_of == group].all() for group in range(group_of.max() + 1)])
    if not np.array_equal(whole[group_of], mask):
        raise ValueError("a group merges codes that a share distinguishes")
    return whole
