"""Every command that a document shows is a command of the program: its verbs, options and choices exist."""

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.cli.parser import parse

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "assets" / "docs").glob("*.md"))]
COMMAND = re.compile(r"(?:\.venv/bin/)?(?:marginalia|python -m synth)((?: [^`#;]+)?)")
FENCED = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(text: str) -> Iterator[str]:
    """Return the arguments of each command, from blocks of shell commands and from code in sentences."""
    for block in FENCED.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if found := re.search(rf"(?:^|=\S+ ){COMMAND.pattern}", line):
                yield found[1]
    for code in re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        if found := COMMAND.fullmatch(" ".join(code.split())):
            yield found[1]


def wrong(arguments: str) -> str | None:
    """Return what the parser objects to, except missing arguments and choices such as METHOD."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            parse(shlex.split(arguments))
    except SystemExit:
        last = said.getvalue().strip().splitlines()[-1]
        if re.search(r"unrecognized arguments|invalid choice: '(?![A-Z+]+')", last):
            return f"{arguments}: {last}"
    return None


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_parser_knows_every_command_of_a_document(document: Path) -> None:
    found = dict.fromkeys(commands(document.read_text(encoding="utf-8")))
    assert [problem for arguments in found if (problem := wrong(arguments))] == []


def test_every_module_that_a_document_runs_exists() -> None:
    texts = [document.read_text(encoding="utf-8") for document in DOCUMENTS]
    named = {name for text in texts for name in re.findall(r"python -m\s+((?:synth|tests)[.\w]*)", text)}
    places = {name: ROOT.joinpath(*name.rstrip(".").split(".")) for name in named}
    assert len(named) > 5
    assert [name for name, at in places.items() if not (at.with_suffix(".py").exists() or at.is_dir())] == []
