"""Words of the journey: the marks beside each step, and why a step is locked."""

from __future__ import annotations

MARKS = {"done": "done", "open": "", "locked": "locked"}
MISSING = {
    "project": "There is no project open yet. Open the demo or start a project of your own first.",
    "unit": "It is not settled yet who is protected. Every price and every promise depends on that.",
    "schema": "The columns are not declared yet. What they can hold must be known before a file is read.",
    "file": "No file has been chosen yet. It stays unread until the run starts.",
    "budget": "The budget is not confirmed yet. Nothing can be spent before you have seen what it means.",
    "run": "No run has finished yet, so there is nothing to see here.",
}
LEAD_THERE = "Go to {title}"
NEXT = "Next: {title}"
