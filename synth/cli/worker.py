"""`worker`: run tasks on public data that other processes put into a shared folder."""

from __future__ import annotations

import argparse
import re
import secrets
import socket
from pathlib import Path

from synth.cli.arguments import Commands, command
from synth.cli.console import Console
from synth.core.errors import Mistake

_SHORTEST_LEASE = 0.5


def add(commands: Commands) -> None:
    parser = command(commands, "worker", worker, "run public tasks from a shared folder")
    parser.add_argument(
        "--folder", required=True, metavar="DIR", help="the folder shared with the machines that submit tasks"
    )
    parser.add_argument(
        "--name", help="name shown to users who wait for a task (default: the host name and four hex digits)"
    )
    parser.add_argument(
        "--lease",
        type=float,
        metavar="SECONDS",
        default=60.0,
        help=(
            "time without a heartbeat after which another worker takes over a task; use the same value for "
            "all workers (default: 60)"
        ),
    )
    parser.add_argument(
        "--idle",
        type=float,
        metavar="SECONDS",
        default=float("inf"),
        help="stop after this time without a task (default: never)",
    )


def worker(args: argparse.Namespace, console: Console) -> int:
    """Run tasks until the process is stopped. Another worker then takes over any unfinished task.

    This needs neither the ledger nor the private file.
    """
    from synth.app.jobs.elsewhere.parcels import WORKER_NAME, Parcels
    from synth.app.jobs.elsewhere.worker import FolderWorker

    folder = Path(args.folder).expanduser().absolute()
    if not folder.is_dir():
        raise Mistake(f"There is no folder {args.folder!r} to take tasks from. Mount or create it.")
    if args.lease < _SHORTEST_LEASE:
        raise Mistake(f"A lease must last at least {_SHORTEST_LEASE} seconds (you asked for {args.lease:g}).")
    name = args.name or f"{re.sub('[^A-Za-z0-9-]', '-', socket.gethostname())[:50]}-{secrets.token_hex(2)}"
    if not WORKER_NAME.fullmatch(name):
        raise Mistake(
            f"{name!r} is not a valid name of a worker. Use letters, digits, dashes and underscores."
        )
    console.note(f"The worker {name} takes public tasks from {folder}. Ctrl-C stops it.")

    def tell(line: str) -> None:
        console.note(line)
        console.tell("worker", name=name, said=line)

    hired = FolderWorker(parcels=Parcels(folder), name=name, lease=args.lease, tell=tell)
    hired.serve(idle=args.idle)
    return 0
