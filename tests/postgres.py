"""A Postgres of the tests' own: Debian's package, in a folder of its own, reached by a socket alone."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

USER = "steward"


def programs() -> Path | None:
    """The folder of the newest installed Postgres, None if there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@dataclass(frozen=True)
class Server:
    """A server in `folder`; a process of an account without rights, as Postgres demands."""

    bin: Path
    folder: Path

    def run(self, program: str, *arguments: str) -> None:
        account = {"user": _account(), "group": _account(), "extra_groups": []} if os.geteuid() == 0 else {}
        subprocess.run(
            [self.bin / program, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            timeout=120,
            **account,  # type: ignore[call-overload]
        )

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c fsync=off"
        log = str(self.folder / "log")
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", log, "-o", options, "start")

    def stop(self, how: str = "immediate") -> None:
        """As if the machine had lost its power."""
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", how, "stop")

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def settings(self, table: str, **others: Any) -> dict[str, Any]:
        """What a connection says to reach a table."""
        return {"host": str(self.folder), "user": USER, "database": "postgres", "table": table, **others}

    def execute(self, *statements: str) -> None:
        with self.connected() as connection:
            for statement in statements:
                connection.execute(statement)

    def fill(self, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """A new table with these columns, as SQL declares them, and these rows."""
        quoted = table.replace('"', '""')
        with self.connected() as connection:
            connection.execute(f'DROP TABLE IF EXISTS "{quoted}"')
            connection.execute(f'CREATE TABLE "{quoted}" ({columns})')
            with connection.cursor() as cursor, cursor.copy(f'COPY "{quoted}" FROM STDIN') as copy:
                for row in rows:
                    copy.write_row(row)

    @contextmanager
    def connected(self) -> Iterator[Any]:
        import psycopg

        with psycopg.connect(host=str(self.folder), user=USER, dbname="postgres") as connection:
            yield connection


def _account() -> str:
    return next(
        name for name in ("postgres", "nobody") if name in {entry.pw_name for entry in pwd.getpwall()}
    )


@contextmanager
def server() -> Iterator[Server]:
    """A running server with an empty database; gone afterwards."""
    bin = programs()
    assert bin is not None
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, _account())
        own = Server(bin, folder)
        own.run(
            "initdb", "-D", str(folder / "data"), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"
        )
        own.start()
        yield own
        own.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
