"""A mixture of trees over one forest of columns, fitted to noisy columns and pairs.

The model (Meila and Jordan 2000, with one structure for all components): component k = 1 .. K, each as likely
as another, draws every column given its parent in the forest, from T_k. A column of one code above all roots
makes one tree of it. All pair tables follow from each other, column by column, the parent p of i before it:

    G_k[j, i] = G_k[j, p] T_k[p, i]   for every j before i,        G_k[i, i] = diag(G_k[top, i]).

The fit minimises, with G = mean_k G_k,

    sum over pairs ||N G_ab - y_ab||^2 / (2 sigma_ab^2)
        + sum over columns ||N G_top,a - y_a||^2 / (2 sigma_a^2)
        + kappa mean_k KL(T_k || T),              kappa = `pull` N / median sigma of the pairs,

T the noisy pairs of the forest, shrunk. Every measured pair teaches the edges on the path between its
columns: where a tree is the truth, that is more than the answers about the edges say. The gradient runs the
recursion backwards; Adam goes along the natural one, as in `mixture_fit`.

Differs from Meila and Jordan: least squares of noisy tables instead of the likelihood of records, equal
weights, and no search for the structure within the fit: the forest is that of the strongest shrunk pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.graphs.columns import strongest_forest
from synth.core.progress import UNSAVED, Checkpoint, Reporter, silent
from synth.core.zeros import allowed_cells
from synth.models.blas import one_thread
from synth.models.mixture.mixture_blocks import Shares
from synth.models.mixture.mixture_fit import LEAST_COUNT, SPREAD, MixtureOptions, descended
from synth.models.outside import fitting_ridge, outside_table
from synth.models.targets import NoisyTable, Pair, Targets

COMPONENTS = 32
"""Most components: a tree says much by itself."""

CELLS = 1 << 24
"""Most cells of all components' pair tables, which a step holds at once."""

RIDGE = 0.5
"""Penalty of a log-factor of a pair in units of its sigma, for the pairs that components begin at."""

TOP = -1
"""The column of one code above all roots."""


@dataclass(frozen=True)
class Forest:
    """Columns in an order in which parents come first. `parents[i]` is that of column i, or `TOP`."""

    order: tuple[int, ...]
    parents: tuple[int, ...]

    @classmethod
    def strongest(cls, columns: int, weights: Mapping[Pair, float]) -> Forest:
        """Return the forest with the largest sum of positive weights."""
        parents = strongest_forest(columns, weights)
        above = (parents[i] for i in range(columns))
        return cls(tuple(parents), tuple(TOP if parent is None else parent for parent in above))


@dataclass(frozen=True, eq=False)
class Trees:
    """Components over one forest. Shapes: `tables[i]`: float32[K, codes of i's parent, codes of i], its
    distribution given the parent."""

    domain: Domain
    forest: Forest
    tables: tuple[Shares, ...]

    @property
    def components(self) -> int:
        """K."""
        return len(self.tables[0])

    @property
    def cells(self) -> int:
        """Weights of all components."""
        return sum(table.size for table in self.tables)

    @cached_property
    def _pairs(self) -> Shares:
        with one_thread():
            return np.asarray(self._numbering.pairs(self.tables).mean(axis=0))

    @cached_property
    def _numbering(self) -> _Numbering:
        return _Numbering.of(self.domain, self.forest)

    def pair(self, a: int, b: int) -> NDArray[np.float64]:
        """The distribution of two columns, by position; all pairs are made with the first."""
        return self._pairs[self._numbering.span(a), self._numbering.span(b)].astype(np.float64)

    def table(self, axes: Sequence[int]) -> NDArray[np.float64]:
        """The distribution of some columns, by position and in this order. Shapes: float64[their sizes]."""
        kept: list[tuple[int, ...]] = [()] * len(self.tables)
        given = [np.ones((self.components, size, 1)) for size in self.domain.sizes]
        top, order = np.ones((self.components, 1, 1)), list[int]()
        for i in reversed(self.forest.order):
            below, asked = given[i], kept[i]
            if i in axes:
                told = self.tables[i][:, :, :, None] * below[:, None]
                told, asked = told.reshape(*told.shape[:2], -1), (i, *asked)
            elif asked:
                told = self.tables[i].astype(np.float64) @ below
            else:
                continue
            parent = self.forest.parents[i]
            if parent == TOP:
                top, order = _joined(top, told), [*order, *asked]
            else:
                given[parent], kept[parent] = _joined(given[parent], told), (*kept[parent], *asked)
        table = top.mean(axis=0).reshape([self.domain.sizes[i] for i in order])
        return np.asarray(table.transpose([order.index(i) for i in axes]))

    def draw(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Records. Rows alike in component and parent share out the codes as evenly as whole records can.

        Shapes: int64[rows, columns].
        """
        component = rng.permutation(np.arange(rows) % self.components)
        codes = np.zeros((rows, len(self.tables) + 1), dtype=np.int64)
        for i in self.forest.order:
            shares = self.tables[i].astype(np.float64)
            _, above, size = shares.shape
            group = component * above + codes[:, self.forest.parents[i]]
            ends = np.cumsum(shares.reshape(-1, size), axis=1)
            ends = ends / ends[:, -1:] + np.arange(len(ends))[:, None]
            members = np.bincount(group, minlength=len(ends))
            shuffled = rng.permutation(rows)
            sorted_ = shuffled[np.argsort(group[shuffled], kind="stable")]
            mine = group[sorted_]
            rank = np.arange(rows) - (np.cumsum(members) - members)[mine]
            at = mine + (rank + rng.random(len(ends))[mine]) / members[mine]
            found = np.searchsorted(ends.reshape(-1), at, side="right") - mine * size
            codes[sorted_, i] = np.clip(found, 0, size - 1)
        return codes[:, :-1]


def _joined(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Independent given the same code: the cells of the one times those of the other."""
    return np.asarray((one[..., None] * other[:, :, None]).reshape(*one.shape[:2], -1))


def fit_trees(
    targets: Targets,
    *,
    options: MixtureOptions | None = None,
    rng: np.random.Generator,
    report: Reporter = silent,
    checkpoint: Checkpoint = UNSAVED,
) -> Trees:
    """Trees near the targets; a fixed number of steps. `rng` gives the values they start from.

    Pairs that structural zeros tie come into the forest first, and no weight goes to their forbidden cells;
    zeros that are not of an edge are not kept. `report` and `checkpoint` get a word every few seconds.
    """
    asked = options or MixtureOptions()
    most = max(1, CELLS // (1 + int(targets.firsts[-1])) ** 2)
    decided = MixtureOptions(
        components=min(asked.components or COMPONENTS, most),
        iterations=asked.iterations or asked.decided(targets).iterations,
        pull=asked.pull,
        rate=asked.rate,
    )
    with one_thread():
        problem = _Problem(targets, decided)
        logits = descended(problem, decided, problem.begun(rng), report, checkpoint)
        tables = tuple(_softmax(part)[0] for part in problem.parts(logits))
    return Trees(targets.domain, problem.forest, tables)


@dataclass(frozen=True)
class _Numbering:
    """All codes in the order of the forest, the one code of `TOP` first."""

    forest: Forest
    spans: tuple[slice, ...]

    @classmethod
    def of(cls, domain: Domain, forest: Forest) -> _Numbering:
        spans, end = dict[int, slice](), 1
        for i in forest.order:
            spans[i] = slice(end, end := end + domain.sizes[i])
        return cls(forest, (*(spans[i] for i in range(len(domain))), slice(0, 1)))

    @property
    def size(self) -> int:
        return max(int(span.stop) for span in self.spans)

    def span(self, i: int) -> slice:
        """The codes of a column, or of `TOP`."""
        return self.spans[i]

    def pairs(self, tables: Sequence[Shares]) -> Shares:
        """All pair tables of every component. Shapes: float32[K, size, size]."""
        pairs = np.zeros((len(tables[0]), self.size, self.size), dtype=np.float32)
        pairs[:, 0, 0] = 1
        for i in self.forest.order:
            own, above = self.span(i), self.span(self.forest.parents[i])
            pairs[:, : own.start, own] = pairs[:, : own.start, above] @ tables[i]
            pairs[:, own, : own.start] = pairs[:, : own.start, own].transpose(0, 2, 1)
            codes = np.arange(own.start, own.stop)
            pairs[:, codes, codes] = pairs[:, 0, own]
        return pairs


class _Problem:
    """The natural gradient of what is minimised, over the total, in the logits.

    Logits of all columns lie one after the other. Shapes: of column i [K, codes of its parent, codes of i].
    """

    def __init__(self, targets: Targets, options: MixtureOptions) -> None:
        total, sizes = targets.total, (*targets.domain.sizes, 1)
        self._allowed = _allowed(targets)
        likely = {pair: _likely(targets, pair, table) for pair, table in targets.pairs.items()}
        weights = {pair: _information(table) for pair, table in likely.items()}
        self.forest = Forest.strongest(len(targets.domain), weights | dict.fromkeys(self._allowed, math.inf))
        self._numbering = _Numbering.of(targets.domain, self.forest)
        self._total = total
        self._shapes = [
            (options.components, sizes[self.forest.parents[i]], n) for i, n in enumerate(sizes[:-1])
        ]
        finite = [s for s in targets.sigmas if math.isfinite(s)]
        noise = targets.typical_sigma if targets.pairs else float(np.median(finite or [1.0]))
        self._pull = np.float32(options.pull / noise)
        self._base = [self._logs(targets, i, likely, noise) for i in range(len(targets.domain))]
        codes = self._numbering.size
        self._shares, self._weights = np.zeros((2, codes, codes), dtype=np.float32)
        for i, (counts, sigma) in enumerate(zip(targets.columns, targets.sigmas, strict=True)):
            self._tell((TOP, i), counts[None], sigma, total)
        for pair, table in targets.pairs.items():
            self._tell(pair, table.counts, table.sigma, total)

    def _tell(self, pair: Pair, counts: NDArray[np.float64], sigma: float, total: float) -> None:
        one, other = (self._numbering.span(i) for i in pair)
        if one.start > other.start:
            one, other, counts = other, one, counts.T
        self._shares[one, other] = counts / total
        self._weights[one, other] = total / sigma**2

    def _logs(
        self, targets: Targets, i: int, likely: Mapping[Pair, NDArray[np.float64]], noise: float
    ) -> Shares:
        """Where column i begins given its parent: its shrunk pair, or its own distribution. A code that is
        not seen is granted a part of a count."""
        parent, own = self.forest.parents[i], targets.columns[i] / targets.total
        least = min(LEAST_COUNT, LEAST_COUNT * noise) / targets.total
        own = np.maximum(own, least)[None]
        if parent == TOP:
            return np.asarray(np.log(own / own.sum()), dtype=np.float32)
        pair = min(i, parent), max(i, parent)
        if pair not in likely:
            table = np.repeat(own, targets.domain.sizes[parent], axis=0)
        else:
            table = likely[pair] if parent < i else likely[pair].T
            table = np.maximum(table / targets.total, least * own)
        if pair in self._allowed:
            allowed = self._allowed[pair] if parent < i else self._allowed[pair].T
            table = np.where(allowed | ~allowed.any(axis=1, keepdims=True), table, 1e-30)
        return np.asarray(np.log(table / table.sum(axis=1, keepdims=True)), dtype=np.float32)

    def begun(self, rng: np.random.Generator) -> Shares:
        """The pairs of the forest, and components that differ: they have to in order to part."""
        spread = SPREAD if self._shapes[0][0] > 1 else 0.0
        drawn = [np.float32(spread) * rng.standard_normal(shape, dtype=np.float32) for shape in self._shapes]
        return np.concatenate([(b + d).reshape(-1) for b, d in zip(self._base, drawn, strict=True)])

    def parts(self, logits: Shares) -> list[Shares]:
        """The logits of every column."""
        ends = np.cumsum([math.prod(shape) for shape in self._shapes])
        parts = np.split(logits, ends[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    def loss(self, logits: Shares) -> float:
        """The mean squared distance of measured cells from their answers, in variances of their noise."""
        pairs = self._numbering.pairs([_softmax(part)[0] for part in self.parts(logits)]).mean(axis=0)
        squares = float((self._weights * np.square(pairs - self._shares)).sum())
        return self._total * squares / max(float(np.count_nonzero(self._weights)), 1.0)

    def gradient(self, logits: Shares) -> Shares:
        """Shapes: as the logits."""
        tables, logs = zip(*(_softmax(part) for part in self.parts(logits)), strict=True)
        pairs = self._numbering.pairs(tables)
        slope = pairs.mean(axis=0)
        slope -= self._shares
        slope *= self._weights
        slopes = np.repeat(slope[None], len(pairs), axis=0)
        found: list[Shares] = [self._shares] * len(tables)
        for i in reversed(self.forest.order):
            own, above = self._numbering.span(i), self._numbering.span(self.forest.parents[i])
            before = slopes[:, : own.start, own]
            natural = pairs[:, : own.start, above].transpose(0, 2, 1) @ before
            natural /= pairs[:, 0, above][:, :, None] + np.float32(1e-6)
            natural += self._pull * (logs[i] - self._base[i])
            natural -= (tables[i] * natural).sum(axis=2, keepdims=True)
            natural *= self._base[i] > FORBIDDEN
            found[i] = natural
            back = before @ tables[i].transpose(0, 2, 1)
            slopes[:, : above.start, above] += back[:, : above.start]
            slopes[:, 0, above] += np.einsum("kii->ki", back[:, above])
            slopes[:, above, above.stop : own.start] += back[:, above.stop :].transpose(0, 2, 1)
        return np.concatenate([part.reshape(-1) for part in found])


FORBIDDEN = -60.0
"""Logarithms below it are of forbidden cells, whose weight stays as it is: none."""


def _allowed(targets: Targets) -> dict[Pair, NDArray[np.bool_]]:
    """The allowed cells of every pair that a structural zero ties."""
    names, tied = targets.domain.names, dict[Pair, NDArray[np.bool_]]()
    for zero in targets.zeros:
        if len(zero.clique) == 2 and zero.forbidden.any():
            a, b = sorted(targets.domain.axes(zero.clique))
            tied[a, b] = allowed_cells(targets.domain, (names[a], names[b]), targets.zeros)
    return tied


def _likely(targets: Targets, pair: Pair, told: NoisyTable) -> NDArray[np.float64]:
    """A noisy pair, drawn towards independence as `refined` draws pairs towards its tree."""
    a, b = (targets.columns[i] for i in pair)
    alone = np.outer(a, b) / targets.total
    ridge = RIDGE * fitting_ridge(told.counts, told.sigma, expected=alone, total=targets.total)
    return outside_table(alone, told.counts, ridge * told.sigma)


def _information(table: NDArray[np.float64]) -> float:
    """Mutual information, in nats."""
    shares = table / table.sum()
    alone = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    seen = shares > 0
    return float((shares[seen] * np.log(shares[seen] / alone[seen])).sum())


def _softmax(logits: Shares) -> tuple[Shares, Shares]:
    """Distributions along the last axis, and their logarithms."""
    logs = logits - logits.max(axis=-1, keepdims=True)
    shares = np.exp(logs)
    whole = shares.sum(axis=-1, keepdims=True)
    shares /= whole
    logs -= np.log(whole)
    return shares, logs
