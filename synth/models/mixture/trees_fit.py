"""Fit a mixture of trees over a common forest of columns to noisy one-way tables and pair tables.

The model (Meila and Jordan 2000, with one structure for all components) has K components with equal
probability. Component k draws every column given its parent in the forest, from T_k. An additional column
with one code is the parent of all roots and makes the forest a tree. All pair tables are computed column by
column, where the parent p of i comes before i:

    G_k[j, i] = G_k[j, p] T_k[p, i]   for every j before i,        G_k[i, i] = diag(G_k[top, i]).

The fit minimises, with G = mean_k G_k,

    sum over pairs ||N G_ab - y_ab||^2 / (2 sigma_ab^2)
        + sum over columns ||N G_top,a - y_a||^2 / (2 sigma_a^2)
        + kappa mean_k KL(T_k || T),              kappa = `pull` N / median sigma of the pairs,

where T contains the shrunk noisy pairs of the forest. Every measured pair contributes to the edges on the
path between its columns. If the true distribution is a tree, this provides more information than the
measurements of the edges alone. The gradient is computed by the reverse recursion. Adam uses the natural
gradient, as in `mixture_fit` (`descent`).

Differences from Meila and Jordan: the objective is least squares on noisy tables instead of the likelihood of
records, and the weights are equal. The structure is not searched during the fit, because the forest consists
of the strongest shrunk pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.graphs.columns import strongest_forest
from synth.core.progress import Reporter, silent
from synth.core.zeros import allowed_cells
from synth.models.blas import one_thread
from synth.models.mixture.descent import AGAIN, MixtureOptions, descended
from synth.models.mixture.mixture_blocks import Shares
from synth.models.mixture.mixture_fit import LEAST_COUNT, SPREAD
from synth.models.outside import outside_tables
from synth.models.targets import Pair, Targets

COMPONENTS = 32
"""Maximum number of components. A few suffice, because a single tree already represents many relations."""

CELLS = 1 << 24
"""Maximum number of cells of all components' pair tables, which are in memory during a step."""

RIDGE = 0.5
"""Penalty of a pair's log-factor, in units of its sigma, for the pairs from which the components start."""

TOP = -1
"""Number of the additional column with one code, which is the parent of all roots."""


@dataclass(frozen=True)
class Forest:
    """Columns in an order in which parents precede their children. `parents[i]` is the parent of column i, or
    `TOP`.
    """

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
    """Components over one forest. Shapes: `tables[i]`: float32[K, codes of i's parent, codes of i], the
    distribution of column i given its parent.
    """

    domain: Domain
    forest: Forest
    tables: tuple[Shares, ...]

    @property
    def components(self) -> int:
        """The number of components K."""
        return len(self.tables[0])

    @property
    def cells(self) -> int:
        """The number of weights of all components."""
        return sum(table.size for table in self.tables)

    @cached_property
    def _pairs(self) -> Shares:
        with one_thread():
            return np.asarray(self._numbering.pairs(self.tables).mean(axis=0))

    @cached_property
    def _numbering(self) -> _Numbering:
        return _Numbering.of(self.domain, self.forest)

    def pair(self, a: int, b: int) -> NDArray[np.float64]:
        """Return the joint distribution of the columns at two positions. The first call computes all
        pairs.
        """
        return self._pairs[self._numbering.span(a), self._numbering.span(b)].astype(np.float64)

    def table(self, axes: Sequence[int]) -> NDArray[np.float64]:
        """Return the joint distribution of the columns at the given positions, in this order. Shapes:
        float64[their sizes].
        """
        kept: list[tuple[int, ...]] = [()] * len(self.tables)
        given = [np.ones((self.components, size, 1)) for size in self.domain.sizes]
        top, order = np.ones((self.components, 1, 1)), list[int]()
        for i in reversed(self.forest.order):
            below, requested = given[i], kept[i]
            if i in axes:
                noisy = self.tables[i][:, :, :, None] * below[:, None]
                noisy, requested = noisy.reshape(*noisy.shape[:2], -1), (i, *requested)
            elif requested:
                noisy = self.tables[i].astype(np.float64) @ below
            else:
                continue
            parent = self.forest.parents[i]
            if parent == TOP:
                top, order = _joined(top, noisy), [*order, *requested]
            else:
                given[parent], kept[parent] = _joined(given[parent], noisy), (*kept[parent], *requested)
        table = top.mean(axis=0).reshape([self.domain.sizes[i] for i in order])
        return np.asarray(table.transpose([order.index(i) for i in axes]))

    def draw(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw records. Among records with the same component and the same parent code, the counts of the
        codes are as close to the distribution as integers allow.

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
    """Return the joint table of two groups of columns that are independent given a third column."""
    return np.asarray((one[..., None] * other[:, :, None]).reshape(*one.shape[:2], -1))


def fit_trees(
    targets: Targets,
    *,
    options: MixtureOptions | None = None,
    rng: np.random.Generator,
    start: Trees | None = None,
    report: Reporter = silent,
) -> Trees:
    """Fit trees to the targets in a fixed number of steps. `rng` draws the initial values. If `start` is an
    earlier fit, columns with the same parent continue from it, with the steps of `AGAIN`.

    Pairs of a common structural zero enter the forest first, and their forbidden cells have no weight. Zeros
    that do not belong to an edge are not enforced. `report` is called every few seconds.
    """
    requested = options or MixtureOptions()
    most = max(1, CELLS // (1 + int(targets.firsts[-1])) ** 2)
    decided = MixtureOptions(
        components=min(requested.components or COMPONENTS, most),
        iterations=requested.iterations or requested.decided(targets).iterations,
        pull=requested.pull,
        rate=requested.rate,
    )
    with one_thread():
        problem = _Problem(targets, decided)
        logits = problem.begun(rng)
        if start is not None and start.domain == targets.domain and start.components == decided.components:
            logits = problem.continued(logits, start)
            decided = replace(decided, rate=AGAIN.rate, iterations=AGAIN.iterations)
        logits = descended(problem, decided, logits, report)
        tables = tuple(_softmax(part)[0] for part in problem.parts(logits))
    return Trees(targets.domain, problem.forest, tables)


@dataclass(frozen=True)
class _Numbering:
    """A numbering of all codes in the order of the forest, starting with the single code of `TOP`."""

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
        """Return the range of the codes of a column, or of `TOP`."""
        return self.spans[i]

    def pairs(self, tables: Sequence[Shares], out: Shares | None = None) -> Shares:
        """Return all pair tables of every component, in `out` if it contains earlier ones. Shapes: float32[K,
        size, size].
        """
        shape = len(tables[0]), self.size, self.size
        pairs = np.zeros(shape, dtype=np.float32) if out is None else out
        pairs[:, 0, 0] = 1
        for i in self.forest.order:
            own, above = self.span(i), self.span(self.forest.parents[i])
            before = pairs[:, own, : own.start]
            np.matmul(tables[i].transpose(0, 2, 1), pairs[:, above, : own.start], out=before)
            pairs[:, : own.start, own] = before.transpose(0, 2, 1)
            codes = np.arange(own.start, own.stop)
            pairs[:, codes, codes] = before[:, :, 0]
        return pairs


class _Problem:
    """The objective divided by the total, and its natural gradient in the logits.

    The logits of all columns are concatenated. The logits of column i have the shape [K, codes of its parent,
    codes of i].
    """

    def __init__(self, targets: Targets, options: MixtureOptions) -> None:
        total, sizes = targets.total, (*targets.domain.sizes, 1)
        self._allowed = _allowed(targets)
        likely = _likely(targets)
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
        self._shares = np.zeros((codes, codes), dtype=np.float32)
        self._weights = [
            np.zeros(self._numbering.span(i).start, dtype=np.float32) for i in range(len(targets.domain))
        ]
        self._pairs, self._slopes = np.zeros((2, options.components, codes, codes), dtype=np.float32)
        self._measured = 0
        for i, (counts, sigma) in enumerate(zip(targets.columns, targets.sigmas, strict=True)):
            self._tell((TOP, i), counts[None], sigma, total)
        for pair, table in targets.pairs.items():
            self._tell(pair, table.counts, table.sigma, total)

    def _tell(self, pair: Pair, counts: NDArray[np.float64], sigma: float, total: float) -> None:
        first, last = sorted(pair, key=lambda i: self._numbering.span(i).start)
        earlier, later = self._numbering.span(first), self._numbering.span(last)
        self._shares[later, earlier] = (counts if pair == (last, first) else counts.T) / total
        self._weights[last][earlier] = total / sigma**2
        self._measured += counts.size if math.isfinite(sigma) else 0

    def _logs(
        self, targets: Targets, i: int, likely: Mapping[Pair, NDArray[np.float64]], noise: float
    ) -> Shares:
        """Return the initial logits of column i given its parent, computed from its shrunk pair or from its
        own distribution. A code with a count of zero gets a fraction of a count.
        """
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
            table = np.where(allowed | ~allowed.any(axis=1, keepdims=True), table, LEAST_SHARE)
        return np.asarray(np.log(table / table.sum(axis=1, keepdims=True)), dtype=np.float32)

    def begun(self, rng: np.random.Generator) -> Shares:
        """Return initial logits computed from the pairs of the forest, with random differences between
        components, so that the components can separate.
        """
        spread = SPREAD if self._shapes[0][0] > 1 else 0.0
        drawn = [np.float32(spread) * rng.standard_normal(shape, dtype=np.float32) for shape in self._shapes]
        return np.concatenate([(b + d).reshape(-1) for b, d in zip(self._base, drawn, strict=True)])

    def continued(self, logits: Shares, start: Trees) -> Shares:
        """Return the logits of an earlier fit for columns with the same parent, and otherwise the given
        logits.
        """
        parts = [
            np.log(np.maximum(table, LEAST_SHARE)) if before == parent else part
            for part, table, before, parent in zip(
                self.parts(logits), start.tables, start.forest.parents, self.forest.parents, strict=True
            )
        ]
        return np.concatenate([part.reshape(-1) for part in parts])

    def parts(self, logits: Shares) -> list[Shares]:
        """Return the logits of every column."""
        ends = np.cumsum([math.prod(shape) for shape in self._shapes])
        parts = np.split(logits, ends[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    def _off(self, i: int) -> Shares:
        """Return the difference between the model and the noisy shares of column i and all columns before it.
        Shapes: float32[codes of i, codes before i].
        """
        own = self._numbering.span(i)
        if len(self._pairs) == 1:
            return np.asarray(self._pairs[0, own, : own.start] - self._shares[own, : own.start])
        off = self._pairs[:, own, : own.start].mean(axis=0)
        off -= self._shares[own, : own.start]
        return np.asarray(off)

    def loss(self, logits: Shares) -> float:
        """Return the mean squared distance between the model and the measured cells, in units of their noise
        variance.
        """
        self._numbering.pairs([_softmax(part)[0] for part in self.parts(logits)], self._pairs)
        squares = sum(float((np.square(self._off(i)) @ w).sum()) for i, w in enumerate(self._weights))
        return self._total * squares / max(self._measured, 1)

    def gradient(self, logits: Shares) -> Shares:
        """Return the natural gradient. Shapes: the shape of the logits."""
        tables, logs = self._softmaxes(logits)
        pairs, slopes = self._numbering.pairs(tables, self._pairs), self._slopes
        slopes.fill(0)
        found: list[Shares] = [self._shares] * len(tables)
        for i in reversed(self.forest.order):
            own, above = self._numbering.span(i), self._numbering.span(self.forest.parents[i])
            before = slopes[:, own, : own.start]
            before += self._off(i) * self._weights[i]
            natural = pairs[:, above, : own.start] @ before.transpose(0, 2, 1)
            natural /= pairs[:, above, :1] + np.float32(1e-6)
            found[i] = natural
            back = tables[i] @ before
            slopes[:, above, : above.start] += back[:, :, : above.start]
            slopes[:, above, 0] += np.einsum("kii->ki", back[:, :, above])
            slopes[:, above.stop : own.start, above] += back[:, :, above.stop :].transpose(0, 2, 1)
        flat = np.empty_like(logits)
        for columns, places, base, is_free in self._alike:
            natural = np.stack([found[i] for i in columns])
            shares = np.stack([tables[i] for i in columns])
            natural += self._pull * (np.stack([logs[i] for i in columns]) - base)
            natural -= (shares * natural).sum(axis=3, keepdims=True)
            natural *= is_free
            flat[places] = natural
        return flat

    @cached_property
    def _alike(self) -> list[tuple[list[int], NDArray[np.intp], Shares, NDArray[np.bool_]]]:
        """Return the columns of each shape, the places of their logits, and facts about these."""
        ends = np.cumsum([0, *(math.prod(shape) for shape in self._shapes)])
        alike: dict[tuple[int, int, int], list[int]] = {}
        for i, shape in enumerate(self._shapes):
            alike.setdefault(shape, []).append(i)
        groups = []
        for shape, columns in alike.items():
            places = np.stack([np.arange(ends[i], ends[i + 1]).reshape(shape) for i in columns])
            base = np.stack([np.broadcast_to(self._base[i], shape) for i in columns])
            groups.append((columns, places, base, base > FORBIDDEN))
        return groups

    def _softmaxes(self, logits: Shares) -> tuple[list[Shares], list[Shares]]:
        """Return the distributions of all columns given their parents, and their logarithms."""
        tables, logs = [self._shares] * len(self._shapes), [self._shares] * len(self._shapes)
        for columns, places, _, _ in self._alike:
            shares, found = _softmax(logits[places])
            for n, i in enumerate(columns):
                tables[i], logs[i] = shares[n], found[n]
        return tables, logs


LEAST_SHARE, FORBIDDEN = 1e-30, -60.0
"""Probability of a forbidden cell, and logarithm below which a cell is treated as forbidden, so that its
weight remains zero.
"""


def _allowed(targets: Targets) -> dict[Pair, NDArray[np.bool_]]:
    """Return the allowed cells of every pair with a common structural zero."""
    names, tied = targets.domain.names, dict[Pair, NDArray[np.bool_]]()
    for zero in targets.zeros:
        if len(zero.clique) == 2 and zero.forbidden.any():
            a, b = sorted(targets.domain.axes(zero.clique))
            tied[a, b] = allowed_cells(targets.domain, (names[a], names[b]), targets.zeros)
    return tied


def _likely(targets: Targets) -> dict[Pair, NDArray[np.float64]]:
    """Return the noisy pairs after shrinking them towards independence, in the way that `refined` shrinks
    pairs towards its tree.
    """
    columns, tables = targets.columns, targets.pairs.values()
    alone = [np.outer(columns[a], columns[b]) / targets.total for a, b in targets.pairs]
    counts, sigmas = [table.counts for table in tables], [table.sigma for table in tables]
    likely = outside_tables(alone, counts, sigmas, ridge=RIDGE, total=targets.total)
    return dict(zip(targets.pairs, likely, strict=True))


def _information(table: NDArray[np.float64]) -> float:
    """Return the mutual information of the two columns, in nats."""
    shares = table / table.sum()
    alone = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    seen = shares > 0
    return float((shares[seen] * np.log(shares[seen] / alone[seen])).sum())


def _softmax(logits: Shares) -> tuple[Shares, Shares]:
    """Return the distributions along the last axis, and their logarithms."""
    logs = logits - logits.max(axis=-1, keepdims=True)
    shares = np.exp(logs)
    whole = shares.sum(axis=-1, keepdims=True)
    shares /= whole
    logs -= np.log(whole)
    return shares, logs
