"""Scores a mechanism may ask a selection for: a closed list, each with its swing.

A score is evaluated behind the wall on exact counts, in integers, so that its sensitivity is exact:
estimates are public numbers rounded to `SCALE`-ths of a record beforehand, absolute differences and sums of
integers are exact, and so is every product with an integer weight.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from synth.domain import Clique, Domain

SCALE = 1 << 10
"""Fixed-point units per record."""

LARGEST = float(1 << 48)
"""The largest sum of estimates, in weighted records: far below where 64 bits of fixed point end."""


class Score(Protocol):
    """What the room needs to know of a score. Values are int64 in units of 1/SCALE."""

    name: str

    @property
    def cliques(self) -> Sequence[Clique]:
        """The candidates, one table each."""
        ...

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        """The score of candidate `index` on exact counts of its clique."""
        ...

    def sensitivity(self, l1: int) -> int:
        """How far one score moves when a table's counts move by at most `l1` in L1 norm."""
        ...

    def swing(self, l1: int) -> int:
        """How far apart two scores can be driven by the same change (at most twice the sensitivity)."""
        ...

    def fits(self, domain: Domain) -> bool:
        """Whether the public numbers are as many as its tables have cells in this domain, and all of them
        numbers that fixed point holds exactly; of any others no sensitivity is true."""
        ...

    def facts(self) -> dict[str, Any]:
        """The question in public words for the ledger: same facts, same question."""
        ...

    def state(self) -> bytes:
        """All its public numbers in fixed point: what `facts` tells the digest of."""
        ...

    def restored(self, state: bytes) -> Self:
        """The score of this kind that has this state; equal facts show that it is the one meant."""
        ...

    def forget(self, cliques: Collection[Clique]) -> Self:
        """The same score without the public estimates of some candidates, to save memory."""
        ...


@dataclass(frozen=True, eq=False)
class L1Gap:
    """w_r * ( ||M_r(D) - estimate_r||_1 - penalty_r ), the score of AIM (Alg. 4) and MWEM.

    Shapes: `estimates[i]: float64[shape(cliques[i])]` in counts; `weights[i]`: non-negative integers;
    `penalties[i]`: counts. Privacy: adding one record moves one cell by one, hence the L1 norm by at most
    one and the score by at most w_r; candidates can move in opposite directions, so the swing is twice the
    largest weight. Both are exact in fixed point.
    """

    cliques: tuple[Clique, ...]
    estimates: tuple[NDArray[np.float64], ...]
    weights: tuple[int, ...]
    penalties: tuple[float, ...]
    name = "l1_gap"

    def __post_init__(self) -> None:
        if not len(self.cliques) == len(self.estimates) == len(self.weights) == len(self.penalties):
            raise ValueError("an L1 gap needs one estimate, weight and penalty per clique")
        if any(w < 0 or not float(w).is_integer() for w in self.weights):
            raise ValueError("weights of an L1 gap are non-negative integers")

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        gap = int(np.abs(counts.reshape(-1) * SCALE - _fixed(self.estimates[index]).reshape(-1)).sum())
        return self.weights[index] * (gap - round(self.penalties[index] * SCALE))

    def sensitivity(self, l1: int) -> int:
        return max(self.weights, default=0) * l1 * SCALE

    def swing(self, l1: int) -> int:
        return 2 * self.sensitivity(l1)

    def fits(self, domain: Domain) -> bool:
        """Sums of absolute values, as NaN and infinity are beyond every limit."""
        return all(
            estimate.size == domain.size(clique)
            and (float(np.abs(estimate).sum()) + abs(penalty)) * max(weight, 1) <= LARGEST
            for clique, estimate, weight, penalty in zip(
                self.cliques, self.estimates, self.weights, self.penalties, strict=True
            )
        )

    def facts(self) -> dict[str, Any]:
        digest = hashlib.sha256()
        for clique, estimate, weight, penalty in zip(
            self.cliques, self.estimates, self.weights, self.penalties, strict=True
        ):
            digest.update(repr((clique, weight, round(penalty * SCALE))).encode())
            digest.update(_fixed(estimate).tobytes())
        return {"score": self.name, "candidates": len(self.cliques), "sha256": digest.hexdigest()}

    def state(self) -> bytes:
        penalties = [round(p * SCALE) for p in self.penalties]
        told = {"cliques": self.cliques, "weights": [int(w) for w in self.weights], "penalties": penalties}
        return _packed(told, [_fixed(estimate) for estimate in self.estimates])

    def restored(self, state: bytes) -> L1Gap:
        told, tables = _unpacked(state)
        return L1Gap(
            cliques=_cliques(told["cliques"]),
            estimates=tuple(table / SCALE for table in tables),
            weights=tuple(told["weights"]),
            penalties=tuple(p / SCALE for p in told["penalties"]),
        )

    def forget(self, cliques: Collection[Clique]) -> L1Gap:
        gone, empty = set(cliques), np.empty(0)
        kept = tuple(empty if r in gone else e for r, e in zip(self.cliques, self.estimates, strict=True))
        return replace(self, estimates=kept)


@dataclass(frozen=True)
class InDif:
    """||M_ab(D) - M_a(D) M_b(D) / |D| ||_1 in counts, for pairs of columns: PrivSyn's InDif, ABSyn's R-score
    times the number of records. 0 for an empty table.

    The pair's own counts give its one-ways and |D|, all exact: sum |n c_ab - c_a c_b| is an integer, and the
    value is that sum times SCALE / n, rounded down.
    Privacy: let p = M_a / n, q = M_b / n. A record (a0, b0) added to n others changes the difference by
    exactly n / (n + 1) (e_a0 - p)(e_b0 - q)^T, whose L1 norm 4 n / (n + 1) (1 - p_a0)(1 - q_b0) is below 4.
    Rounding down keeps an integer bound: x <= y + 4 SCALE implies floor(x) <= floor(y) + 4 SCALE. A change of
    `l1` is that many records added or removed one after the other. One record may raise one pair and lower
    another by nearly 4, so the swing is twice the sensitivity. Shares instead of counts would divide by the
    secret n, and no fixed sensitivity would hold.
    """

    cliques: tuple[Clique, ...]
    name = "indif"

    def __post_init__(self) -> None:
        if any(len(r) != 2 for r in self.cliques):
            raise ValueError("InDif is a score of pairs of columns")

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        n = int(counts.sum())
        if n == 0:
            return 0
        table: NDArray[Any] = counts.astype(object) if n >= 1 << 31 else counts
        gap = int(np.abs(n * table - np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
        return gap * SCALE // n

    def sensitivity(self, l1: int) -> int:
        return 4 * l1 * SCALE

    def swing(self, l1: int) -> int:
        return 2 * self.sensitivity(l1)

    def fits(self, domain: Domain) -> bool:
        """Always: it is told no number."""
        return True

    def facts(self) -> dict[str, Any]:
        digest = hashlib.sha256(repr(self.cliques).encode()).hexdigest()
        return {"score": self.name, "candidates": len(self.cliques), "sha256": digest}

    def state(self) -> bytes:
        return _packed({"cliques": self.cliques}, [])

    def restored(self, state: bytes) -> InDif:
        return InDif(_cliques(_unpacked(state)[0]["cliques"]))

    def forget(self, cliques: Collection[Clique]) -> InDif:
        return self


@dataclass(frozen=True, eq=False)
class Dependence:
    """||M_r(D) - p M_P(D)||_1 in counts: how far a child is from knowing nothing of its parents P.

    PrivBayes' R-score (Zhang et al. 2017, section 4.5) is sum |Pr[x, P] - Pr[x] Pr[P]| / 2; this is 2 |D|
    times it, with a public estimate p in place of the child's own distribution. Shapes: `children[i]`: the
    one column of cliques[i] that is the child, the others are its parents; `columns[child]: float64[size]`,
    non-negative counts with a positive sum, whose shares are p. They are rounded to integers q_x that sum to
    exactly `WHOLE`, the parents' table is summed from the clique's own exact counts, and the value is the
    integer sum |WHOLE c - q_x c_P| times SCALE / WHOLE, rounded down.
    Privacy: a record (x0, P0) moves only the cells (x, P0), by 1 - p_x0 where x = x0 and by p_x elsewhere,
    which is 2 (1 - p_x0) together, at most 2. With the table's own p that would double, and in shares the
    secret |D| would divide it. Rounding down keeps an integer bound, and a change of `l1` is that many
    records one after the other (see `InDif`). One record may raise one candidate and lower another by nearly
    2, so the swing is twice the sensitivity.
    """

    cliques: tuple[Clique, ...]
    children: tuple[str, ...]
    columns: Mapping[str, NDArray[np.float64]]
    name = "dependence"

    def __post_init__(self) -> None:
        if len(self.cliques) != len(self.children):
            raise ValueError("a dependence needs one child per clique")
        if any(child not in r or child not in self.columns for r, child in self._families()):
            raise ValueError("the child is a column of its clique, with an estimate")

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        clique, child = self.cliques[index], self.children[index]
        whole = _whole_shares(self.columns[child])
        table = np.moveaxis(counts, clique.index(child), 0).reshape(whole.size, -1)
        gap = int(np.abs(WHOLE * table - np.outer(whole, table.sum(axis=0))).sum())
        return gap * SCALE // WHOLE

    def sensitivity(self, l1: int) -> int:
        return 2 * l1 * SCALE

    def swing(self, l1: int) -> int:
        return 2 * self.sensitivity(l1)

    def fits(self, domain: Domain) -> bool:
        """A distribution that is none has no shares."""
        used = {child: self.columns[child] for child in self.children}
        return all(
            column.size == domain.size((child,)) and column.min() >= 0 and 0 < float(column.sum()) <= LARGEST
            for child, column in used.items()
        )

    def facts(self) -> dict[str, Any]:
        digest = hashlib.sha256(repr(list(self._families())).encode())
        for child in sorted(set(self.children)):
            digest.update(repr(child).encode() + _whole_shares(self.columns[child]).tobytes())
        return {"score": self.name, "candidates": len(self.cliques), "sha256": digest.hexdigest()}

    def state(self) -> bytes:
        used = sorted(set(self.children))
        told = {"cliques": self.cliques, "children": self.children, "columns": used}
        return _packed(told, [_whole_shares(self.columns[child]) for child in used])

    def restored(self, state: bytes) -> Dependence:
        told, shares = _unpacked(state)
        columns = {name: whole / WHOLE for name, whole in zip(told["columns"], shares, strict=True)}
        return Dependence(_cliques(told["cliques"]), tuple(told["children"]), columns)

    def forget(self, cliques: Collection[Clique]) -> Dependence:
        return self

    def shares(self, child: str) -> NDArray[np.float64]:
        """p as the score uses it: rounded to fixed point. Shapes: float64[size]."""
        return np.asarray(_whole_shares(self.columns[child]) / WHOLE)

    def _families(self) -> Iterator[tuple[Clique, str]]:
        return zip(self.cliques, self.children, strict=True)


WHOLE = 1 << 20
"""Fixed-point units of a distribution."""


def _whole_shares(column: NDArray[np.float64]) -> NDArray[np.int64]:
    """A distribution in integers that sum to WHOLE; what rounding down leaves goes to the largest."""
    whole: NDArray[np.int64] = np.floor(column / column.sum() * WHOLE).astype(np.int64)
    whole[np.argmax(whole)] += WHOLE - whole.sum()
    return whole


def _fixed(estimate: NDArray[np.float64]) -> NDArray[np.int64]:
    """Counts to fixed point."""
    return np.rint(estimate * SCALE).astype(np.int64)


def _packed(told: Mapping[str, Any], tables: Sequence[NDArray[np.int64]]) -> bytes:
    """A line of JSON, then all tables as compressed integers, 32 bits each where they fit."""
    reach = max((int(np.abs(table).max(initial=0)) for table in tables), default=0)
    kind = "<i4" if reach < 1 << 31 else "<i8"
    line = json.dumps({**told, "shapes": [table.shape for table in tables], "kind": kind})
    raw = b"".join(np.ascontiguousarray(table, dtype=kind).tobytes() for table in tables)
    return line.encode() + b"\n" + zlib.compress(raw, 1)


def _unpacked(state: bytes) -> tuple[dict[str, Any], list[NDArray[np.int64]]]:
    """What `_packed` packed. ValueError if it is something else."""
    line, _, packed = state.partition(b"\n")
    try:
        told, raw = json.loads(line), zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError("a damaged state") from error
    numbers = np.frombuffer(raw, dtype=told["kind"]).astype(np.int64)
    ends = np.cumsum([math.prod(shape) for shape in told["shapes"]], dtype=np.int64)
    parts = np.split(numbers, ends[:-1]) if len(ends) else []
    return told, [part.reshape(shape) for part, shape in zip(parts, told["shapes"], strict=True)]


def _cliques(told: Sequence[Sequence[str]]) -> tuple[Clique, ...]:
    return tuple(tuple(clique) for clique in told)
