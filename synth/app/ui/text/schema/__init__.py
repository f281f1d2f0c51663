"""Words of the columns page: what stands around its panels; a module for each panel has the rest."""

from __future__ import annotations

LEAD = (
    "Say what every column can hold. None of it is looked up in the file: what the file happens to contain "
    "is a secret, what it **could** contain is not."
)
NEXT_WHY = "Some columns are not finished; the checks name them."
NEXT_UNSAVED = "A line of the grid cannot be kept as it is; the sentence below the grid says why."
