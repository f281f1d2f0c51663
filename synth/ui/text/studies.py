"""Words around a comparison that is being made."""

from __future__ import annotations

STARTING = "Starting"
STOP_BUTTON = "Stop"
STAY = "This goes on if you leave the page. It asks nothing of the budget."
REFERENCE = " Ask about reference {reference}."
