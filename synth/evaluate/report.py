"""Compare a release with the private table, only for the steward. NOT PRIVATE.

The result deliberately has a different type from the checks of a release: `release.checks.checks.Checks` is
part of a release package, while a `StewardReport` never is, and `release` cannot import this module. A figure
computed from real rows is private even if the synthetic rows are public. Choosing between releases by such
figures has a privacy cost that no ledger records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from synth.core.axis import Axis, domain_of
from synth.core.errors import Mistake
from synth.core.schema import Schema
from synth.core.system.address import Address
from synth.core.table import CodeTable
from synth.evaluate.criteria import GROUPS, TablePair
from synth.evaluate.fidelity import Fidelity, Yardstick
from synth.evaluate.findings import EXCLUDED
from synth.evaluate.subsample import equivalent_share
from synth.evaluate.utility import Utility, utility
from synth.private.table import open_table

MARK = "NOT PRIVATE: computed on the private table. Only for the steward; do not publish."


@dataclass(frozen=True, kw_only=True)
class StewardReport:
    """NOT PRIVATE. The figures of a comparison with the private table.

    The figures are the fidelity, the criteria by name, the utility, and the equivalent subsample (as a
    proportion of the real rows).
    """

    fidelity: Fidelity
    figures: dict[str, float | None]
    utility: tuple[Utility, ...]
    subsample: dict[int, float]
    mark: str = MARK

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain types. The first entry is the mark NOT PRIVATE.

        The result is for files of the steward, and never for a release package.
        """
        return {
            "mark": self.mark,
            "tvd": {
                "1-way": self.fidelity.mean1,
                "2-way": self.fidelity.mean2,
                "3-way": self.fidelity.mean3,
            },
            "worst": [{"clique": list(r), "tvd": d} for r, d in self.worst()],
            **{g.name: {c.name: self.figures[c.name] for c in g.criteria} for g in GROUPS},
            "utility": [asdict(u) for u in self.utility],
            "equivalent_subsample": {f"{k}-way": share for k, share in self.subsample.items()},
        }

    def worst(self, *, limit: int = 10) -> list[tuple[tuple[str, ...], float]]:
        """Return the 1- and 2-way marginals with the largest distances, the worst one first."""
        distances = {**self.fidelity.one, **self.fidelity.two}
        return sorted(distances.items(), key=lambda item: -item[1])[:limit]


def steward_report(
    real: CodeTable,
    synthetic: CodeTable,
    *,
    ordered: frozenset[str] = frozenset(),
    held_out: CodeTable | None = None,
    targets: Sequence[str] = (),
    queries: int = 1000,
    seed: int = 0,
) -> StewardReport:
    """Compare the synthetic table with the real one.

    `real` is the private table of the release. Targets are scored only on `held_out`: real rows that were not
    used in the run. Raises: `Mistake` for targets without `held_out`, and the errors of `utility`.
    """
    if targets and held_out is None:
        raise Mistake("Train-on-synthetic-test-on-real needs a file of real rows that were not released.")
    fidelity = Yardstick(real).fidelity(synthetic)
    cliques = {1: list(fidelity.one), 2: list(fidelity.two), 3: list(fidelity.three)}
    errors = {1: fidelity.mean1, 2: fidelity.mean2, 3: fidelity.mean3}
    scores = tuple(
        utility(
            target,
            synthetic=synthetic,
            held_out=held_out,
            train=real,
            ordered=ordered,
            seed=seed,
        )
        for target in targets
        if held_out is not None
    )
    both = TablePair(real=real, synthetic=synthetic, ordered=ordered, seed=seed, questions=queries)
    return StewardReport(
        fidelity=fidelity,
        figures=both.figures(),
        utility=scores,
        subsample={k: equivalent_share(real, c, errors[k]) for k, c in cliques.items() if c},
    )


def load_real(place: Address | Path, schema: Schema, axes: Sequence[Axis]) -> tuple[CodeTable, float]:
    """Return a real table as codes, without protection, and the share of its rows that are excluded, rounded
    up to a thousandth. NOT PRIVATE.

    A row is excluded if a column declared as never blank has a blank cell, for which its axis has no code.
    Raises: `Mistake` if this excludes every row, and the errors of `private.table.open_table`.
    """
    codes = open_table(place, schema, axes=axes).codes(axes)
    rows = np.stack([np.asarray(column, dtype=np.int64) for column in codes.columns], axis=1)
    has_codes = (rows < np.array([axis.size for axis in axes])).all(axis=1)
    if has_codes.all():
        return CodeTable(domain_of(axes), rows), 0.0
    if not has_codes.any():
        raise Mistake(EXCLUDED.format(share="100%"))
    share = math.ceil(1000 * (~has_codes).mean()) / 1000
    return CodeTable(domain_of(axes), rows[has_codes]), share
