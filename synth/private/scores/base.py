"""Define the common interface of scores. Values are integers, so that sensitivities are exact."""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain

SCALE = 1 << 10
"""Number of fixed-point units per record."""

KINDS = ("<i4", "<i8")
"""The types in which the integers of a state are stored."""

FORM = ("shapes", "kind", "codec")
"""The keys in the JSON line of a state that describe the numbers after the line."""

CODEC = "zstd"
"""The compression of states, which takes a tenth of the time of zlib."""

LARGEST = float(1 << 48)
"""Maximum sum of estimates, in weighted records. It is far below the limit of 64-bit fixed point."""


class Known(Protocol):
    """Facts that are known in addition to an answer, in the codes of its query.

    These are the released table Dhat, and bounds on the true table D that follow from the noisy tables. Each
    bound holds with probability 1 - beta.
    """

    @property
    def total(self) -> float:
        """Return the number of records."""
        ...

    def counts(self, clique: Clique) -> NDArray[np.float64]:
        """Return M_r(Dhat)."""
        ...

    def supports(self, clique: Clique) -> bool:
        """Whether the clique is part of a measured clique."""
        ...

    def measured(self, cliques: Sequence[Clique], *, beta: float) -> list[float]:
        """Return bounds on ||M_r(D) - M_r(Dhat)||_1 for cliques that are part of measured cliques."""
        ...

    def apart(self, table: NDArray[np.float64], *, beta: float) -> float | None:
        """Return a bound on ||M_s(D) - table||_1 for the winner s of a selection, if it was measured
        later.
        """
        ...


class Score(ABC):
    """A score of candidates, for selections and noisy scores. Values are int64, in units of 1/SCALE."""

    name: ClassVar[str]
    events: ClassVar[int] = 0
    """The number of bounds of `Known` that each bound of this score uses, without the bound of a winner."""
    moves_by: ClassVar[str] = "l1"
    """The attribute of `private.terms.Terms` that determines the sensitivity of the score.

    It is "l1", the total change of a table, or "cell", the largest change of one cell.
    """

    if TYPE_CHECKING:

        @property
        def cliques(self) -> Sequence[Clique]:
            """Return the candidates. Each is the clique of one table."""

    @abstractmethod
    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        """Return the score of candidate `index` from the exact counts of its clique."""

    @abstractmethod
    def sensitivity(self, rows: int) -> int:
        """Return the largest change of one score if a table changes by `rows` (see `moves_by`)."""

    def swing(self, rows: int) -> int:
        """Return the largest change of the difference of two scores if a table changes by `rows`."""
        return 2 * self.sensitivity(rows)

    @abstractmethod
    def fits(self, domain: Domain) -> bool:
        """Whether the public numbers match the cells of the tables in this domain and are exact in fixed
        point.

        Otherwise, the sensitivity would not be valid.
        """

    @abstractmethod
    def digested(self) -> Iterable[bytes | memoryview]:
        """Return the public numbers of the score in the form used for the digest in `facts`."""

    def facts(self) -> dict[str, Any]:
        """Return the public facts of the score for the ledger. Scores with the same facts are considered the
        same.
        """
        digest = hashlib.sha256()
        for part in self.digested():
            digest.update(part)
        return {"score": self.name, "candidates": len(self.cliques), "sha256": digest.hexdigest()}

    @abstractmethod
    def state(self) -> bytes:
        """Return all public numbers of the score in fixed point. `facts` contains their digest."""

    @classmethod
    @abstractmethod
    def restored(cls, state: bytes) -> Self:
        """Return the score of this kind with this state. Equal facts prove that it is the right score."""

    def forget(self, cliques: Collection[Clique]) -> Self:
        """Return the same score without the public estimates of some candidates, to save memory."""
        return self

    def applies_to(self, domain: Domain, cliques: Collection[Clique]) -> bool:
        """Whether the score provides bounds for some of these cliques, in the codes of this domain.

        By default, it provides no bounds.
        """
        return False

    def winner(self, index: int, known: Known, *, beta: float) -> float | None:
        """Return an upper bound, in counts, on the true score of a candidate that won a selection.

        Return None if no bound is known.
        """
        return None

    def bounds(
        self, limits: Sequence[float], cliques: Collection[Clique], known: Known, *, beta: float
    ) -> dict[Clique, float]:
        """Return bounds on ||M_r(D) - M_r(Dhat)||_1 for these cliques, if the true scores are at most
        `limits`.

        `limits` contains one number in counts for each candidate. Cliques without a bound are omitted. See
        `checks.bounds` for the proofs.
        """
        return {}


@dataclass(frozen=True, eq=False)
class Estimated(Score):
    """Base class of scores that compare each candidate with a public estimate of it.

    Shapes: `estimates[i]: float64[shape(cliques[i])]` in counts; empty if it was dropped.
    """

    cliques: tuple[Clique, ...]
    estimates: tuple[NDArray[np.float64], ...]

    def forget(self, cliques: Collection[Clique]) -> Self:
        gone, empty = set(cliques), np.empty(0)
        kept = tuple(empty if r in gone else e for r, e in zip(self.cliques, self.estimates, strict=True))
        return replace(self, estimates=kept)

    def estimate(self, index: int) -> NDArray[np.float64]:
        """Return the estimate as the score uses it, rounded to fixed point."""
        return np.asarray(np.rint(self.estimates[index] * SCALE) / SCALE)

    @abstractmethod
    def distance(self, index: int, limit: float) -> float | None:
        """Return a bound on ||M_r(D) - estimate_r||_1 if the true score is at most `limit`, in counts.

        Return None if there is no bound.
        """

    def applies_to(self, domain: Domain, cliques: Collection[Clique]) -> bool:
        known = (i for i, r in enumerate(self.cliques) if r in cliques and self.distance(i, 0.0) is not None)
        mine = [self.estimates[i].shape == domain.shape(self.cliques[i]) for i in known]
        return bool(mine) and all(mine)

    def bounds(
        self, limits: Sequence[float], cliques: Collection[Clique], known: Known, *, beta: float
    ) -> dict[Clique, float]:
        bounds = {}
        for i, r in enumerate(self.cliques):
            if r in cliques and self.estimates[i].size:
                distance = self.distance(i, limits[i])
                if distance is not None:
                    bounds[r] = distance + float(np.abs(known.counts(r) - self.estimate(i)).sum())
        return bounds


def fixed(estimate: NDArray[np.float64]) -> NDArray[np.int64]:
    """Convert counts to fixed point."""
    return np.rint(as_floats(estimate) * SCALE).astype(np.int64)


def as_floats(numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Return public numbers as floats, because sums of large integers could overflow."""
    return np.asarray(numbers, dtype=np.float64)


def packed(fields: Mapping[str, Any], tables: Sequence[NDArray[np.int64]]) -> bytes:
    """Return a line of JSON, followed by all tables as compressed integers (of 32 bits if they fit)."""
    numbers = np.concatenate([np.empty(0, dtype=np.int64), *(table.reshape(-1) for table in tables)])
    kind = KINDS[int(np.abs(numbers).max(initial=0)) >= 1 << 31]
    shapes = [table.shape for table in tables]
    line = json.dumps({**fields, "shapes": shapes, "kind": kind, "codec": CODEC})
    raw = numbers.astype(kind).tobytes()
    return line.encode() + b"\n" + bytes(pa.compress(raw, codec=CODEC, asbytes=True))


def unpacked(state: bytes) -> tuple[dict[str, Any], list[NDArray[np.int64]]]:
    """Return the content of `packed`. Raises: ValueError if the bytes have a different form."""
    line, _, packed = state.partition(b"\n")
    try:
        fields = json.loads(line)
        shapes = [[int(size) for size in shape] for shape in fields["shapes"]]
        sizes = [math.prod(shape) for shape in shapes]
        if fields["kind"] not in KINDS or any(size < 0 for shape in shapes for size in shape):
            raise ValueError("the stored state has a wrong kind or shape")
        raw = _raw(packed, fields.get("codec"), sum(sizes) * np.dtype(fields["kind"]).itemsize)
    except (zlib.error, OSError, KeyError, TypeError, MemoryError) as error:
        raise ValueError("a damaged state") from error
    numbers = np.frombuffer(raw, dtype=fields["kind"]).astype(np.int64)
    ends = np.cumsum(sizes, dtype=np.int64)
    parts = np.split(numbers, ends[:-1]) if len(ends) else []
    return fields, [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def _raw(packed: bytes, codec: str | None, size: int) -> bytes:
    """Decompress this many bytes of integers. Before version 0.9, states contained no codec name and used
    zlib.
    """
    if codec is None:
        return zlib.decompress(packed)
    return bytes(pa.decompress(packed, decompressed_size=size, codec=codec, asbytes=True))


def cliques_in(fields: Sequence[Sequence[str]]) -> tuple[Clique, ...]:
    return tuple(tuple(clique) for clique in fields)
