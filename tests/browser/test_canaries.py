"""Canaries in a private file, looked for in everything that leaves the private side.

Looked through: every page as the browser holds it, its address, every answer of the server and every frame
of its socket (as the browser's own network log has them), logs, temporary files, project and job folders, the
ledger, the bundle. Not looked through: the uploaded file itself and the app's one copy of it, what the
browser sends (the upload is the canary's own way in), and the browser's profile. Streamlit's own scripts are
the same for everybody and are left out, too.

The exact number of rows is looked for until something has been measured; from then on noisy counts near it
are public, and may hit it.
"""

from __future__ import annotations

import base64
import io
import json
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from pyarrow import parquet
from selenium.common.exceptions import WebDriverException

from synth.app.project import journey
from tests.browser.server import RUN_PATIENCE
from tests.browser.steward import Steward

pytestmark = [pytest.mark.browser, pytest.mark.long]

WARD, NOTE, FILE = "canary-ward-7Q4Z", "canary-note-K2M9", "canary-file-3XV"
BEYOND = 98_765_032_100_417
ROWS = 204_083
OPEN, EDGE = "label-in-the-open-5T", 55_170_236_844_919
"""Two public words, declared by the steward: the search has to find them."""

WORDS, NUMBERS = (WARD, NOTE), (BEYOND,)
PACKED = re.compile(rb'"bdata":\s*"([A-Za-z0-9+/=\\]+)"')
COUNTED = re.compile(rb"(?<![\w.,-])204[,. ]?083(?![\w.,-])")
PAGES = tuple(step.name for step in journey.STEPS if step.name != "project")


def disguises(word: str | int) -> Iterator[bytes]:
    """The bytes as which a word or a number may travel: as text, in base 64, as a number of eight bytes."""
    if isinstance(word, int):
        yield from (struct.pack("<q", word), struct.pack("<d", word), f"{word:,}".encode())
    plain = str(word).encode()
    yield plain
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + plain)
        yield coded[4 if shift else 0 : len(coded) // 4 * 4 - 4]


def found(body: bytes, words: tuple[str | int, ...]) -> list[str | int]:
    """Which of these words are in a body, in whatever form, packed arrays and escaped Markdown included."""
    arrays = [base64.b64decode(hit.replace(b"\\", b"") + b"==") for hit in PACKED.findall(body)]
    text = b"\n".join([body, body.lower(), body.replace(b"\\", b""), *arrays])
    return [word for word in words if any(form in text for form in (*disguises(word), *_lowered(word)))]


def _lowered(word: str | int) -> tuple[bytes, ...]:
    return (word.lower().encode(),) if isinstance(word, str) else ()


def unpacked(path: Path) -> Iterator[bytes]:
    """What a file says, and what is packed inside it."""
    yield path.read_bytes()
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        yield table.to_pandas().to_csv().encode()
        yield repr(table.schema.metadata).encode()
    if path.suffix == ".zip":
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            yield from (archive.read(name) for name in archive.namelist())


class Search:
    """Everything one browser has been told so far, and a search through it and through the disk."""

    def __init__(self, steward: Steward) -> None:
        self.steward = steward
        self.lost: list[str] = []
        self.seen: list[tuple[str, bytes]] = []
        self.addresses: dict[str, str] = {}

    def listen(self) -> None:
        """Take the page as it stands, its address, and what came over the wire since the last time."""
        driver = self.steward.driver
        address = driver.current_url
        self.seen.append((f"page {address}", self.steward.dom().encode()))
        self.seen.append(("address", address.encode()))
        for line in driver.get_log("performance"):
            event = json.loads(line["message"])["message"]
            self._take(event["method"], event.get("params", {}), page=urlsplit(address).path)

    def _take(self, method: str, stated: dict[str, Any], *, page: str) -> None:
        if method == "Network.webSocketFrameReceived":
            frame = stated["response"]
            body = frame["payloadData"].encode()
            self.seen.append((f"frame on {page}", base64.b64decode(body) if frame["opcode"] == 2 else body))
        elif method == "Network.webSocketCreated":
            self.seen.append(("address of the socket", stated["url"].encode()))
        elif method == "Network.responseReceived":
            address, heads = stated["response"]["url"], stated["response"]["headers"]
            self.addresses[stated["requestId"]] = address
            self.seen.append((f"head of {address}", json.dumps([address, heads]).encode()))
        elif method == "Network.loadingFinished":
            self._body(stated["requestId"])

    def _body(self, request: str) -> None:
        address = self.addresses.get(request, "")
        if not address.startswith(self.steward.server.url) or "/static/" in address:
            return
        try:
            body = self.steward.driver.execute_cdp_cmd("Network.getResponseBody", {"requestId": request})
            coded = body["body"].encode()
            content = base64.b64decode(coded) if body["base64Encoded"] else coded
        except WebDriverException:  # the browser has dropped it; its address is that of its content
            try:
                with urlopen(address, timeout=60) as answer:
                    content = answer.read()
            except OSError:
                self.lost.append(address)
                return
        self.seen.append((f"body of {address}", content))

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Every file the server, its workers and the download have left, but the private file itself."""
        for path in sorted(self.steward.server.place.rglob("*")):
            inside = path.relative_to(self.steward.server.place)
            private = path.name.startswith("private") or path.name.startswith(FILE)
            if path.is_file() and not private and "profile" not in inside.parts:
                for body in unpacked(path):
                    yield str(inside), body

    def finds(self, *words: str | int) -> list[str]:
        """Where any of these words is, what was heard and seen so far first."""
        places = [*self.seen, *self.files()]
        return [f"{word} in {place}" for place, body in places for word in found(body, words)]

    def named(self) -> set[str]:
        """The pages, by their paths, and the files in which the private file is called by its name."""
        return {urlsplit(place.split()[-1]).path for place in self.finds(FILE)}

    def counts(self) -> list[str]:
        """Where the exact number of rows is."""
        return [place for place, body in [*self.seen, *self.files()] if COUNTED.search(body)]


@pytest.mark.parametrize("word", [WARD, BEYOND])
def test_the_search_sees_through_disguises(word: str | int) -> None:
    plain = str(word).encode()
    packed = base64.b64encode(struct.pack("<3d", 1.5, BEYOND, 2.5))
    hiding = [b"x" * n + plain for n in range(3)]
    assert all(found(base64.b64encode(body + b"yz"), (word,)) for body in hiding)
    assert found(b'{"x": {"dtype": "f8", "bdata": "' + packed + b'"}}', (BEYOND,))
    assert found(plain.replace(b"-", b"\\-"), (word,))
    assert not found(b"canary-ward and 98765032100418", (word,))


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The table with its canaries, two that cannot be read, and the dictionary."""
    place = tmp_path / "mine"
    place.mkdir()
    rows = ["age,ward,note", *(f"{i % 90},{'ab'[i % 2]},x" for i in range(ROWS - 3))]
    rows += [f"{BEYOND},{WARD},{NOTE}"] * 3
    body = ("\n".join(rows) + "\n").encode()
    columns = [
        {"name": "age", "title": OPEN, "kind": "integer", "min": 0, "max": EDGE, "points": [20, 40, 60]},
        {"name": "ward", "kind": "category", "values": ["a", "b"]},
        {"name": "note", "kind": "drop"},
    ]
    given = {"name": "leak", "population": "leak", "unit": {"max_rows": 1}, "columns": columns}
    contents = {
        "whole": body,
        "headless": body.replace(b"age,ward,note", f"age,{WARD},note".encode(), 1),
        "broken": b"PAR1" + body + b"PAR1",
        "dictionary": json.dumps(given).encode(),
    }
    paths = {name: place / f"{FILE}-{name}.csv" for name in contents}
    paths["broken"] = place / f"{FILE}-broken.parquet"
    paths["dictionary"] = place / "dictionary.json"
    for name, content in contents.items():
        paths[name].write_bytes(content)
    return paths


def test_nothing_private_is_on_a_public_side(people: Callable[..., Steward], files: dict[str, Path]) -> None:
    steward = people("mole", listen=True)
    search = Search(steward)
    _describe(steward, search, files)
    for name, words in (
        ("headless", "missing from the table"),
        ("broken", "cannot be opened as a table"),
    ):
        _take_file(steward, search, files[name])
        _run(steward, search, sees=words)
        steward.click("another")
        search.listen()
        steward.go("schema")
        search.listen()
    _through_all_pages(steward, search)
    assert not search.finds(*WORDS, *NUMBERS)
    assert {Path(place).name for place in search.named()} == {"schema", "run", "project.json"}, search.named()
    assert not search.counts()
    steward.go("schema")
    _take_file(steward, search, files["whole"])
    _compare(steward, search)
    _run(steward, search, sees="Finished.")
    _publish(steward, search)
    _look(steward, search)
    _through_all_pages(steward, search)
    assert not search.finds(*WORDS, *NUMBERS)
    assert {Path(place).name for place in search.named()} == {"schema", "run", "project.json"}, search.named()
    assert not search.lost
    places = " ".join(search.finds(OPEN, EDGE))
    for kind in ("page http", "frame", "project.json", "spec.json", "downloads/", "published/"):
        assert f"{OPEN} in " in places and kind in places, kind
    assert f"{EDGE} in frame" in places


def _describe(steward: Steward, search: Search, files: dict[str, Path]) -> None:
    steward.begin("leak", population="leak")
    search.listen()
    steward.upload("dictionary", files["dictionary"])
    steward.click("load-dictionary")
    steward.see("The columns can be used")
    search.listen()
    for page in ("schema", "rules", "budget"):
        steward.next(page)
        search.listen()
    steward.go("schema")


def _take_file(steward: Steward, search: Search, path: Path) -> None:
    steward.take_file(path)
    search.listen()


def _run(steward: Steward, search: Search, *, sees: str) -> None:
    steward.go("run")
    search.listen()
    steward.type("confirm-name", "leak")
    steward.click("spend")
    steward.see(sees, seconds=RUN_PATIENCE)
    search.listen()


def _through_all_pages(steward: Steward, search: Search) -> None:
    for page in ("", *PAGES):
        steward.open(f"/{page}?p={steward.identity}")
        search.listen()


def _publish(steward: Steward, search: Search) -> None:
    steward.go("release")
    steward.tick("preview")
    search.listen()
    steward.publish("To be searched")
    steward.click("download")
    place = steward.server.place / "mole" / "downloads"
    steward.wait(lambda: list(place.glob("*.zip")), what="a downloaded zip")
    search.listen()


def _compare(steward: Steward, search: Search) -> None:
    """The private file against its declaration: bands, for the steward alone."""
    steward.unfold("Does my file fit?")
    steward.tick("fit-agree")
    steward.click("fit-start")
    steward.see("fits (at most 1% of the cells do not match the declaration)", seconds=RUN_PATIENCE)
    search.listen()


def _look(steward: Steward, search: Search) -> None:
    """The steward's view: shares, for the steward alone, and no canary either."""
    steward.go("steward")
    steward.click("open-steward")
    steward.tick("steward-mapped")
    steward.click("start-steward")
    steward.see("equivalent random sample", seconds=RUN_PATIENCE)
    search.listen()
