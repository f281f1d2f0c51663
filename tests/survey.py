"""A small survey with columns of every kind, and canaries where no release may look."""

import csv
import datetime as dt
import random
from pathlib import Path

CANARY = "canary-5b1e9c"
SCHEMA = """{"name": "survey", "population": "survey-2024", "unit": {"max_rows": 1}, "rows_public": false,
 "columns": [
  {"name": "age",    "kind": "integer",  "min": 0, "max": 99, "bins": 25},
  {"name": "income", "kind": "decimal",  "min": 0, "max": 250000, "bins": 32},
  {"name": "joined", "kind": "date",     "min": "2011-01-01", "max": "2020-12-31"},
  {"name": "school", "kind": "ordered",  "values": ["none", "primary", "secondary", "tertiary"]},
  {"name": "status", "kind": "category", "values": ["single", "married"]},
  {"name": "ward",   "kind": "category", "values": [0, 1, 2]},
  {"name": "id",     "kind": "drop"}]}
"""
"""The smallest schema file that must be accepted as it stands."""


def write(path: Path, *, rows: int = 1500, seed: int = 5) -> Path:
    """Nobody below 18 is married; canaries are in strange cells and in the column that is dropped."""
    draw = random.Random(seed)
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["age", "income", "joined", "school", "status", "ward", "id"])
        for row in range(rows):
            age = draw.randrange(100)
            joined = dt.date(2011, 1, 1) + dt.timedelta(days=draw.randrange(3650))
            status = "single" if age < 18 else draw.choice(["single", "married"])
            status = status if row % 50 != 1 else f"{CANARY}-status"
            income = f"{age * draw.random() * 1000:.2f}" if row % 50 else f"{CANARY}-income"
            school = draw.choice(["none", "primary", "secondary", "tertiary"])
            writer.writerow([age, income, joined, school, status, draw.randrange(3), f"{CANARY}-{row}"])
    return path
