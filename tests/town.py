"""A small town with a column of most kinds: declared, estimated, binned by a tree, merged, and dropped."""

from pathlib import Path
from typing import Any

import numpy as np

SCHEMA: dict[str, Any] = {
    "name": "town",
    "population": "town-2024",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 10},
        {"name": "status", "kind": "category", "values": ["single", "married"], "blank": False},
        {"name": "income", "kind": "decimal", "min": 0, "max": 1000, "binning": "privtree"},
        {"name": "job", "kind": "category", "buy": True},
        {"name": "ward", "kind": "category", "values": list(range(30)), "merge_rare": True},
        {"name": "note", "kind": "drop"},
    ],
}
RULE = "if age is below 18 then status is only single"
CANARIES = ("unicum-7731", "secret")
"""A job of one person, and the dropped column of everyone."""


def write(path: Path, *, rows: int = 800) -> Path:
    """Write a table in which no one below 18 is married."""
    rng = np.random.default_rng(0)
    lines = ["age,status,income,job,ward,note"]
    for _ in range(rows):
        age = int(rng.integers(0, 100))
        status = "married" if age >= 18 and rng.random() < 0.7 else "single"
        job = "baker" if rng.random() < 0.6 else "smith"
        lines.append(f"{age},{status},{rng.gamma(2, 50):.2f},{job},{int(rng.geometric(0.4)) - 1},secret")
    path.write_text("\n".join([*lines, "40,single,1,unicum-7731,2,secret"]) + "\n")
    return path
