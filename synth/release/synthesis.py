"""The result of a release: the synthetic table, its facts, and its cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import ZCDP, Law
from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.request import MEANS_SHARE, SHARES_PART, People
from synth.core.schema import Neighbours, Schema, Unit
from synth.release.checks.checks import Checks
from synth.rules import Rules

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Spend:
    """One line of the receipt: a query and its cost (units of 1e-12 rho)."""

    part: str
    question: str
    cliques: tuple[Clique, ...]
    units: int
    step: int


@dataclass(frozen=True, kw_only=True)
class Privacy:
    """The privacy guarantee and its cost. `law` is an accounting rule that is valid for all queries of the
    run.
    """

    epsilon: float
    delta: float
    delta_of_lists: float
    units: int
    spent_units: int
    neighbours: Neighbours
    unit: Unit
    population: str
    spends: tuple[Spend, ...]
    receipt: dict[str, Any]
    rehearsal: bool
    law: Law = ZCDP


@dataclass(frozen=True, eq=False, kw_only=True)
class Synthesis:
    """The result of a release: the synthetic table, and all public facts about its generation.

    All private results in it were charged to the ledger, so all of it can be published. Shapes: `codes:
    unsigned[rows, columns]`, in the codes of the evidence. `table` is the same table, decoded. `packages` are
    software packages, besides the usual ones, that computed its models. `changes` are the changes since an
    earlier release (`analyst.since`), empty if there is none. `is_further` marks a table that was made later
    from the same measurements.
    """

    evidence: Evidence
    rules: Rules
    method: str
    generator: str
    generator_options: dict[str, Any]
    compress: bool
    parameters: dict[str, Any]
    privacy: Privacy
    preprocess_share: float
    codes: NDArray[np.integer]
    table: pd.DataFrame
    checks: Checks
    shares_part: float = SHARES_PART
    verdict_share: float = 0.0
    forecast: dict[str, float] = field(default_factory=dict)
    means: tuple[str, ...] = ()
    means_share: float = MEANS_SHARE
    people: People = People.UNDECLARED
    new_to: tuple[str, ...] = ()
    changes: dict[str, Any] = field(default_factory=dict)
    is_further: bool = False
    packages: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        """Return the schema with estimated domains filled in."""
        return self.evidence.codebook.schema
