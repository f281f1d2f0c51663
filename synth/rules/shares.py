"""Shares of records: checked against each other and against what is forbidden, and stated in codes.

A share counts the records that satisfy a conjunction of conditions. Each condition is on one column, and bins
are cut where it has an end, so a record meets it or not by its codes alone.
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
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.schema import Kind, Outside
from synth.rules.atoms import Atoms
from synth.rules.conflicts import partnered
from synth.rules.tables import Table, all_of, over_axes
from synth.rules.terms import Rule, Share

MOST_COLUMNS = 10
"""Of one share: it is counted in a table with two cells per column."""

Marks = Mapping[str, NDArray[np.bool_]]
"""Of every column of a share, in the order of the schema, the atoms or codes that satisfy its conditions."""


def check_shares(
    shares: Sequence[tuple[Rule, Share]],
    atoms: Mapping[str, Atoms],
    tables: Mapping[Clique, Table],
    live: Mapping[str, NDArray[np.bool_]],
) -> None:
    """Raises: `Mistake` for a share of no possible record or of a column that is still to be bought, two
    shares of the same possible records, and declared numbers of which one makes the other impossible.

    `tables` is what all rules forbid, `live` what the columns may hold as far as rules speak of it.
    """
    marked = [(rule.sentence, share, _marks(share, atoms)) for rule, share in shares]
    world = _World(tables, {name: _whole(atoms[name], own) for name, own in live.items()})
    for sentence, share, marks in marked:
        for name in marks:
            if atoms[name].column.buy:
                raise Mistake(
                    f"The rule '{sentence}' is about {name!r}, whose values are not known yet. Declare "
                    "them, or leave the rule out."
                )
        if len(marks) > MOST_COLUMNS:
            raise Mistake(
                f"The rule '{sentence}' has conditions on {len(marks)} columns; a share has {MOST_COLUMNS} "
                "at most."
            )
        if not world.has(marks) and share.wanted != 0:
            raise Mistake(f"By the other rules and the declared values, no record can have: {share.where()}.")
    for (one, first, a), (other, second, b) in combinations(marked, 2):
        a_in_b, b_in_a = world.is_within(a, b), world.is_within(b, a)
        if a_in_b and b_in_a and world.has(a):
            raise Mistake(
                f"Two rules are about the same share: '{one}' and '{other}'. No possible record counts for "
                "one of them alone. Remove one."
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
    """The records that rules and declared values leave, as far as striking out shows (`conflicts.partnered`):
    `has` and not `is_within` may be wrong where tables hang together in a circle."""

    tables: Mapping[Clique, Table]
    live: Marks

    def has(self, *marks: Marks) -> bool:
        """Whether there may be a record of all these shares."""
        start = dict(self.live)
        for name, mask in (item for some in marks for item in some.items()):
            start[name] = start[name] & mask
        return all(mask.any() for mask in partnered(self.tables, start).values())

    def is_within(self, inner: Marks, outer: Marks) -> bool:
        """Whether all records of the one share are of the other too."""
        return not any(self.has(inner, {name: ~mask}) for name, mask in outer.items())


def _marks(share: Share, atoms: Mapping[str, Atoms]) -> Marks:
    conditions = share.conditions
    return {
        name: all_of(column, [c for c in conditions if c.column == name])
        for name, column in atoms.items()
        if name in share.columns
    }


def _whole(column: Atoms, live: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """All that a column may hold: blank and other too, wherever a rule speaks of them or not."""
    whole = live.copy()
    whole[column.blank] |= column.column.blank
    whole[column.other] |= column.column.outside_rule is Outside.OTHER
    return whole


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedShare:
    """A share in the codes of a codebook. `masks[column]`: bool[codes], columns in the order of the domain.

    A column of which every code satisfies the conditions is left out.
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
        """The codes of every column in two groups: 1 satisfies the conditions, 0 does not. The last cell of
        the table of these groups counts the records of the share."""
        return {name: tuple(mask.astype(int).tolist()) for name, mask in self.masks.items()}

    def holds(self, codes: NDArray[np.integer], domain: Domain) -> NDArray[np.bool_]:
        """Which records are of the share. Shapes: int[rows, columns] to bool[rows]."""
        found = np.ones(len(codes), dtype=np.bool_)
        for name, mask in self.masks.items():
            found &= mask[codes[:, domain.axis(name)]]
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class AskedShare:
    """A share with the number that records are steered to, from 0 to 1: declared, or bought as a noisy count.

    `noisy` is the bought answer as a part of all records, None for a declared number; it may lie outside 0 to
    1, where `wanted` does not. `sigma`, the standard deviation of its noise, is 0 for a declared number.
    """

    coded: CodedShare
    noisy: float | None = None
    sigma: float = 0.0

    @property
    def masks(self) -> Marks:
        return self.coded.masks

    @property
    def wanted(self) -> float:
        if self.coded.declared is not None:
            return self.coded.declared
        assert self.noisy is not None
        return min(max(self.noisy, 0.0), 1.0)


def asked_shares(shares: Sequence[CodedShare], evidence: Evidence) -> tuple[AskedShare, ...]:
    """Shares with the answers that were bought for them; one whose answer is not there is left out.

    The noisy count of a share is divided by the number of records, which is public or known far better.
    """
    bought = {(m.clique, tuple(m.groups.items())): m for m in evidence.shares}
    asked = []
    for share in shares:
        if share.declared is not None:
            asked.append(AskedShare(coded=share))
        elif (answer := bought.get((share.clique, tuple(share.groups.items())))) is not None:
            asked.append(_bought(share, answer, evidence.total))
    return tuple(asked)


def _bought(share: CodedShare, answer: Measurement, total: float) -> AskedShare:
    return AskedShare(coded=share, noisy=float(answer.counts.flat[-1]) / total, sigma=answer.sigma / total)


def coded_shares(
    shares: Iterable[tuple[Rule, Share]], codebook: Codebook, atoms: Mapping[str, Atoms]
) -> tuple[CodedShare, ...]:
    """Shares in the codes of a codebook whose axes were cut for them.

    Raises: `Mistake` for one that all records or none have by these codes, or that codes cannot tell.
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
        raise Mistake(f"The rule '{sentence}' counts no record: no declared value meets its conditions.")
    told = {name: mask for name, mask in masks.items() if not mask.all()}
    if not told:
        raise Mistake(f"The rule '{sentence}' counts every record: all declared values meet its conditions.")
    return told


def _check_cut(sentence: str, axis: Axis, decided: NDArray[np.bool_], ends: set[float]) -> None:
    """Raises: `Mistake` where a bin holds values of both kinds. Bins are cut at every end but the largest
    declared value, which the last bin of a decimal column includes."""
    cut = np.flatnonzero(~decided)
    at_last = bool(axis.edges) and axis.column.kind is Kind.DECIMAL and axis.edges[-1] in ends
    if cut.size or at_last:
        bin_cut = axis.label(int(cut[0])) if cut.size else axis.label(axis.cells - 1)
        raise Mistake(
            f"The rule '{sentence}' ends inside the bin {bin_cut} of column {axis.name!r}, whose values are "
            "modelled together. End it at an edge of that bin."
        )


def _grouped(mask: NDArray[np.bool_], group_of: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The marks of groups of codes. ValueError for a group with marked and other codes."""
    whole = np.array([mask[group_of == group].all() for group in range(group_of.max() + 1)])
    if not np.array_equal(whole[group_of], mask):
        raise ValueError("a group holds codes that a share tells apart")
    return whole
