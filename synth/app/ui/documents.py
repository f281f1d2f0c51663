"""Prepare the pages of `assets/docs` for the help page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from synth.core.system.places import program

FOLDER = program() / "assets" / "docs"
INDEX = "README"
_IMAGE = re.compile(r"^!\[([^\]]*)\]\(([^)\s]+)\)$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)\s]+\)")


def listed(folder: Path = FOLDER) -> dict[str, str]:
    """Return the title of each page by its file name without extension: first the pages in the index, then
    the others.
    """
    index = folder / f"{INDEX}.md"
    order = re.findall(r"\]\(([\w-]+)\.md\)", index.read_text(encoding="utf-8")) if index.is_file() else []
    found = {path.stem: path for path in sorted(folder.glob("*.md")) if path.stem != INDEX}
    names = dict.fromkeys([*(name for name in order if name in found), *found])
    return {name: _title(found[name]) for name in names}


def _title(path: Path) -> str:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("# ").strip()


def parts(name: str, folder: Path = FOLDER) -> Iterator[str | tuple[str, Path]]:
    """Yield the parts of a page below its title: Markdown texts, and the caption and path of each picture.
    Links to other files become plain text, because the help page shows each file separately.
    """
    text = (folder / f"{name}.md").read_text(encoding="utf-8").partition("\n")[2]
    start = 0
    for image in _IMAGE.finditer(text):
        yield _LINK.sub(r"*\1*", text[start : image.start()])
        yield image[1], (folder / image[2]).resolve()
        start = image.end()
    yield _LINK.sub(r"*\1*", text[start:])
