"""Every question gets noise of its own: in a batch, one after the other, of another share, list or run.

Questions of equal size and sigma are where noise could be used twice: the difference of two such answers
would then be exact. All vectors of noise are compared with each other at every shift, and with themselves.
False-alarm rate of each test: below 1e-8.
"""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN, ZCDP, Law
from synth.core.domain import Domain
from synth.core.schema import Column, Kind, Schema, Unit
from synth.private.counting.codes import Codes
from synth.private.entropy import Entropy
from synth.private.ledger import Ask
from synth.private.queries import MagnitudesQuery, Marginal, Scores, ValuesQuery
from synth.private.scores import SCALE, L1Gap
from synth.private.session import PrivateSession, PrivateSource
from synth.private.table import PrivateTable
from tests.ledgers import Free

CELLS = 1600
NAMES = ("a", "b")
DOMAIN = Domain(NAMES, (CELLS, CELLS))
RHO = 1e-4
SIGMA = math.sqrt(1 / (2 * RHO))
UNITS = round(RHO * 10**12)


class Counted(Entropy):
    """The system's entropy, and how many bytes of it were used."""

    used = 0

    def bytes(self, n: int) -> bytes:
        self.used += n
        return super().bytes(n)


class Metered(Free):
    """Tells how many bytes of entropy each answer took, and how many numbers it has."""

    def __init__(self, entropy: Counted, *, law: Law) -> None:
        super().__init__(law)
        self.entropy = entropy
        self.took: list[tuple[int, int]] = []

    def ask_all(self, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        return tuple(self.ask(ask) for ask in asks)

    def ask(self, ask: Ask) -> bytes:
        before = self.entropy.used
        blob = ask.answer()
        self.took.append((self.entropy.used - before, len(blob) // 8))
        return blob


def schema(kind: Kind = Kind.CATEGORY) -> Schema:
    columns = tuple(Column(name=name, kind=kind) for name in NAMES)
    return Schema(name="t", population="p", unit=Unit(max_rows=1), columns=columns)


def source(account: Metered, domain: Domain = DOMAIN) -> PrivateSource:
    """An empty table, on which every answer is its noise."""
    codes = Codes.of(np.zeros((0, len(domain)), dtype=np.int64), domain)
    return PrivateSource(codes, domain, account, schema=schema(), entropy=account.entropy)


def scores(private: PrivateSource) -> np.ndarray:
    """As many noisy scores as a marginal has cells, with as much noise."""
    score = L1Gap((("a",),) * CELLS, (np.zeros(CELLS),) * CELLS, (1,) * CELLS, (0.0,) * CELLS)
    return private.ask([(Scores(score), RHO * CELLS * SCALE**2)])[0].values * SCALE


def magnitudes(account: Metered) -> Iterator[np.ndarray]:
    """Two histograms that a room is asked for before the mechanism."""
    table = PrivateTable.of({name: [] for name in NAMES}, schema(Kind.DECIMAL))
    asker = PrivateSession(table, schema(Kind.DECIMAL), None, "r", entropy=account.entropy)
    for name in NAMES:
        question = MagnitudesQuery(column=name, kind=Kind.DECIMAL, l2_squared=1, units=UNITS, law=account.law)
        yield np.frombuffer(asker.ask(question, account), dtype="<i8")


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    """The largest correlation of two vectors at any shift, forwards or backwards, in standard deviations."""
    size = min(len(one), len(other))
    turned = [np.fft.rfft(v[:size] - v[:size].mean()) for v in (one, other)]
    scale = size * one[:size].std() * other[:size].std() / math.sqrt(size)
    products = (turned[0] * turned[1], turned[0] * np.conj(turned[1]))
    found = [np.fft.irfft(product, size) for product in products]
    if one is other:
        found = [found[1][1:]]
    return max(float(np.abs(f).max()) for f in found) / scale


def limit(vectors: int, size: int) -> float:
    """What the largest of all these correlations of independent noise stays below, but for 1e-9."""
    return math.sqrt(2 * math.log(4 * vectors**2 * size / 1e-9))


@pytest.mark.parametrize("law", [GAUSSIAN, ZCDP])
def test_no_noise_is_used_twice(law: Law) -> None:
    account, another = (Metered(Counted(), law=law) for _ in range(2))
    private = source(account)
    requested = [(Marginal((name,)), RHO) for name in ("a", "b", "a")]
    batches = [*private.ask(requested), *private.ask(requested)]
    singles = [
        p.ask([(Marginal((name,)), RHO)])[0] for p in (private, source(another)) for name in ("a", "a", "b")
    ]
    apart = private.paid_by(another).ask([(Marginal(("a",)), RHO)])[0]
    noise = [m.counts for m in (*batches, *singles, apart)]
    noise += [scores(private), scores(private), *magnitudes(account)]
    assert all(abs(v.std() / SIGMA - 1) < 6.5 / math.sqrt(2 * len(v)) for v in noise), "alike in sigma"
    bound = limit(len(noise), CELLS)
    for one, other in itertools.combinations_with_replacement(noise, 2):
        assert correlation(one, other) < bound
    assert correlation(noise[0], np.roll(noise[0], 5).copy()) > bound, "no power"
    assert correlation(noise[0], -noise[0][::-1]) > bound, "no power"


@pytest.mark.parametrize("law", [GAUSSIAN, ZCDP])
def test_every_answer_takes_as_much_entropy_as_its_noise_has(law: Law) -> None:
    """Nothing that is reused, stretched or remembered can have the stated law: Shannon."""
    account = Metered(Counted(), law=law)
    private = source(account)
    private.ask([(Marginal(r), rho) for r, rho in [(("a",), RHO)] * 3])
    private.ask([(Marginal(("a",)), RHO)])
    scores(private)
    list(magnitudes(account))
    bits = math.log2(SIGMA * math.sqrt(2 * math.pi * math.e))
    assert len(account.took) == 7 and all(8 * used > bits * numbers > 0 for used, numbers in account.took)


def test_lists_of_values_are_not_drawn_with_the_same_noise() -> None:
    """Texts at the threshold: half of them appear, and others in every list."""
    shown = []
    for name in ("a", "b", "b"):
        question = ValuesQuery(column=name, rows=1, l2_squared=1, units=UNITS, delta=1e-6)
        texts = [f"{i:05}" for i in range(4096)]
        listed = set(question.listed(dict.fromkeys(texts, question.threshold)))
        shown.append(np.array([text in listed for text in texts], dtype=float))
    for one, other in itertools.combinations_with_replacement(shown, 2):
        assert correlation(one, other) < limit(3, 4096)
    assert all(0.3 < v.mean() < 0.7 for v in shown)
