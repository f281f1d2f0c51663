import numpy as np

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.zeros import Zero
from synth.models.records.reweighed import WHOLE, ReweighedRecords
from synth.private.counting.codes import Codes
from synth.private.queries import Marginal, Votes
from tests.exact import Exact
from tests.models.examples import evidence_of

LARGE = Domain(("x", "y", "z", "c"), (20, 20, 20, 2))
ORDERED = {"x": 20, "y": 20, "z": 20}


def rows() -> np.ndarray:
    """Return clusters of records. Their positions depend on c in a way that no single column shows."""
    rng = np.random.default_rng(0)
    c = rng.integers(0, 2, 6000)
    side = rng.choice([-1, 1], (6000, 2))
    third = np.where(c == 0, side[:, 0] * side[:, 1], -side[:, 0] * side[:, 1])
    at = 9.5 + 5 * np.column_stack([side, third]) + rng.standard_normal((6000, 3))
    return np.column_stack([np.clip(np.rint(at), 0, 19).astype(np.int64), c])


def evidence(votes: int, *, rho: float = 1e6, zeros: tuple[Zero, ...] = ()) -> Evidence:
    rng = np.random.default_rng(1)
    source = Exact(Codes.of(rows(), LARGE), LARGE, rho=rho)
    line = tuple(round(i * 255 / 19) for i in range(20))
    answers = list(source.ask([(Marginal((name,)), rho / 100) for name in LARGE.names]))
    for _ in range(votes):
        drawn = np.unique(np.stack([rng.integers(0, n, 400) for n in LARGE.sizes], axis=1), axis=0)
        question = Votes(LARGE.names, tuple(map(tuple, drawn.tolist())), (line, line, line, ()), "c")
        answers += source.ask([(question, rho / 100)])
    return evidence_of(LARGE, answers, 6000, ordered=ORDERED, zeros=zeros)


def right(codes: np.ndarray) -> float:
    """Return the share of the records in a cluster that matches their c."""
    side = np.sign(codes[:, :3] - 9.5).prod(axis=1)
    return float((side == np.where(codes[:, 3] == 0, 1, -1)).mean())


def test_votes_tell_what_no_table_of_columns_does() -> None:
    assert LARGE.size() > WHOLE and right(rows()) > 0.99
    generator = ReweighedRecords(records=4000)
    alone, voted = (generator.fit(evidence(n)).sample(3000, np.random.default_rng(0)) for n in (0, 4))
    assert abs(right(alone) - 0.5) < 0.06 and right(voted) > 0.9


def test_columns_come_as_they_were_told_and_the_last_vote_alone_knows_less_of_them() -> None:
    known = evidence(3)
    truth = np.bincount(rows()[:, 0], minlength=20)
    found, last = (ReweighedRecords(records=4000, last_vote=only).fit(known) for only in (False, True))
    assert (
        np.abs(found.project(("x",)) - truth).sum() < 0.05 * 6000 < np.abs(last.project(("x",)) - truth).sum()
    )
    (final,) = [np.array(a.requested["candidates"]) for a in known.numbers[-1:]]
    np.testing.assert_array_equal(last.codes, final)
    assert right(last.sample(3000, np.random.default_rng(0))) > 0.7


def test_records_of_a_start_are_gone_on_from() -> None:
    generator, known = ReweighedRecords(records=2000), evidence(2)
    first = generator.fit(known)
    again = generator.fit(known, start=first)
    assert (
        right(again.sample(3000, np.random.default_rng(0)))
        > right(first.sample(3000, np.random.default_rng(0))) - 0.05
    )
    mine = {tuple(r) for r in first.codes.tolist()}
    assert sum(tuple(r) in mine for r in again.codes.tolist()) > 200, "some parents are kept"


def test_zeros_hold_among_many_records_too() -> None:
    forbidden = np.zeros((20, 20), dtype=bool)
    forbidden[:10, :10] = True
    zero = Zero(("x", "y"), forbidden)
    for last in (False, True):
        model = ReweighedRecords(records=2000, last_vote=last).fit(evidence(3, zeros=(zero,)))
        assert model.project(("x", "y"))[forbidden].sum() == 0
