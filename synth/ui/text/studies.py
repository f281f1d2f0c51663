"""Words around a comparison that is being made."""

from __future__ import annotations

STARTING = "Starting"
STOP_BUTTON = "Stop"
STAY = "This goes on if you leave the page. It asks nothing of the budget."
REFERENCE = " Ask about reference {reference}."

ROWS_LABEL = "Rows from each table on the map"
ROWS_HELP = (
    "More rows show thin places better and take longer. With many tables each gives fewer: a map holds "
    "30,000 rows at most."
)


def map_time(seconds: float) -> str:
    """How long a map takes, not finer than anybody can know.

    >>> map_time(12), map_time(70), map_time(400)
    ('The map takes about 10 seconds.', 'The map takes about a minute.', 'The map takes about 7 minutes.')
    """
    if seconds < 45:
        return f"The map takes about {max(round(seconds / 10), 1) * 10} seconds."
    minutes = round(seconds / 60)
    return "The map takes about a minute." if minutes <= 1 else f"The map takes about {minutes} minutes."
