"""Words around a comparison that is being made."""

from __future__ import annotations

ROWS_HELP = (
    "More rows show thin places better and take longer. With many tables each gives fewer: a map holds "
    "30,000 rows at most."
)


def left(seconds: float) -> str:
    """How long it will still take, by the pace so far.

    >>> left(3), left(48), left(200)
    ('; a few seconds left', '; about 50 seconds left', '; about 3 minutes left')
    """
    if seconds < 10:
        return "; a few seconds left"
    if seconds < 90:
        return f"; about {round(seconds / 10) * 10} seconds left"
    return f"; about {round(seconds / 60)} minutes left"


def map_time(seconds: float) -> str:
    """How long a map takes at least, and when the time of this one is known.

    >>> map_time(12).split(";")[0], map_time(70).split(";")[0]
    ('The map takes about 10 seconds on a free machine', 'The map takes about a minute on a free machine')
    """
    if seconds < 45:
        about = f"{max(round(seconds / 10), 1) * 10} seconds"
    else:
        minutes = round(seconds / 60)
        about = "a minute" if minutes <= 1 else f"{minutes} minutes"
    return (
        f"The map takes about {about} on a free machine; on a busy one it may be several times that. The "
        "time it still needs is shown after its first steps."
    )
