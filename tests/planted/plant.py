"""Plant each bug of this folder in a copy of the code and check that a test fails: `make planted`.

A bug replaces one piece of text in one file. It counts as caught if a test that the change selects fails and
passes without the bug. If the tests of a stage do not end within `SECONDS`, it is unknown whether they would
have failed: a bug may make a test hang, but a busy machine may also be slow. So each result states the load
of the machine, the mean number of running processes in the last minute. Try unknown bugs again on an idle
machine.

    python -m tests.planted.plant                 # all bugs, two at a time
    python -m tests.planted.plant ledger noise    # those whose name contains one of the words
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
COPIED = ("synth", "tests", "pages", "assets", ".streamlit")
FILES = ("app.py", "pyproject.toml", "README.md", "CONTRIBUTING.md", "Makefile", "constraints.txt")
EVERYWHERE = ("tests/contracts", "tests/test_pipeline.py", "tests/test_private_parts.py", "tests/test_api.py")
TOGETHER = 2
SECONDS = 2400
"""Time limit of a stage. A stage takes at most four minutes of a core."""
UNKNOWN = "the tests did not end"


@dataclass(frozen=True, kw_only=True)
class Bug:
    """One deliberate bug: `old` occurs once in `file` and is replaced by `new`; `breaks` says what that
    breaks."""

    name: str
    file: str
    old: str
    new: str
    breaks: str
    privacy: bool = False

    def planted(self, root: Path) -> None:
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: the old text occurs {text.count(self.old)} times in {self.file}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The test that failed first with a bug in place, None if the bug was missed, or `UNKNOWN`.

    `load` is the load of the machine at the end.
    """

    bug: Bug
    failed: str | None
    seconds: float
    load: float


def bugs() -> list[Bug]:
    """All bugs, in the order of the files of this folder."""
    found = []
    for path in sorted(FOLDER.glob("*.toml")):
        for name, facts in tomllib.loads(path.read_text(encoding="utf-8")).items():
            found.append(Bug(name=f"{path.stem}.{name}", **facts))
    return found


def selected(bug: Bug) -> list[list[str]]:
    """The tests that a change of this file selects, in stages from its doctests to the contracts."""
    parts = Path(bug.file).with_suffix("").parts[1:]
    own = f"tests/{'/'.join(parts[:-1])}/test_{parts[-1]}.py"
    folder = "tests/" + "/".join(parts[:-1])
    stages = [[bug.file, own], [folder], [f"tests/{parts[0]}"], list(EVERYWHERE)]
    return [there for stage in stages if (there := [place for place in stage if (ROOT / place).exists()])]


def tried(bug: Bug, clean: Path) -> Outcome:
    """Plant the bug in a copy and run the selected tests until one fails that passes in `clean`."""
    began = time.monotonic()
    failed = None
    with copied() as root:
        bug.planted(root)
        for stage in selected(bug):
            if failed is None:
                failed = first_failure(root, stage)
    if failed not in (None, UNKNOWN) and first_failure(clean, [failed]):
        raise AssertionError(f"{failed} fails without a bug")
    return Outcome(bug=bug, failed=failed, seconds=time.monotonic() - began, load=os.getloadavg()[0])


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of what the tests need, deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="planted-") as place:
        root = Path(place)
        for name in COPIED:
            ignored = shutil.ignore_patterns("__pycache__", "screenshots")
            shutil.copytree(ROOT / name, root / name, ignore=ignored)
        for name in FILES:
            shutil.copy(ROOT / name, root)
        yield root


def first_failure(root: Path, tests: list[str]) -> str | None:
    """The first of these tests that fails in a copy of the tree."""
    words = ["-q", "-x", "-m", "not long", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", *words],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = run.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        return UNKNOWN
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", printed, re.MULTILINE)
    return found[1] if found else None


def line(outcome: Outcome) -> str:
    """One outcome in words."""
    kind = "privacy" if outcome.bug.privacy else "other"
    took = f"{outcome.seconds:6.1f} s at load {outcome.load:4.1f}"
    return f"{outcome.bug.name:<44} {kind:<8} {took}  {outcome.failed or 'MISSED'}"


def summary(outcomes: Sequence[Outcome]) -> tuple[str, bool]:
    """What was caught, missed and unknown, and whether that is enough.

    It is enough if no privacy bug is missed, at most one bug in twenty is missed, and none is unknown.
    """
    missed = [outcome.bug for outcome in outcomes if outcome.failed is None]
    unknown = [outcome.bug for outcome in outcomes if outcome.failed == UNKNOWN]
    private = [bug for bug in missed if bug.privacy]
    caught = len(outcomes) - len(missed) - len(unknown)
    counts = f"missed {len(missed)}, of which {len(private)} privacy bugs; unknown {len(unknown)}"
    lines = [f"{caught} of {len(outcomes)} caught; {counts}"]
    lines += [f"  missed: {bug.name}: {bug.breaks}" for bug in missed]
    lines += [f"  unknown: {bug.name}: {bug.breaks}" for bug in unknown]
    return "\n".join(lines), not private and not unknown and len(missed) <= 0.05 * len(outcomes)


def main(words: list[str]) -> int:
    chosen = [bug for bug in bugs() if not words or any(word in bug.name for word in words)]
    outcomes = []
    with copied() as clean, ThreadPoolExecutor(TOGETHER) as pool:
        for outcome in pool.map(partial(tried, clean=clean), chosen):
            outcomes.append(outcome)
            print(line(outcome), flush=True)
    said, is_enough = summary(outcomes)
    print(said)
    return int(not is_enough)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
