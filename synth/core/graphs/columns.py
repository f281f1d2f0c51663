"""Graphs of columns: connected parts, blocks, maximum spanning forests.

Columns are numbered 0 .. n - 1. `adjacency[i]` is the bitmask of the neighbours of column i, without i.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def first_connected(adjacency: Sequence[int]) -> tuple[int, ...]:
    """Return for each column the first column of its connected part.

    >>> first_connected([0b100, 0, 0b001])
    (0, 1, 0)
    """
    first = [-1] * len(adjacency)
    for column in range(len(adjacency)):
        waiting = 0 if first[column] >= 0 else 1 << column
        reached = waiting
        while waiting:
            i = waiting.bit_length() - 1
            first[i] = column
            new = adjacency[i] & ~reached
            reached |= new
            waiting = waiting & ~(1 << i) | new
    return tuple(first)


def block_masks(adjacency: Sequence[int]) -> list[int]:
    """Return the biconnected blocks as bitmasks; an isolated column is a block by itself.

    The blocks of a connected part are in depth-first order, the parts in order of their first column. A block
    ends where nothing below a column reaches above it (Hopcroft and Tarjan 1973).

    >>> [bin(mask) for mask in block_masks([0b010, 0b101, 0b010, 0])]
    ['0b110', '0b11', '0b1000']
    """
    blocks, seen = list[int](), 0
    depth, lowest = [0] * len(adjacency), [0] * len(adjacency)
    for root, neighbours in enumerate(adjacency):
        if seen >> root & 1:
            continue
        if not neighbours:
            blocks.append(1 << root)
        way, inside, left = [root], [root], [0] * len(adjacency)
        left[root], depth[root], lowest[root] = neighbours, 0, 0
        seen |= 1 << root
        while way:
            i = way[-1]
            if left[i]:
                low = left[i] & -left[i]
                left[i] ^= low
                j = low.bit_length() - 1
                if not seen & low:
                    seen |= low
                    depth[j] = lowest[j] = len(way)
                    left[j] = adjacency[j] & ~(1 << i)
                    way.append(j)
                    inside.append(j)
                else:
                    lowest[i] = min(lowest[i], depth[j])
                continue
            way.pop()
            if not way:
                continue
            above = way[-1]
            lowest[above] = min(lowest[above], lowest[i])
            if lowest[i] >= depth[above]:
                block = 1 << above
                while not block >> i & 1:
                    block |= 1 << inside.pop()
                blocks.append(block)
    return blocks


def strongest_forest(columns: int, weights: Mapping[tuple[int, int], float]) -> dict[int, int | None]:
    """Return the parent of each column in the spanning forest with the largest sum of positive weights.

    Parents come before their children. The root of a tree is its first column and has no parent.

    >>> strongest_forest(3, {(0, 1): 1.0, (0, 2): 3.0, (1, 2): 2.0})
    {0: None, 2: 0, 1: 2}
    """
    near: list[list[int]] = [[] for _ in range(columns)]
    part = list(range(columns))
    positive = [pair for pair, weight in weights.items() if weight > 0]
    for a, b in sorted(positive, key=weights.__getitem__, reverse=True):
        if part[a] != part[b]:
            near[a].append(b)
            near[b].append(a)
            part = [part[a] if p == part[b] else p for p in part]
    parents: dict[int, int | None] = {}
    for root in range(columns):
        waiting = [] if root in parents else [root]
        parents.setdefault(root, None)
        for i in waiting:
            new = [j for j in near[i] if j not in parents]
            parents.update(dict.fromkeys(new, i))
            waiting += new
    return parents


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the set bits, ascending.

    >>> list(bits(0b10011))
    [0, 1, 4]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
