"""The privacy loss of whole runs of methods with selections, from dp-accounting's loss distributions.

Every draw of a run is overheard: the range of each selection and the variance of each noise, and not what was
charged. So the loss is composed independently of our accounting, and compared with what the run claims.
"""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution as Loss
from dp_accounting.pld.privacy_loss_distribution import (
    from_gaussian_mechanism,
    from_two_probability_mass_functions,
)

from synth.core.accounting import GAUSSIAN, limit_for
from synth.core.schema import ProtectedChange, Schema, Unit
from synth.mechanisms import MECHANISMS
from synth.private.account import Account
from synth.private.counting.codes import Codes
from synth.private.ledger import Ledger
from synth.private.queries import Query, Selection, base, selection
from synth.private.session import PrivateSource
from tests.contracts.test_every_mechanism import DOMAIN, SELECTING, run, toy_rows

RUNS, STEP = 30, 1e-3
DELTAS = (1e-9, 1e-6, 1e-3)
SHIFTS = (0.5, 0.15, 0.9)
"""Where the log ratios of a selection are, as a share of their range: the worst place, and two others."""


class Overheard(PrivateSource):
    """A source that keeps what was asked. `spans` are the ranges of selections, `mu_squared` is the sum of
    squared sensitivity / variance of everything else."""

    def __init__(self, patch: pytest.MonkeyPatch, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.drawn: list[float | Fraction] = []
        self.requested: list[Query[Any]] = []
        for module, name, value in ((selection, "exponential", "epsilon"), (base, "noise_of", 1)):
            self._overhear(patch, module, name, value)

    def _overhear(self, patch: pytest.MonkeyPatch, module: Any, name: str, value: int | str) -> None:
        original = getattr(module, name)

        def heard(*args: Any, **named: Any) -> Any:
            self.drawn.append(args[value] if isinstance(value, int) else named[value])
            return original(*args, **named)

        patch.setattr(module, name, heard)

    def ask(self, requested: Sequence[tuple[Query[Any], float]]) -> Any:
        requested = tuple(requested)
        self.requested += [query for query, _ in requested]
        return super().ask(requested)

    @property
    def spans(self) -> Counter[float]:
        pairs = zip(self.requested, self.drawn, strict=True)
        return Counter(float(drawn) for query, drawn in pairs if isinstance(query, Selection))

    @property
    def mu_squared(self) -> float:
        pairs = zip(self.requested, self.drawn, strict=True)
        return float(
            sum(
                Fraction(query.l2_squared(self.terms)) / Fraction(drawn)
                for query, drawn in pairs
                if isinstance(query, base.GaussianQuery)
            )
        )


def selected(length: float, shift: float, *, is_upper: bool) -> Loss:
    """Two outcomes whose log ratios are an interval of this length apart."""
    up, down = shift * length, (shift - 1) * length
    first = -math.expm1(down) / (math.exp(up) - math.exp(down))
    q = {0: math.log(first), 1: math.log1p(-first)}
    p = {0: q[0] + up, 1: q[1] + down}
    return from_two_probability_mass_functions(
        q, p, pessimistic_estimate=is_upper, value_discretization_interval=STEP, symmetric=False
    )


def loss_of(source: Overheard, shift: float, *, is_upper: bool) -> Loss:
    """The loss of a whole run, rounded up (`is_upper`) or down."""
    whole = from_gaussian_mechanism(
        1 / math.sqrt(source.mu_squared),
        pessimistic_estimate=is_upper,
        value_discretization_interval=STEP,
        use_connect_dots=is_upper,
    )
    for length, times in source.spans.items():
        whole = whole.compose(selected(length, shift, is_upper=is_upper).self_compose(times))
    return whole


@pytest.mark.long
@pytest.mark.parametrize("name", SELECTING)
def test_no_run_loses_more_than_its_reservation_states(name: str, tmp_path: Path) -> None:
    units = limit_for(1.0, 1e-6).under(GAUSSIAN)
    protects, ledger = ProtectedChange(max_rows=1), Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population("t", units=RUNS * units, reason="test", protects=protects)
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=())
    for nth in range(RUNS):
        ledger.open_run("t", str(nth), units=units, label="", protects=protects, law=MECHANISMS[name].law)
        account = Account(ledger, str(nth), part="m", units=units, population="t", law=MECHANISMS[name].law)
        with pytest.MonkeyPatch.context() as patch:
            rows = np.repeat(toy_rows(), 20, axis=0)
            source = Overheard(patch, Codes.of(rows, DOMAIN), DOMAIN, account, schema=schema)
            run(name, source)
        assert source.spans, "a method without selections"
        for shift in SHIFTS:
            lower, upper = (loss_of(source, shift, is_upper=is_upper) for is_upper in (False, True))
            for delta in DELTAS:
                claim = GAUSSIAN.claim_alone(account.spent, delta)
                assert lower.get_epsilon_for_delta(delta) <= claim, "the loss is above the claim"
                assert upper.get_epsilon_for_delta(delta) <= claim * 1.002, "0.002 for the grid of losses"
        assert claim * 0.6 < upper.get_epsilon_for_delta(delta)
    ledger.close()
