"""`where`: print all paths of this installation and the reason for each."""

from __future__ import annotations

import argparse

from synth.cli.arguments import Commands, command
from synth.cli.console import Console
from synth.core.system import places
from synth.core.system.disks import Reach, reach_of

NETWORK = "on a network disk, where a ledger is refused and runs can be watched from one machine only"
UNKNOWN = "another machine must not be able to reach this disk, but this program cannot check that"
_WARNINGS = {Reach.NETWORK: NETWORK, Reach.UNKNOWN: UNKNOWN, Reach.LOCAL: ""}
"""The warning for each kind of disk."""


def add(commands: Commands) -> None:
    command(commands, "where", where, "print where the ledger, jobs, projects and tables are, and why")


def where(args: argparse.Namespace, console: Console) -> int:
    """Print the paths without creating anything. Return 0. Raises: `Mistake` for unusable paths."""
    for place in places.places():
        reach, disk = reach_of(place.path)
        caution = _WARNINGS[reach]
        facts = [place.because, disk or "unknown disk", "exists" if place.exists else "not created yet"]
        console.say(f"{place.name:16}  {place.path}\n{'':16}  {', '.join(facts)}")
        if caution:
            console.say(f"{'':16}  Warning: {caution}.")
        console.tell(
            "place",
            name=place.name,
            path=str(place.path),
            because=place.because,
            exists=place.exists,
            disk=disk,
            warning=caution,
        )
    places.ledger()
    return 0
