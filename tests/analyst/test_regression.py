"""Test regressions and means of groups from noisy sums."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synth
from synth.analyst.answers import Form, Status
from synth.analyst.kit import Kit
from synth.core.errors import Mistake
from synth.core.measurements.moments import Block, Term
from synth.dictionaries import load_schema
from synth.estimates.regression import Estimate, Sums
from synth.release.verify import verify
from tests.analyst.conftest import DEMO

AGE = Term(column="age", cells=91, low=0.0, high=90.0, name="age")
SEX = Term(column="sex", cells=2, code=1, name="sex is m")
PAY = Term(column="pay", cells=1001, low=-100.0, high=900.0, name="pay")
BLOCK = Block((AGE, SEX, PAY))
MEANS = ("income ~ age + sex + ward", "income by sex", "sex[female]")
IN_R = ("income ~ age + sex", "income by ward")
"""The formulas that assets/docs/r.md assumes to be measured."""


def table(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    age, sex = rng.integers(18, 80, rows), rng.integers(0, 2, rows)
    pay = np.clip(np.rint(100 + 5 * age - 40 * sex + rng.normal(0, 60, rows)), -100, 900)
    return pd.DataFrame({"age": age, "sex": sex, "pay": pay})


def sums(frame: pd.DataFrame, sigma: float, rng: np.random.Generator) -> Sums:
    z = [np.ones(len(frame)), frame["age"] / 45 - 1, 2 * frame["sex"] - 1, (frame["pay"] - 400) / 500]
    values = np.array([z[i] @ z[j] for i, j in BLOCK.entries])
    return Sums(block=BLOCK, values=values + rng.normal(0, sigma, len(values)), variance=sigma**2)


def fitted(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the least-squares coefficients and their usual standard errors."""
    x = np.column_stack([np.ones(len(frame)), frame["age"], frame["sex"]])
    slopes = np.linalg.lstsq(x, frame["pay"], rcond=None)[0]
    spread = np.mean((frame["pay"] - x @ slopes) ** 2)
    return slopes, np.sqrt(spread * np.diag(np.linalg.inv(x.T @ x)))


def test_without_noise_it_is_least_squares_with_its_standard_errors() -> None:
    frame = table(500, rng := np.random.default_rng(0))
    found = sums(frame, 1e-9, rng).regression([1, 2], 3, level=0.95)
    slopes, errors = fitted(frame)
    assert [one.value for one in found if one] == pytest.approx(slopes, rel=1e-6)
    assert [one.sampling for one in found if one] == pytest.approx(errors, rel=1e-6)
    mean = sums(frame, 1e-9, rng).mean(3, level=0.95)
    assert mean is not None
    assert mean.times(PAY.half, PAY.middle).value == pytest.approx(frame["pay"].mean())
    assert mean.times(PAY.half).sampling == pytest.approx(frame["pay"].std(ddof=0) / np.sqrt(500), rel=1e-6)


def test_residuals_that_spread_unequally_widen_the_interval_for_the_population() -> None:
    """Without noise, and with the rows themselves as synthetic rows, the estimate has robust standard
    errors.
    """
    frame = table(2000, rng := np.random.default_rng(3))
    frame["pay"] = (frame["pay"] + rng.normal(0, 150, 2000) * (frame["age"] > 70)).clip(-100, 900).round()
    columns = {"age": frame["age"].to_numpy(), "sex": frame["sex"].to_numpy()}
    columns["pay"] = frame["pay"].to_numpy(dtype=np.int64) + 100
    found = sums(frame, 1e-9, rng).regression([1, 2], 3, level=0.95, columns=columns)[1]
    x = np.column_stack([np.ones(2000), frame["age"], frame["sex"]])
    weighted = x * (frame["pay"] - x @ fitted(frame)[0]).to_numpy()[:, None]
    inverse = np.linalg.inv(x.T @ x)
    robust = np.sqrt(np.diag(inverse @ weighted.T @ weighted @ inverse))
    assert found is not None and found.sampling == pytest.approx(robust[1], rel=1e-6)
    assert robust[1] > 1.2 * fitted(frame)[1][1]


@pytest.mark.parametrize(("sigma", "answered"), [(5.0, 0.99), (25.0, 0.5)], ids=["clear", "faint"])
def test_intervals_hold_for_the_records_and_for_the_population(sigma: float, answered: float) -> None:
    """Of samples and of draws of noise, with a seed."""
    rng = np.random.default_rng(1)
    held: list[list[bool]] = []
    many = 100 if sigma < 10 else 40
    for _ in range(many):
        frame = table(600, rng)
        one = sums(frame, sigma, rng)
        found = [*one.regression([1, 2], 3, level=0.95), one.mean(3, level=0.95)]
        truth = [*fitted(frame)[0], (frame["pay"].mean() - 400) / 500]
        means = [100.0, 5.0, -40.0, ((100 + 5 * 48.5 - 20) - 400) / 500]
        for estimate, own, other in zip(found, truth, means, strict=True):
            if estimate is not None:
                held.append([_has(estimate.interval, own), _has(estimate.population, other)])
    assert len(held) >= answered * 4 * many
    assert np.min(np.mean(held, axis=0)) >= 0.93, np.mean(held, axis=0)


def _has(span: tuple[float, float], truth: float) -> bool:
    return span[0] <= truth <= span[1]


def test_noise_that_hides_everything_gives_no_interval() -> None:
    frame = table(50, rng := np.random.default_rng(2))
    assert sums(frame, 1e4, rng).regression([1, 2], 3, level=0.95) == [None, None, None]
    assert sums(frame, 1e4, rng).mean(3, level=0.95) is None


def test_an_interval_of_a_faint_signal_is_wider_on_the_uncertain_side() -> None:
    frame = table(600, rng := np.random.default_rng(4))
    for one in sums(frame, 12.0, rng).regression([1, 2], 3, level=0.95)[:2]:
        assert isinstance(one, Estimate) and one.interval[0] < one.value < one.interval[1]
        halves = np.abs(np.array(one.interval) - one.value)
        assert halves.max() > 1.05 * halves.min()


def test_noise_that_hides_one_column_makes_no_other_slope_wrong() -> None:
    """Age is nearly constant and most of pay, so the other intervals must allow for any slope of age.

    Of 200 draws with a seed, 0.05 may miss, plus three standard errors. If the search for the slope of age
    that fits best ends too early, 0.3 miss.
    """
    frame = table(40_000, rng := np.random.default_rng(5))
    frame["age"] = rng.integers(1, 3, len(frame))
    frame["sex"] = (rng.random(len(frame)) < np.where(frame["age"] == 2, 0.6, 0.3)).astype(int)
    frame["pay"] = np.where(rng.random(len(frame)) < np.where(frame["age"] == 2, 0.95, 0.05), 900, -100)
    exact, truth, missed = sums(frame, 1e-9, rng).values, fitted(frame)[0], []
    for _ in range(200):
        noisy = Sums(block=BLOCK, values=exact + rng.normal(0, 100, len(exact)), variance=1e4)
        found = noisy.regression([1, 2], 3, level=0.95)
        missed.append([s is not None and not _has(s.interval, t) for s, t in zip(found, truth, strict=True)])
    assert np.mean(missed, axis=0).max() <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5, np.mean(missed, axis=0)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bought")
    schema = load_schema(json.loads((DEMO / "schema.json").read_text()) | {"file_is_public": True})
    ledger = folder / "ledger.sqlite"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARGINALIA_HOME", str(folder / "home"))
        synth.open_budget(schema, epsilon=50, delta=1e-9, reason="an invented table", ledger=ledger)
        made = synth.synthesize(
            DEMO / "harbour.csv",
            schema,
            epsilon=50,
            delta=1e-9,
            means=[*MEANS, *IN_R, "logistic tenure[rented] ~ age + sex"],
            method="grove",
            ledger=ledger,
        )
    place = synth.write_bundle(made, folder / "bundle")
    assert verify(place).ok
    return place


@pytest.fixture(scope="module")
def kit(place: Path) -> Kit:
    return synth.open(place)


def test_the_kit_answers_what_was_bought(kit: Kit) -> None:
    real = pd.read_csv(DEMO / "harbour.csv").dropna(subset=["income", "age", "sex", "ward"])
    wards = [name for name in _values(kit, "ward")[1:]]
    x = np.column_stack(
        [np.ones(len(real)), real["age"], real["sex"] == "male", *(real["ward"] == ward for ward in wards)]
    ).astype(float)
    slopes = np.linalg.lstsq(x, real["income"], rcond=None)[0]
    answers = kit.regression("income ~ age + sex + ward", level=1 - 1e-6)
    assert answers[1].question == "slope of income on age"
    assert answers[2].question == "slope of income on sex is male"
    for answer, slope in zip(answers, slopes, strict=True):
        assert answer.interval is not None and answer.population is not None
        assert answer.interval[0] - 1 <= slope <= answer.interval[1] + 1, answer.question
        assert answer.population[0] < answer.interval[0] and answer.rests_on
    least = kit.regression("income ~ age + sex")[1]
    assert "ward" not in next(iter(least.rests_on)), "the smaller block has less noise"
    alone = kit.regression("income ~ sex[male]")
    assert len(alone) == 2 and alone[1].status is Status.INTERVAL, "a smaller regression needs no other sums"


def test_means_and_shares_need_no_bins(kit: Kit) -> None:
    real = pd.read_csv(DEMO / "harbour.csv")
    means = kit.mean("income", by="sex", level=1 - 1e-6)
    assert isinstance(means, tuple) and not any(one.bins for one in means)
    for answer, sex in zip(means, ("female", "male"), strict=False):
        assert answer.question == f"mean income of records where sex is {sex}" and answer.interval is not None
        truth = real[real["sex"] == sex]["income"].mean()
        assert answer.interval[0] - 40 <= truth <= answer.interval[1] + 40, "half a step of the lattice"
    share = kit.mean("sex", level=1 - 1e-6)
    assert not isinstance(share, tuple) and share.form is Form.SHARE and share.interval is not None
    assert (
        share.interval[0] <= (real["sex"] == "female").sum() / real["sex"].notna().sum() <= share.interval[1]
    )


def test_a_logistic_regression_is_answered_from_its_score(kit: Kit) -> None:
    real = pd.read_csv(DEMO / "harbour.csv").dropna(subset=["tenure", "age", "sex"])
    x = np.column_stack([np.ones(len(real)), real["age"], real["sex"] == "male"]).astype(float)
    y, b = (real["tenure"] == "rented").to_numpy(float), np.zeros(3)
    for _ in range(20):
        p = 1 / (1 + np.exp(-x @ b))
        b += np.linalg.solve(x.T @ (x * (p * (1 - p))[:, None]), x.T @ (y - p))
    answers = kit.logistic("tenure[rented] ~ sex + age", level=1 - 1e-6)
    assert answers[1].question == "slope of the log odds that tenure is rented on sex is male"
    for answer, slope in zip(answers, b[[0, 2, 1]], strict=True):
        assert answer.interval is not None and answer.population is not None and answer.rests_on
        assert answer.interval[0] <= slope <= answer.interval[1], answer.question
        assert answer.population[0] < answer.interval[0]
    assert "This value multiplies the odds by" in answers[1].sentence
    assert kit.regression("logistic tenure[rented] ~ sex + age", level=1 - 1e-6) == answers
    (constant, _) = kit.logistic("tenure[rented] ~ sex")
    assert (
        constant.status is Status.REFUSED and "--means 'logistic tenure[rented] ~ sex'" in constant.sentence
    )


def test_what_was_not_bought_is_refused_with_what_to_buy(kit: Kit) -> None:
    (constant, slope) = kit.regression("age ~ household")
    assert constant.status is slope.status is Status.REFUSED
    assert "--means 'age ~ household'" in slope.sentence
    for formula, said in (("income ~ shoe", "not a column"), ("income by sex", "not a regression")):
        with pytest.raises(Mistake, match=said):
            kit.regression(formula)


def _values(kit: Kit, name: str) -> list[str]:
    return [str(v) for axis in kit.measured.codebook.axes if axis.name == name for v in axis.labels]


def test_the_first_steps_in_r_give_the_same_figures(kit: Kit, place: Path, tmp_path: Path) -> None:
    if shutil.which("Rscript") is None or subprocess.run(["Rscript", "-e", "library(jsonlite)"]).returncode:
        pytest.skip("needs R with jsonlite (Debian: r-base-core, r-cran-jsonlite)")
    page = (DEMO.parent / "docs" / "r.md").read_text(encoding="utf-8")
    folder = Path(shutil.copytree(place, tmp_path / "package"))
    counts = kit.table(["sex"]).frame().assign(tenure="owned")  # no other table is certain to be measured
    counts.to_csv(folder / "table.csv", index=False)
    steps = re.findall(r"```r\n(.*?)```", page, re.DOTALL)
    results = "write.csv(by_ward, 'means.csv'); write.csv(slopes, 'slopes.csv'); stopifnot(nrow(counts) == 2)"
    done = subprocess.run(
        ["Rscript", "-"], input="\n".join([*steps, results]), text=True, cwd=folder, capture_output=True
    )
    assert not done.returncode, done.stderr
    means = kit.mean("income", by="ward")
    assert isinstance(means, tuple)
    for name, answers in (("means", means), ("slopes", kit.regression("income ~ age + sex")[1:])):
        found = pd.read_csv(folder / f"{name}.csv")[["estimate", "low", "high"]].to_numpy()
        assert len(found) == len(answers)
        for row, answer in zip(found, answers, strict=True):
            assert answer.interval is not None and row[0] == pytest.approx(answer.estimate)
            assert row[1:] == pytest.approx(answer.interval, rel=1e-9 if name == "means" else 1e-3)
