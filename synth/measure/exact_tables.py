"""Exact tables of counts and sums, in the codes of a domain or in groups of them: what questions are answered
from."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from synth.axis import Grouping
from synth.counting.codes import Codes
from synth.domain import Clique, Domain
from synth.errors import Code, Refusal
from synth.measure.questions import Groups


class ExactTables:
    """Counts of codes: private, neither shown nor pickled. Without codes there are none."""

    def __init__(self, codes: Codes | None, domain: Domain) -> None:
        self._codes, self._domain = codes, domain
        self._coarse, self._groups = codes, dict[str, tuple[int, ...]]()

    def __repr__(self) -> str:
        return f"ExactTables(columns={len(self._domain)})"

    def __reduce__(self) -> NoReturn:
        raise Refusal(Code.QUESTION_INVALID)

    def __call__(self, clique: Clique, groups: Groups) -> NDArray[np.int64]:
        """The exact marginal. Shapes: int64, one axis per column, as long as its groups or codes are many.
        Raises: `Refusal` without codes, and for a table that is too large."""
        if self._codes is None:
            raise Refusal(Code.QUESTION_INVALID)
        axes = self._domain.axes(clique)
        if not any(name in groups for name in clique):
            return self._codes.counts(axes)
        return self._coarsened(clique, groups).counts(axes)

    def sums(
        self,
        clique: Clique,
        groups: Groups,
        *,
        frequencies: NDArray[np.uint16],
        wave: NDArray[np.integer[Any]],
        by: int | None,
    ) -> NDArray[np.int64]:
        """The exact sums of a wave over the rows (see `counting.engine.Engine.sums`). Raises: as for
        counts."""
        if self._codes is None:
            raise Refusal(Code.QUESTION_INVALID)
        codes = self._coarsened(clique, groups) if any(name in groups for name in clique) else self._codes
        return codes.sums(self._domain.axes(clique), frequencies=frequencies, wave=wave, by=by)

    def _coarsened(self, clique: Clique, groups: Groups) -> Codes:
        """Codes in these groups, as far as the clique goes. They are kept, since questions of one round have
        their groups in common."""
        assert self._codes is not None and self._coarse is not None
        known = self._groups
        if any(name in known and known[name] != groups.get(name) for name in (*clique, *groups)):
            self._coarse, known = self._codes, {}
        fresh = {name: group_of for name, group_of in groups.items() if name not in known}
        if fresh:
            groupings = [Grouping(column=n, group_of=group_of, weights=()) for n, group_of in fresh.items()]
            self._coarse = self._coarse.grouped(groupings)
        self._groups = {**known, **fresh}
        return self._coarse
