"""A raw table of 18 columns declared from nothing, by hands that type like a person's; and from a dictionary.

The table has the shape of US census microdata (18 columns of persons: numbers, codes with labels, blanks, an
id) and is invented here. The test prints what it took; what it asserts are clicks and fields, never seconds.
"""

from __future__ import annotations

import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from synth.dictionaries import load_schema

pytestmark = [pytest.mark.browser, pytest.mark.long]

Steward = Any
"""The `Steward` of `conftest.py`, which pytest hands over as a fixture."""

KEY_SECONDS = 0.12
"""Between two keys of a practised typist: about 500 keys a minute."""
MOST_STEPS = 60
COLUMNS = {
    "SERIALNO": "left out",
    "AGEP": "0 to 99",
    "SEX": "1 = male, 2 = female",
    "MAR": "1 = married, 2 = widowed, 3 = divorced, 4 = separated, 5 = never",
    "RAC1P": "1, 2, 3, 4, 5, 6, 7, 8, 9",
    "SCHL": "1 to 24",
    "COW": "1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9",
    "WKHP": "0 to 99 by 5 in hours",
    "PINCP": "-20000 to 1500000 cut at 0, 20000, 50000, 100000 as loss, low, middle, high, top",
    "JWMNP": "0 to 200 by 10",
    "NATIVITY": "1 = native, 2 = foreign born",
    "CIT": "1, 2, 3, 4, 5",
    "DIS": "1/2",
    "HICOV": "1/2",
    "MIL": "1, 2, 3, 4",
    "ENG": "1 = very well < 2 = well < 3 = not well < 4 = not at all",
    "MIG": "1, 2, 3",
    "ESR": "1, 2, 3, 4, 5, 6",
}
KINDS = {
    "integer": ("AGEP", "SCHL", "WKHP", "PINCP", "JWMNP"),
    "ordered": ("ENG",),
    "drop": ("SERIALNO",),
}
DICTIONARY = """name,kind,values,labels,min,max,step,cuts,blank,unit
SERIALNO,drop,,,,,,,,
AGEP,integer,,,0,99,,,no,years
SEX,category,1|2,male|female,,,,,no,
MAR,category,1|2|3|4|5,,,,,,no,
RAC1P,category,1|2|3|4|5|6|7|8|9,,,,,,no,
SCHL,integer,,,1,24,,,yes,
COW,category,1|2|3|4|5|6|7|8|9,,,,,,yes,
WKHP,integer,,,0,99,5,,yes,hours
PINCP,integer,,loss|low|middle|high|top,-20000,1500000,,0|20000|50000|100000,yes,US dollars
JWMNP,integer,,,0,200,10,,yes,minutes
NATIVITY,category,1 = native|2 = foreign born,,,,,,no,
CIT,category,1|2|3|4|5,,,,,,no,
DIS,category,1|2,,,,,,no,
HICOV,category,1|2,,,,,,no,
MIL,category,1|2|3|4,,,,,,yes,
ENG,ordered,1|2|3|4,,,,,,yes,
MIG,category,1|2|3,,,,,,yes,
ESR,category,1|2|3|4|5|6,,,,,,yes,
"""


def census(path: Path, rows: int = 300) -> Path:
    """Invented persons in the file of raw codes, without any word on what these mean."""
    rng = np.random.default_rng(18)
    cells = {name: rng.integers(1, 3, rows) for name in COLUMNS}
    cells |= {"SERIALNO": np.arange(rows), "AGEP": rng.integers(0, 99, rows)}
    cells["PINCP"] = rng.integers(-5000, 200_000, rows)
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(cells)
        out.writerows(zip(*(column.tolist() for column in cells.values()), strict=True))
    return path


class Hands:
    """What a person does one after the other, with a count of clicks and of fields filled."""

    def __init__(self, steward: Steward) -> None:
        self.steward, self.clicks, self.fields = steward, 0, 0

    def keys(self, words: str) -> None:
        for key in words:
            ActionChains(self.steward.driver, duration=0).send_keys(key).perform()
            time.sleep(KEY_SECONDS)

    def first_cell(self, *, steps: int) -> None:
        """Click the cell of the first line that lies so many steps right of the name."""
        place = '[class*="st-key-grid-"] canvas'
        self.steward.wait(lambda: self.steward.all(place), what="the grid")
        self.steward.settle()
        canvas = self.steward.all(place)[0]
        self.steward.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        self.steward.pause(0.5)
        width, height = canvas.size["width"], canvas.size["height"]
        corner = (100 - width // 2, 52 - height // 2)
        ActionChains(self.steward.driver).move_to_element_with_offset(canvas, *corner).click().perform()
        ActionChains(self.steward.driver).send_keys(Keys.ARROW_RIGHT * steps).perform()
        self.clicks += 1

    def down(self, words: str) -> None:
        """Type into a cell and go to the one below."""
        self.keys(words)
        ActionChains(self.steward.driver).send_keys(Keys.ENTER).perform()
        self.steward.pause(0.3)
        self.fields += 1


@pytest.fixture
def hands(steward: Steward) -> Hands:
    """A steward at the columns page of a new project, who has chosen the raw table; that counts too."""
    steward.begin("census", harm="money, standing", size="thousands", population="residents")
    steward.see("Source of the columns")
    before = steward.effort.presses
    steward.choose("On this computer")
    steward.upload("upload", census(steward.server.place / "persons.csv"))
    steward.click("use-file")
    steward.see("An uploaded file")
    hands = Hands(steward)
    hands.clicks = steward.effort.presses - before
    return hands


def took(way: str, hands: Hands, seconds: float) -> int:
    """Print what it took, and return the clicks and fields."""
    steps = hands.clicks + hands.fields
    print(  # noqa: T201 (what it took is what the test is for)
        f"\n{way}: {len(COLUMNS)} columns in {seconds:.0f} seconds, {hands.clicks} clicks and "
        f"{hands.fields} fields, {steps} in all"
    )
    return steps


def test_a_raw_census_table_is_declared_by_typing(steward: Steward, hands: Hands) -> None:
    before = time.monotonic()
    steward.click("read-names")
    hands.clicks += 1
    hands.first_cell(steps=1)
    for holds in COLUMNS.values():
        hands.down(holds)
    steward.see("The columns can be used")
    steps = took("by typing", hands, time.monotonic() - before)
    schema = load_schema(steward.saved()["schema"])
    assert [c.name for c in schema.columns] == list(COLUMNS)
    for column in schema.columns:
        kind = next((k for k, names in KINDS.items() if column.name in names), "category")
        assert column.kind.value == kind, column.name
    income = schema.column("PINCP")
    assert (income.cuts, income.labels[-1]) == ((0, 20000, 50000, 100000), "top")
    assert schema.column("SEX").label_of("2") == "female"
    assert schema.column("WKHP").heading == "WKHP (hours)"
    assert steps <= MOST_STEPS
    steward.driver.refresh()
    steward.see("The columns can be used")  # nothing waits for a button


def test_a_raw_census_table_is_declared_by_a_dictionary(steward: Steward, hands: Hands) -> None:
    path = steward.server.place / "persons-dictionary.csv"
    path.write_text(DICTIONARY)
    before = time.monotonic()
    steward.upload("dictionary", path)
    steward.click("load-dictionary")
    hands.clicks += 4
    steward.see("The columns can be used")
    steps = took("by a dictionary", hands, time.monotonic() - before)
    schema = load_schema(steward.saved()["schema"])
    assert {c.name for c in schema.columns} == set(COLUMNS)
    assert schema.column("NATIVITY").labels == ("native", "foreign born")
    assert schema.column("PINCP").labels == ("loss", "low", "middle", "high", "top")
    assert steps <= 12
