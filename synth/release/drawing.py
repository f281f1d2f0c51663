"""Draw rows of values from a fitted model, as a whole or in blocks. This is post-processing.

    model -> encoded rows -> (adjusted to comparisons and target proportions) -> fine codes -> values ->
    (compared values drawn together) -> (rows that break a rule drawn again)

Rows of a large table are drawn in blocks, because swaps keep several copies of their rows in wide integers.
If a table does not fit in memory, decoding and all further steps also run block by block. Each block is a
small table with separate random generators. Therefore, blocks can be drawn at the same time, and the rows
depend on the seed but not on the number of cores. Cells are rounded in each block. Over n blocks, the
rounding adds up to an error of a few times sqrt(n) rows in a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from synth.core.codebook import Codebook
from synth.core.columns.choices import settled
from synth.core.domain import Clique, Domain, smallest_dtype
from synth.core.errors import Mistake
from synth.core.model import Model
from synth.core.numbers import number_of
from synth.core.system.device import cores
from synth.core.table import CodeTable
from synth.models.donors import Condition, replaced
from synth.models.steer import steered
from synth.release.codes import lower
from synth.release.decode import decode
from synth.release.slopes import leaning
from synth.rules import MeasuredShare, Rules, cells_of, settle

if TYPE_CHECKING:
    import pandas as pd

ROWS_AT_ONCE = 1 << 20
"""Largest number of rows drawn from a model at once. More rows are drawn in blocks."""

ROWS_OF_A_BLOCK = 1 << 18
"""Number of rows of a block.

It is small enough that a few blocks fit in memory, and large enough to meet target proportions to within
2e-6.
"""

ATTEMPTS, SAME_CODES = 40, 4
"""Maximum number of times that a row which breaks a rule is drawn again, and how often with its own codes."""

Codes = NDArray[np.unsignedinteger]
T = TypeVar("T")
Tell = Callable[[int], object]
"""A callback that receives the number of rows drawn so far."""


def _unheard(drawn: int) -> None:
    """Ignore the number of drawn rows. This is the default `Tell`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Drawn:
    """Encoded rows that were drawn elsewhere and are used instead of their model.

    `total` is the number of rows that they represent. `converged` is True if the fit of the model converged.
    """

    table: CodeTable
    total: float
    converged: bool

    @property
    def domain(self) -> Domain:
        return self.table.domain

    @property
    def cliques(self) -> Sequence[Clique]:
        return (self.domain.names,)

    @property
    def cells(self) -> int:
        return self.table.codes.size

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Return the counts of the rows, scaled to the total. Shapes: float64[shape(clique)]."""
        return self.table.project(clique) * (self.total / max(self.table.rows, 1))

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        return [self.project(clique) for clique in cliques]

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the rows as they were drawn. Shapes: int64[rows, columns].

        Raises: ValueError if `rows` is a different number.
        """
        if rows != self.table.rows:
            raise ValueError("the records are fixed, and the requested number of rows differs from theirs")
        return self.table.codes.astype(np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Drawing:
    """The inputs for drawing rows.

    They are a model in the codes of a codebook, target proportions, rules for decoded values, and a public
    seed.
    """

    model: Model
    codebook: Codebook
    rules: Rules
    shares: Sequence[MeasuredShare]
    seed: int

    def whole(self, rows: int, *, tell: Tell = _unheard) -> tuple[Codes, pd.DataFrame]:
        """Return all rows at once, both in the codes of the evidence and decoded.

        `tell` receives the number of drawn rows after each block, and may raise an error.
        """
        rng, steering = (np.random.default_rng([self.seed, part]) for part in (1, 3))
        return self._drawn(rows, rng, steering, tell=tell)

    def blocks(
        self,
        rows: int,
        use: Callable[[Codes, pd.DataFrame], T],
        *,
        most: int = ROWS_OF_A_BLOCK,
        cores: int = 1,
    ) -> Iterator[tuple[int, T]]:
        """Draw blocks of at most `most` rows. Yield the number of rows of each block and the result of `use`.

        The blocks are in order, and the index of each table has the positions of its rows in the whole table.
        Several cores draw and use the blocks. At most one finished block per core and one further block wait
        to be yielded.
        """
        sizes = [min(most, rows - start) for start in range(0, rows, most)]

        def made(number: int) -> T:
            rng, steering = (np.random.default_rng([self.seed, 4, number, part]) for part in range(2))
            codes, frame = self._drawn(sizes[number], rng, steering)
            frame.index += number * most
            return use(codes, frame)

        waiting: list[Future[T]] = []
        with ThreadPoolExecutor(cores) as pool:
            try:
                for number in range(len(sizes) + cores):
                    if number < len(sizes):
                        waiting.append(pool.submit(made, number))
                    if number >= cores:
                        yield sizes[number - cores], waiting.pop(0).result()
            finally:
                for future in waiting:
                    future.cancel()

    def _drawn(
        self,
        rows: int,
        rng: np.random.Generator,
        steering: np.random.Generator,
        *,
        tell: Tell = _unheard,
    ) -> tuple[Codes, pd.DataFrame]:
        domain = self.codebook.domain
        codes = records_of(self.model, rows, rng, tell=tell)
        order = rng.permutation(rows)
        for column in codes.T:
            column[:] = column[order]
        codes = admitted(codes, self.model, self.codebook, self.rules, rng)
        if self.shares:
            moved = steered(
                codes.astype(np.int64),
                domain,
                self.shares,
                rng=steering,
                zeros=self.codebook.zeros,
                condition=condition_of(self.codebook, self.rules),
            )
            codes = np.asfortranarray(moved, dtype=codes.dtype)
        settled(codes, self.codebook)
        return self._holding(codes, self._decoded(codes, rng), rng)

    def _decoded(self, codes: Codes, rng: np.random.Generator) -> pd.DataFrame:
        """Return encoded rows as values. Adjusts codes whose values are above a limit."""
        fine = refined(codes, self.codebook, rng)
        table = decode(fine, self.codebook.axes, rng)
        settle(self.rules.orders(self.codebook.axes), table, cells_of(fine, self.codebook.axes), rng)
        lower(table, codes, self.codebook)
        return table

    def _holding(
        self, codes: Codes, table: pd.DataFrame, rng: np.random.Generator
    ) -> tuple[Codes, pd.DataFrame]:
        """Draw rows that break a rule again, until all rules hold.

        A cell can contain values that break a rule and values that do not, for example if it consists of
        several codes, or if a limit lowers a value. So the first attempts draw other values for the same
        codes. Further attempts use the codes of a random row without a broken rule, if possible one that
        counts for the same target proportions.

        Raises: `Mistake` if there is no such row.
        """
        broken = np.flatnonzero(self.rules.broken(table))
        for attempt in range(ATTEMPTS if broken.size else 0):
            own = codes[broken] if attempt < SAME_CODES else self._copied(codes, broken, rng)
            drawn = self._decoded(own, rng)
            good = ~self.rules.broken(drawn)
            codes[broken[good]] = own[good]
            replace_rows(table, broken[good], drawn, good)
            broken = broken[~good]
            if not broken.size:
                break
        if broken.size:
            raise Mistake(
                f"{number_of(len(broken), 'row')} could not be drawn without breaking a rule. The "
                "measurements are kept, so draw the table again with another generator or with fewer rules."
            )
        return codes, table

    def _copied(self, codes: Codes, broken: NDArray[np.intp], rng: np.random.Generator) -> Codes:
        """Return the codes of random other rows, or of new rows if there are none."""
        others = np.delete(np.arange(len(codes)), broken)
        if not others.size:
            return records_of(self.model, len(broken), rng)
        marks = np.zeros(len(codes), dtype=np.int64)
        for share in self.shares:
            marks = 2 * marks + share.coded.holds(codes, self.codebook.domain)
        chosen = rng.choice(others, size=len(broken))
        for mark in np.unique(marks[broken]):
            alike = others[marks[others] == mark]
            if alike.size:
                mine = marks[broken] == mark
                chosen[mine] = rng.choice(alike, size=int(mine.sum()))
        return np.asarray(codes[chosen])


def replace_rows(
    table: pd.DataFrame, places: NDArray[np.intp], drawn: pd.DataFrame, chosen: NDArray[np.bool_]
) -> None:
    """Replace the rows of a table at these places by the chosen rows of another table, in place."""
    if not len(places):
        return
    for name in table.columns:
        cells = table[name].array.copy()
        cells[places] = drawn[name].array[chosen]
        table[name] = cells


def condition_of(codebook: Codebook, rules: Rules) -> Condition | None:
    """Return the condition on the codes of a record that compared columns can have values in order.

    It is None without comparisons, or if codes of compared columns are merged, so that the values decide.
    """
    orders = rules.orders(codebook.axes)
    grouped = {grouping.column for grouping in codebook.groupings}
    if not orders.parts or grouped & set(orders.columns):
        return None
    places = codebook.domain.axes(orders.columns)

    def holds(codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        return orders.admits(dict(zip(orders.columns, codes[:, list(places)].T, strict=True)))

    return Condition(columns=tuple(places), holds=holds)


def admitted(codes: Codes, model: Model, codebook: Codebook, rules: Rules, rng: np.random.Generator) -> Codes:
    """Return encoded rows in which compared columns can have values in order.

    Rows without such values get other codes of these columns (`models.donors`), or those of an example if
    the model has no such row. Shapes: unsigned[rows, columns].
    """
    condition = condition_of(codebook, rules)
    if condition is None or not len(codes):
        return codes
    own = rng.spawn(1)[0]
    fresh = None if isinstance(model, Drawn) else lambda rows: model.sample(rows, own)
    changed = replaced(
        codes.astype(np.int64), codebook.domain, condition, zeros=codebook.zeros, fresh=fresh, rng=own
    )
    left = ~condition.holds(changed)
    groups = {grouping.column: grouping.group_of for grouping in codebook.groupings}
    for name, code in rules.example(codebook.axes).items() if left.any() else ():
        changed[left, codebook.domain.axis(name)] = groups[name][code] if name in groups else code
    return np.asfortranarray(changed, dtype=codes.dtype)


def records_of(
    model: Model,
    rows: int,
    rng: np.random.Generator,
    *,
    most: int = ROWS_AT_ONCE,
    tell: Tell = _unheard,
) -> Codes:
    """Return rows of a model in the smallest type for their codes, drawn in blocks if there are more than
    `most`.

    Each block has a separate random generator, so the rows depend on the seed but not on the number of cores.
    Shapes: unsigned[rows, columns], column by column in memory. `tell` receives the number of drawn rows
    after each block. An error raised by `tell` stops the drawing.
    """
    sizes = model.domain.sizes
    codes = np.empty((rows, len(sizes)), dtype=smallest_dtype(max(sizes, default=1)), order="F")
    if rows <= most or isinstance(model, Drawn):
        codes[:] = model.sample(rows, rng)
        return codes
    parts = [codes[start : start + ROWS_OF_A_BLOCK] for start in range(0, rows, ROWS_OF_A_BLOCK)]

    def draw(part: Codes, own: np.random.Generator) -> int:
        part[:] = model.sample(len(part), own)
        return len(part)

    pool = ThreadPoolExecutor(cores())
    try:
        for drawn in accumulate(pool.map(draw, parts, rng.spawn(len(parts)))):
            tell(drawn)
    finally:
        pool.shutdown(cancel_futures=True)
    return codes


def refined(
    codes: NDArray[np.integer[Any]], codebook: Codebook, rng: np.random.Generator
) -> NDArray[np.integer[Any]]:
    """Map coarse codes to the original codes of the axes.

    Codes of a range are distributed along the slopes of its released groups. Shapes: integer[rows, columns]
    for the argument and the result.
    """
    if not codebook.groupings:
        return codes
    fine = codes.astype(smallest_dtype(max(axis.size for axis in codebook.axes)), order="F")
    for grouping in codebook.groupings:
        i = codebook.domain.axis(grouping.column)
        masses = np.bincount(codes[:, i], minlength=grouping.size).tolist()
        leant = leaning(grouping, codebook.axes[i], masses)
        fine[:, i] = leant.refine(codes[:, i].astype(np.int64), rng)
    return fine
