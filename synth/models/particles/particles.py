"""Particles: a table of records that gradient descent moves until all its pairs are near the noisy pairs.

Source: Donhauser, Abad, Hulkund and Yang, Privacy-preserving data release leveraging optimal transport and
particle gradient descent, ICML 2024 (PrivPGD), sections 3.1 to 3.3.

Differences from the paper:

- Negative cells are set to zero, and tables are raked to columns that are estimated from all tables together.
  The paper uses a projection by gradient descent. In our measurements, raking resulted in a smaller total
  variation distance and a smaller sliced distance, at no privacy cost.
- A particle's code in a column is determined by its rank instead of the nearest centre, so that columns equal
  their targets. `particle_descent` describes how particles move.
- The number of records is estimated, and the particles are scaled to it.
- With the option `swaps`, values are finally swapped between the particles towards the same tables, because
  sliced distances do not show differences smaller than a code.
- Structural zeros are enforced. The targets have no mass in forbidden cells, and a hinge penalty moves
  particles out of forbidden cells of two columns. The swaps empty most of the other forbidden cells, and a
  repair empties the rest. Then values are swapped again without entering these cells. If the repair came
  first, one particle in six would be moved without regard to the tables.

The codes of unordered columns are points on a line, as those of ordered columns and as in the paper. In our
measurements, the corners of a simplex resulted in larger errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.options import option
from synth.core.progress import Progress
from synth.core.system.device import device_in_words
from synth.core.zeros import Zero
from synth.models.base import Generator, Setting
from synth.models.blas import one_thread
from synth.models.records.record_table import FEWEST, MOST, RecordTable, count_of, records_option
from synth.models.records.swap_towards import TARGET_CELLS
from synth.models.records.swaps import swap
from synth.models.repair import repaired
from synth.models.targets import Pair, Targets, targets_of

MOVE = 20e-9
"""Number of seconds per pair, direction, particle and epoch, on one core."""

AVERAGE = 0.35
"""Mean number of particles over the epochs, as a fraction of all particles."""

SWAPPING = 5e-7
"""Number of seconds per pair and particle for the final swaps."""


@dataclass(frozen=True, kw_only=True)
class Particles(Generator):
    """Options of the particles: the number of particles and the options of their optimisation."""

    name: ClassVar[str] = "particles"
    title: ClassVar[str] = "Particles"
    summary: ClassVar[str] = (
        "Records that are moved until every pair of columns is near its noisy table. For ordered columns."
    )
    on_device: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("torch",)

    particles: int = records_option("moved", label="Particles")
    epochs: int = option(
        60, label="Epochs", help="Number of passes over all tables.", low=1, high=1_000, unit="epochs"
    )
    directions: int = option(
        4,
        label="Directions",
        help="Number of directions in which a table is compared in each step.",
        low=1,
        high=100,
    )
    batch: int = option(
        0,
        label="Tables per step",
        help="Number of tables in one step. 0 means all tables.",
        low=0,
        high=1_000,
    )
    penalty: float = option(
        0.0,
        label="Push out of forbidden cells",
        help=(
            "Fraction of the way out of an impossible combination that a particle moves in one step. 0 "
            "switches it off."
        ),
        low=0,
        high=1,
    )
    swaps: bool = option(
        True,
        label="Swaps afterwards",
        help="Swap values between particles at the end, to fit the same tables.",
        low=False,
        high=True,
    )

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Return the estimated time on a CPU. Unless `particles` is set, it ranges from the fewest to the
        most particles, because the number of records is private. The time was measured on Adult and
        artificial tables, but not on a graphics card.
        """
        pairs = math.comb(len(domain), 2)
        moves = pairs * self.directions * self.epochs
        each = moves * MOVE * AVERAGE + pairs * SWAPPING * self.swaps
        return each * (self.particles or FEWEST), 2 * each * (self.particles or MOST)

    def fitted(self, evidence: Evidence, how: Setting) -> RecordTable:
        """Rake the noisy tables, move the particles, and repair them.

        Raises: ValueError if a column was measured in two different sets of groups, if a group contains codes
        that a zero treats differently, or if the zeros leave no record.
        """
        from synth.models.particles.particle_descent import Plan
        from synth.models.particles.particle_fit import moved

        targets = targets_of(evidence)
        wanted = count_of(self.particles, targets.total)
        begin = how.start.codes if isinstance(how.start, RecordTable) and _alike(how.start, targets) else None
        plan = Plan(
            particles=wanted,
            epochs=self.epochs,
            directions=self.directions,
            batch=self.batch,
            penalty=self.penalty,
            seed=how.seed,
        )
        found = moved(
            targets,
            plan,
            start=begin,
            device=device_in_words(how.device, how.report),
            report=how.report,
        )
        rng, codes = np.random.default_rng([how.seed, wanted]), found.codes
        if self.swaps:
            codes = _swapped(codes, targets, found.tables, (), rng)
        if targets.zeros:
            codes, changed = repaired(codes, targets.domain, targets.zeros, targets.columns, rng)
            if self.swaps and changed:
                codes = _swapped(codes, targets, found.tables, targets.zeros, rng)
            fact = f"{changed:,} of {wanted:,} particles were moved out of forbidden combinations"
            how.report(Progress(stage="fit", done=1.0, fact=fact))
        return RecordTable(targets.coarsening, targets.total, codes, found.converged)


def _swapped(
    codes: NDArray[np.int64],
    targets: Targets,
    tables: Mapping[Pair, NDArray[np.float64]],
    zeros: Sequence[Zero],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Swap values between records towards the tables, up to the number of tables that swaps can process. The
    columns are unchanged.
    """
    names, cells = targets.domain.names, 0
    near: dict[Clique, NDArray[np.float64]] = {}
    for (a, b), table in tables.items():
        cells += table.size
        if cells <= TARGET_CELLS:
            near[names[a], names[b]] = table * len(codes)
    with one_thread():
        return swap(codes, targets.domain, near, rng=rng, zeros=zeros) if near else codes


def _alike(start: RecordTable, targets: Targets) -> bool:
    return start.coarsening.coarse == targets.domain
