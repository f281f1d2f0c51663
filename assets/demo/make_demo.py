"""Write the demo tables: a household survey of a town that does not exist, and of the year after.

Every person in both is invented by the code below from a fixed seed. No register, survey or
statistic of a real place went into it, so the files may be published, copied and looked at freely. The app
nevertheless treats them like private tables. The demo makes a real release with exact noise, but charges the
practice ledger.

Three thousand people are drawn one by one from a chain of believable dependencies: age decides marital
status, schooling and work; schooling and work decide income; the ward decides tenure and income; age and
income decide health. Some cells are left blank, as in any survey, and a few visits are spelt wrong.

From year to year the town changes: a quarter more people live in Fernhill and fewer in the Old Town,
pay rises by 5%, and more homes are rented. The visits of every year are written as days of 2024, so that
one declared range fits all years.

Run `python assets/demo/make_demo.py` from the repository root; the same bytes come out each time. `python
assets/demo/make_demo.py 3 third.csv` writes the table of the third year.
"""

from __future__ import annotations

import csv
import datetime as dt
import sys
from pathlib import Path

import numpy as np

ROWS = 3_000
SEED = 20_240_521
HERE = Path(__file__).parent
HEADER = (
    "record", "age", "sex", "marital", "education", "work", "income",
    "household", "tenure", "ward", "health", "visit",
)  # fmt: skip

WARDS = {
    "Quayside": 0.14,
    "Old Town": 0.19,
    "Millfield": 0.24,
    "Northgate": 0.18,
    "Fernhill": 0.16,
    "Saltmarsh": 0.09,
}
WEALTH = {
    "Quayside": 0.85,
    "Old Town": 1.0,
    "Millfield": 0.95,
    "Northgate": 1.1,
    "Fernhill": 1.45,
    "Saltmarsh": 0.75,
}
GROWTH = {"Fernhill": 1.25, "Old Town": 0.85}
RAISE = 1.05
RENTING = 1.2
"""What the shares of wards, the pay and the weight of rented homes are multiplied by in each later year."""

SCHOOLS = ("none", "primary", "secondary", "college", "university")
PAY = {
    "manual": 27_000,
    "service": 24_000,
    "care": 29_000,
    "office": 35_000,
    "professional": 58_000,
    "own business": 41_000,
    "retired": 16_500,
    "student": 6_500,
    "not working": 8_500,
}
HEALTH = ("very poor", "poor", "fair", "good", "very good")


def pick(rng: np.random.Generator, weights: dict[str, float]) -> str:
    """One key, in proportion to its weight."""
    share = np.array(list(weights.values()), dtype=float)
    return list(weights)[rng.choice(len(share), p=share / share.sum())]


def draw_age(rng: np.random.Generator) -> int:
    """A town with many families and many pensioners."""
    centre, spread = [(9, 6), (34, 10), (52, 12), (73, 9)][rng.choice(4, p=[0.2, 0.33, 0.27, 0.2])]
    return int(np.clip(round(rng.normal(centre, spread)), 0, 98))


def draw_marital(rng: np.random.Generator, age: int) -> str:
    if age < 16:
        return "never married"
    settled = 1 / (1 + np.exp(-(age - 29) / 5))
    lost = 1 / (1 + np.exp(-(age - 78) / 6))
    return pick(
        rng,
        {
            "never married": 1 - 0.88 * settled,
            "married": settled * 0.66 * (1 - 0.7 * lost),
            "divorced": settled * 0.2 * (1 - 0.4 * lost),
            "widowed": 0.02 * settled + 0.55 * lost,
        },
    )


def draw_education(rng: np.random.Generator, age: int) -> str:
    if age < 6:
        return "none"
    if age < 15:
        return pick(rng, {"none": 0.15 if age < 8 else 0.01, "primary": 1.0})
    newer = 1 / (1 + np.exp((age - 55) / 14))
    weights = {"none": 0.02, "primary": 0.1 + 0.25 * (1 - newer), "secondary": 0.42}
    if age >= 18:
        weights |= {"college": 0.3}
    if age >= 21:
        weights |= {"university": 0.1 + 0.3 * newer}
    return pick(rng, weights)


def draw_work(rng: np.random.Generator, age: int, sex: str, education: str) -> str:
    if age < 16:
        return "child"
    if age >= 66 and rng.random() < 0.93:
        return "retired"
    if age >= 58 and rng.random() < 0.3:
        return "retired"
    if age < 23 and rng.random() < 0.55:
        return "student"
    level = SCHOOLS.index(education)
    return pick(
        rng,
        {
            "manual": (3.4 if sex == "male" else 1.1) * (5 - level),
            "service": 1.9 * (5 - level),
            "care": (0.8 if sex == "male" else 2.6) * (1 + level),
            "office": 2.2 * (0.5 + level),
            "professional": 0.35 * level**2.2,
            "own business": 2.2,
            "not working": 1.6 + 0.5 * (4 - level),
        },
    )


def draw_ward(rng: np.random.Generator, later: int) -> str:
    return pick(rng, {ward: share * GROWTH.get(ward, 1.0) ** later for ward, share in WARDS.items()})


def draw_income(
    rng: np.random.Generator, age: int, education: str, work: str, ward: str, later: int
) -> float:
    """Pounds a year, to the penny."""
    if work == "child":
        return 0.0
    base = PAY[work] * RAISE**later * (1 + 0.07 * SCHOOLS.index(education))
    base *= 0.75 + 0.25 * np.exp(-(((age - 49) / 22) ** 2))
    return round(float(np.clip(base * WEALTH[ward] ** 0.6 * rng.lognormal(0, 0.33), 0, 149_999)), 2)


def draw_household(rng: np.random.Generator, age: int, marital: str) -> int:
    middle = 2.4 if marital == "married" else 1.1
    if age < 18:
        middle = 3.6
    elif age > 68:
        middle *= 0.55
    return int(np.clip(1 + rng.poisson(max(middle - 0.4, 0.15)) + (marital == "married"), 1, 9))


def draw_tenure(rng: np.random.Generator, age: int, ward: str, later: int) -> str:
    rich = WEALTH[ward]
    return pick(
        rng,
        {
            "owned": rich**2 * (0.5 + 0.9 / (1 + np.exp(-(age - 40) / 9))),
            "rented": 0.75 / rich * (1.6 if 19 < age < 35 else 0.8) * RENTING**later,
            "social housing": 0.42 / rich**2.5,
            "sheltered": 0.25 if age > 74 else 0.0,
        },
    )


def draw_health(rng: np.random.Generator, age: int, income: float) -> str:
    place = 4.1 - age / 34 + 0.35 * np.log1p(income / 20_000) + rng.normal(0, 0.75)
    return HEALTH[int(np.clip(round(place), 0, 4))]


def draw_visit(rng: np.random.Generator, ward: str) -> str:
    """The interviewers walked ward by ward through 2024 and paused in August."""
    start = dt.date(2024, 1, 8) + dt.timedelta(days=58 * list(WARDS).index(ward))
    day = start + dt.timedelta(days=int(np.clip(rng.gamma(2.2, 14), 0, 68)))
    return (day + dt.timedelta(days=31) if day.month == 8 else day).isoformat()


def draw_person(rng: np.random.Generator, number: int, later: int) -> list[object]:
    """One record of the survey that took place so many years after the first."""
    ward = draw_ward(rng, later)
    age = draw_age(rng)
    sex = "female" if rng.random() < (0.51 if age < 70 else 0.58) else "male"
    marital = draw_marital(rng, age)
    education = draw_education(rng, age)
    work = draw_work(rng, age, sex, education)
    income = draw_income(rng, age, education, work, ward, later)
    person: list[object] = [
        f"H{number:05d}", age, sex, marital, education, work, f"{income:.2f}",
        draw_household(rng, age, marital), draw_tenure(rng, age, ward, later), ward,
        draw_health(rng, age, income), draw_visit(rng, ward),
    ]  # fmt: skip
    if work != "child" and rng.random() < 0.06:
        person[6] = ""
    if rng.random() < 0.02:
        person[10] = ""
    if rng.random() < 0.004:
        person[11] = "not recorded"
    return person


def write(year: int, path: Path) -> None:
    """Write the table of a year: 1 is the first."""
    rng, later = np.random.default_rng(SEED + year - 1), year - 1
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(draw_person(rng, later * ROWS + number + 1, later) for number in range(ROWS))


def main() -> None:
    write(1, HERE / "harbour.csv")
    write(2, HERE / "harbour-2.csv")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(int(sys.argv[1]), Path(sys.argv[2]))
    else:
        main()
