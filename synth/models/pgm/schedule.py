"""The order in which tables are multiplied and summed. It is planned once per structure and executed once per
sweep.

Inside a clique, the factors and the messages of the children are multiplied pairwise, smallest first, so that
few products have the size of the whole clique. The reverse pass through the same tree of products computes
the marginals of all factors and messages. Each is computed by summing the smallest table that contains it.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from synth.core.domain import Domain
from synth.core.graphs.triangulation import triangulate, weigher
from synth.models.pgm.bundles import Bundles
from synth.models.pgm.reduction import Reduction, reduction
from synth.models.pgm.tree import JunctionTree


@dataclass(frozen=True)
class Product:
    """A product `out = left * right`, whose slots are given by number. If `out == left`, the product is
    computed in place.
    """

    left: int
    right: int
    out: int


@dataclass(frozen=True, eq=False)
class Sum:
    """A sum of `source` into `target` over the columns that the target does not contain."""

    source: int
    target: int
    reduce: Reduction


@dataclass(frozen=True, eq=False)
class Schedule:
    """A junction tree with each factor assigned to a clique, and its operations in order.

    The first `measured` of the `factors` (masks of columns) have marginals. `bundles` defines which of them
    share a table. The slots are, in this order: the bundles, the message of every clique to its parent
    (unused for the root), a constant 1, and the products. `slots[s]`: the mask of a slot's columns.
    `beliefs[c]`: the slot that contains clique c's table after a sweep.
    """

    tree: JunctionTree
    factors: tuple[int, ...]
    measured: int
    bundles: Bundles
    slots: tuple[int, ...]
    products: tuple[tuple[Product, ...], ...]
    beliefs: tuple[int, ...]
    upward: tuple[Reduction, ...]
    downward: tuple[tuple[Sum, ...], ...]

    @staticmethod
    def of(domain: Domain, factors: Sequence[int], measured: int) -> Schedule:
        """Return the plan for factors over the given masks of columns. Each column without a factor becomes a
        separate clique. Plans are cached, so that a second fit of the same structure needs no planning.
        """
        return _plan(domain, tuple(factors), measured)

    @property
    def one(self) -> int:
        """The slot of the constant 1."""
        return len(self.bundles.masks) + len(self.tree.masks)

    def message(self, c: int) -> int:
        """Return the slot of a clique's message to its parent."""
        return len(self.bundles.masks) + c


@lru_cache(maxsize=8)
def _plan(domain: Domain, factors: tuple[int, ...], measured: int) -> Schedule:
    tree = JunctionTree.of(domain, triangulate(_adjacency(domain, factors), domain.sizes))
    weigh = weigher(domain.sizes)
    weights = [weigh(mask) for mask in tree.masks]

    def home(factor: int) -> int:
        holding = (c for c, mask in enumerate(tree.masks) if factor & mask == factor)
        return min(holding, key=weights.__getitem__)

    bundles = Bundles.of(tree, factors, [home(factor) for factor in factors], measured)
    inside: list[list[int]] = [[] for _ in tree.masks]
    for k, bundle in enumerate(bundles.masks):
        inside[home(bundle)].append(k)
    first_message, one = len(bundles.masks), len(bundles.masks) + len(tree.masks)
    slots = [*bundles.masks, *(tree.separator(c) for c in range(len(tree.masks))), 0]
    wanted = {*range(bundles.measured), *(first_message + c for c in tree.order[1:])}
    products, beliefs, downward = [], [], []
    for c, mask in enumerate(tree.masks):
        operands = inside[c] + [first_message + child for child in tree.children[c]]
        merges = _merge(operands, mask, slots, one=one, sizes=domain.sizes)
        belief = merges[-1].out if merges else operands[0]
        products.append(tuple(merges))
        beliefs.append(belief)
        downward.append(tuple(_sums(tree, merges, slots, wanted=wanted)))
    upward = tuple(_reduce(tree, mask, tree.separator(c)) for c, mask in enumerate(tree.masks))
    return Schedule(
        tree,
        factors,
        measured,
        bundles,
        tuple(slots),
        tuple(products),
        tuple(beliefs),
        upward,
        tuple(downward),
    )


def _adjacency(domain: Domain, factors: Sequence[int]) -> list[int]:
    adjacency = [0] * len(domain)
    for i in range(len(domain)):
        for mask in factors:
            if mask >> i & 1:
                adjacency[i] |= mask & ~(1 << i)
    return adjacency


def _merge(
    operands: Sequence[int], mask: int, slots: list[int], *, one: int, sizes: tuple[int, ...]
) -> list[Product]:
    """Multiply the operands into one table over `mask`. The slots needed for this are appended to `slots`."""
    weigh = weigher(sizes)
    pending = sorted((weigh(slots[s]), s) for s in operands)
    merges = []
    while len(pending) > 1:
        _, guest = pending.pop(0)
        union = [weigh(slots[guest] | slots[s]) for _, s in pending]
        _, host = pending[union.index(min(union))]
        both = slots[guest] | slots[host]
        if both == slots[host]:
            merges.append(Product(host, guest, host))
            continue
        pending.remove((weigh(slots[host]), host))
        slots.append(both)
        merges.append(Product(host, guest, len(slots) - 1))
        insort(pending, (weigh(both), len(slots) - 1))
    last = pending[0][1] if pending else one
    if slots[last] != mask or last == one:
        slots.append(mask)
        merges.append(Product(last, one, len(slots) - 1))
    return merges


def _sums(tree: JunctionTree, merges: Sequence[Product], slots: list[int], *, wanted: set[int]) -> list[Sum]:
    """Return the sums of the reverse pass through the products, down to every requested operand."""
    needed = set(wanted)
    for merge in merges:
        if merge.left in needed or merge.right in needed:
            needed.add(merge.out)
    sums = []
    for merge in reversed(merges):
        for part in {merge.left, merge.right} - {merge.out}:
            if part in needed:
                sums.append(Sum(merge.out, part, _reduce(tree, slots[merge.out], slots[part])))
    return sums


def _reduce(tree: JunctionTree, mask: int, keep: int) -> Reduction:
    return reduction(tree.shape(mask), tuple(bool(keep >> i & 1) for i in tree.layout(mask)))


def offsets(plan: Schedule) -> list[int]:
    """Return the start of each bundle in the flat vector of all bundles' cells, and the end of the vector."""
    starts = [0]
    for mask in plan.bundles.masks:
        starts.append(starts[-1] + math.prod(plan.tree.shape(mask)))
    return starts
