"""Every method, killed and resumed where the floats of a fit come out otherwise: the transcript leads.

Another machine, another library, another number of threads: estimates then differ in some digit, and with
them what a run would ask. What it asked before it was killed is what it goes on from, to the last unit.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.app.jobs import kept_fits
from synth.app.jobs.kept_fits import KeptFits
from synth.core.accounting import ZCDP, Law
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.errors import Cancelled
from synth.core.graphs.workload import Workload
from synth.core.progress import UNKEPT, Fits, Progress, Reporter, silent
from synth.core.schema import ProtectedChange, Schema, Unit
from synth.mechanisms import MECHANISMS
from synth.mechanisms.blend import first_pass
from synth.mechanisms.shared.base import Fitted, Problem
from synth.models import pgm
from synth.models.mixture.mixture import MixtureModel
from synth.models.networks import network_torch
from synth.models.networks.network import NetworkModel
from synth.models.registry import GENERATORS
from synth.private.account import Account
from synth.private.counting.codes import Codes
from synth.private.ledger import Ask, Ledger
from synth.private.session import PrivateSource

DOMAIN = Domain(tuple("abcde"), (4, 3, 4, 2, 3))
SCHEMA = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=())
UNITS = 10**11
ONE = ProtectedChange(max_rows=1)


def rows() -> np.ndarray:
    rng = np.random.default_rng(0)
    table = rng.integers(0, DOMAIN.sizes, size=(3000, 5))
    table[:, 2] = np.where(rng.random(3000) < 0.8, table[:, 0], table[:, 2])
    table[:, 4] = (table[:, 1] + table[:, 3]) % 3
    return table


class Killed(BaseException):
    """The process is gone."""


class Mortal(Ledger):
    """A ledger whose process dies at one of its batches: before it is charged, or before it is answered."""

    batches, dies_at, is_charged = 0, -1, False

    def ask_all(self, run: str, *, part: str, step: int, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        if self.batches == self.dies_at:
            if not self.is_charged:
                raise Killed
            asks = [Ask(query=a.query, units=a.units, answer=die, state=a.state) for a in asks]
        self.batches += 1
        return super().ask_all(run, part=part, step=step, asks=asks)


def die() -> bytes:
    raise Killed


def opened(path: Path, *, law: Law) -> Mortal:
    ledger = Mortal(path)
    ledger.open_population("p", units=UNITS, reason="test", protects=ONE)
    ledger.open_run("p", "r", units=UNITS, label="t", protects=ONE, law=law)
    return ledger


def run(
    name: str, ledger: Ledger, *, resumes: bool = True, fits: Fits = UNKEPT, report: Reporter = silent
) -> Fitted:
    method = MECHANISMS[name]()
    account = Account(
        ledger, "r", part="mechanism", units=UNITS, population="p", law=method.law, resumes=resumes
    )
    source = PrivateSource(Codes.of(rows(), DOMAIN), DOMAIN, account, schema=SCHEMA)
    problem = Problem(
        workload=Workload.all_kway(DOMAIN, 2),
        codebook=Codebook.plain(DOMAIN),
        device="cpu",
        fits=fits,
        report=report,
    )
    return method.run(source, problem, rng=np.random.default_rng(0))


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], None]]:
    """Makes every estimate of a fit come out otherwise, by up to this share of it and of a count."""

    def move(share: float) -> None:
        rng = np.random.default_rng(7)

        def shaken(table: np.ndarray) -> np.ndarray:
            return np.maximum(table * (1 + share * rng.uniform(-1, 1, table.shape)) + share, 0.0)

        def shake(kind: type[Any]) -> None:
            project, project_many = kind.project, kind.project_many
            monkeypatch.setattr(kind, "project", lambda self, *a: shaken(project(self, *a)))
            monkeypatch.setattr(
                kind, "project_many", lambda self, *a: [shaken(t) for t in project_many(self, *a)]
            )

        shake(pgm.PGM)
        shake(MixtureModel)

        one_ways = first_pass.one_ways

        def shaken_columns(*args: Any, **more: Any) -> dict[str, pgm.Estimate]:
            columns = one_ways(*args, **more)
            return {name: replace(column, counts=shaken(column.counts)) for name, column in columns.items()}

        monkeypatch.setattr(first_pass, "one_ways", shaken_columns)

    yield move


def transcript(ledger: Ledger) -> list[dict[str, Any]]:
    return [vars(stored) for stored in ledger.answers("r")]


SLOW = {"gem", "margnet", "rap", "merf", "tabddpm", "ctgan", "blend", "privpgd", "gsd"}


@pytest.mark.parametrize(
    ("name", "share", "is_charged"),
    [
        pytest.param(
            name,
            share,
            is_charged,
            marks=[] if share == 0.05 and is_charged and name not in SLOW else pytest.mark.long,
            id=f"{name}, moved by {share}, {'before the answer' if is_charged else 'between two queries'}",
        )
        for name in sorted(MECHANISMS)
        for share in (0.001, 0.05)
        for is_charged in (False, True)
    ],
)
def test_a_killed_run_goes_on_though_its_estimates_are_moved(
    name: str, share: float, is_charged: bool, tmp_path: Path, moved: Callable[[float], None]
) -> None:
    ledger = opened(tmp_path / "l.sqlite", law=MECHANISMS[name].law)
    whole = opened(tmp_path / "whole.sqlite", law=MECHANISMS[name].law)
    run(name, whole)
    last = whole.batches - 1
    for dies_at in sorted({0, 1, last // 2, last - 1, last} & set(range(last + 1))):
        ledger.batches, ledger.dies_at, ledger.is_charged = 0, dies_at, is_charged
        with suppress(Killed):  # noise may have made this run a shorter one
            run(name, ledger)
        before, charged = transcript(ledger), ledger.charges("r", "mechanism")
        moved(share)
    ledger.dies_at = -1
    fitted = run(name, ledger)
    assert transcript(ledger)[: len(before)] == before and ledger.verify()
    prices = [c.units for c in ledger.charges("r", "mechanism")]
    assert prices[: len(charged)] == [c.units for c in charged]
    assert sum(prices) == ledger.balance("p").spent <= UNITS and len(prices) == len(transcript(ledger))
    answers = fitted.evidence.answers
    assert sorted((answer.step, answer.units) for answer in answers) == list(enumerate(prices))
    assert sum(prices) >= 0.95 * UNITS
    again = run(name, ledger)
    assert sorted((a.step, a.units) for a in again.evidence.answers) == list(enumerate(prices))
    assert ledger.balance("p").spent == sum(prices)


KEEPING = pytest.mark.parametrize(
    "name", sorted(name for name, m in MECHANISMS.items() if GENERATORS[m.generator].resumes and m.chooses)
)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with every step that a network is taught."""
    made: list[int] = []
    gradient = network_torch.gradient

    def counted(*given: Any) -> Any:
        made.append(1)
        return gradient(*given)

    monkeypatch.setattr(network_torch, "gradient", counted)
    monkeypatch.setattr(kept_fits, "LEAST_SECONDS", 0.0)
    return made


def cancelling(rounds: int) -> Reporter:
    """Stops a run after so many rounds."""
    left = [rounds]

    def report(progress: Progress) -> None:
        left[0] -= progress.stage == "rounds"
        if left[0] < 0:
            raise Cancelled("stopped by the steward")

    return report


def weights(fitted: Fitted) -> np.ndarray:
    assert isinstance(fitted.model, NetworkModel)
    return fitted.model.weights


@pytest.mark.long
@KEEPING
def test_no_round_is_fitted_twice_and_ends_are_equal(name: str, tmp_path: Path, steps: list[int]) -> None:
    """Stopped three times: between two rounds, in the middle of a batch of questions, and at the end."""
    ledger, folder = opened(tmp_path / "l.sqlite", law=ZCDP), tmp_path / "fits"
    with pytest.raises(Cancelled):
        run(name, ledger, fits=KeptFits(folder), report=cancelling(2))
    kept = len(list(folder.iterdir()))
    assert kept >= 2 and steps
    ledger.dies_at = ledger.batches + 2
    with pytest.raises(Killed):
        run(name, ledger, fits=KeptFits(folder))
    ledger.dies_at = -1
    first = run(name, ledger, fits=KeptFits(folder))
    made = len(steps)
    again = run(name, ledger, fits=KeptFits(folder))
    assert len(steps) == made, "all fits were kept"
    steps.clear()
    whole = run(name, ledger, resumes=False)  # refused where a question differs in a bit
    assert len(steps) == made
    np.testing.assert_array_equal(weights(first), weights(whole))
    np.testing.assert_array_equal(weights(again), weights(whole))
    for pair in (("a", "c"), ("b", "e")):
        np.testing.assert_array_equal(again.model.project(pair), whole.model.project(pair))


def test_an_unknown_start_is_fitted_from_and_not_kept(tmp_path: Path, steps: list[int]) -> None:
    from synth.mechanisms.learned.margnet import MargNet
    from synth.mechanisms.shared.answers import Answers

    source = PrivateSource(
        Codes.of(rows(), DOMAIN),
        DOMAIN,
        Account(opened(tmp_path / "l.sqlite", law=ZCDP), "r", part="m", units=UNITS, population="p"),
        schema=SCHEMA,
    )
    folder = tmp_path / "fits"
    problem = Problem(
        workload=Workload.all_kway(DOMAIN, 2),
        codebook=Codebook.plain(DOMAIN),
        device="cpu",
        fits=KeptFits(folder),
    )
    answers = Answers(MargNet(), source, problem)
    answers.measure(("a", "c"), rho=source.left.rho / 4)
    known = answers.fit()
    assert len(list(folder.iterdir())) == 1
    other = Answers(MargNet(), source, problem)
    other.measure(("a", "c"), rho=source.left.rho / 4)
    last = other.fit(known)
    assert len(list(folder.iterdir())) == 1
    other.fit(last)  # it follows from what nobody knows
    assert len(list(folder.iterdir())) == 1
    other.fit()
    assert len(list(folder.iterdir())) == 2
