"""Open a text file as a stream of bytes, compressed or not, with other encodings converted to UTF-8.

Nothing is written to a disk, and memory holds only a buffer, for content of any size.
"""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from synth.core.errors import Code, Refusal
from synth.core.schema import FileFormat
from synth.core.system.kinds import GZIP, KINDS, ZIP, kind_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from synth.private.reading.vault import WatchedFile

BUFFER = 1 << 20
MARKS = {b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""The byte-order marks of text files in UTF-16 and UTF-32."""
START = 16
"""Number of bytes at the start of a file that determine its kind."""

BINARY = (
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"BZh91AY&SY",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf",
    b"\xd0\xcf\x11\xe0",
    b"PAR1\x15",
    b"ARROW1\0",
    b"$FL2@(#)",
    b"$FL3@(#)",
    b"<stata_dta>",
    b"SQLite format 3\0",
    b"%PDF-",
)
"""First bytes of files that are not text, such as compressed files and workbooks."""

_ENCRYPTED = 1
"""The bit in a zip member's flags that marks it as encrypted."""


@contextmanager
def text_stream(path: Path, form: FileFormat, watched: WatchedFile | None = None) -> Iterator[BinaryIO]:
    """Open a text file. If a fingerprint is needed, `watched` provides its bytes and is read to the end.

    The start of a file with a header is public. So it may decide whether the file is UTF-16, and whether it
    is text. Raises: `Refusal` FILE_KIND, ARCHIVE; OSError, EOFError or an error of `zipfile` or `zlib` if the
    file is damaged.
    """
    with watched or path.open("rb", buffering=0) as file, _unpacked(path, file) as stream:
        start = stream.peek(START)[:START] if form.header else b""
        if start.startswith(BINARY):
            raise Refusal(Code.FILE_KIND)
        text: BinaryIO = stream
        if encoding := form.encoding or _encoding(start):
            converted = _OneLineEach(text, encoding) if is_by_line(encoding) else _Utf8(text, encoding)
            text = io.BufferedReader(converted, BUFFER)
        yield io.BufferedReader(_Doubled(text, form.quote), BUFFER) if form.escape and form.quote else text
        if watched is not None:
            watched.read_on()


def _encoding(start: bytes) -> str:
    """Return the encoding of a file with these first bytes, or "" if it is not UTF-16 or UTF-32.

    Without a byte-order mark, the first names must be ASCII, so that every second byte is zero.
    """
    marked = next((name for mark, name in MARKS.items() if start.startswith(mark)), "")
    if marked:
        return marked
    halves = {"utf-16-be": start[0::2], "utf-16-le": start[1::2]}
    return next((name for name, half in halves.items() if half and not any(half) and any(start)), "")


def is_by_line(encoding: str) -> bool:
    """Whether a line feed is one byte, which occurs only at the end of lines."""
    return "\n".encode(encoding) == b"\n"


@contextmanager
def _unpacked(path: Path, file: io.RawIOBase) -> Iterator[io.BufferedReader[Any]]:
    kind = kind_of(path)
    if kind in GZIP:
        packed = gzip.GzipFile(fileobj=io.BufferedReader(file, BUFFER))
        yield io.BufferedReader(cast(io.RawIOBase, packed), BUFFER)
    elif kind in ZIP:
        with zipfile.ZipFile(path) as archive, archive.open(_only_member(archive)) as member:
            yield io.BufferedReader(cast(io.RawIOBase, member), BUFFER)
    else:
        yield io.BufferedReader(file, BUFFER)


def _only_member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the only text file of an archive, determined by names and flags. Hidden files do not count."""
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not any(part.startswith((".", "_")) for part in member.filename.split("/"))
    ]
    if (
        len(members) != 1
        or members[0].flag_bits & _ENCRYPTED
        or Path(members[0].filename).suffix.lower() in KINDS
    ):
        raise Refusal(Code.ARCHIVE)
    return members[0]


class _Converted(io.RawIOBase):
    """A text stream that is converted piece by piece. `piece` returns the next bytes, or b"" at the end."""

    def __init__(self) -> None:
        super().__init__()
        self._rest = b""

    def readable(self) -> bool:
        return True

    def piece(self) -> bytes:
        raise NotImplementedError

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view, read = memoryview(buffer), self._rest or self.piece()
        count = min(len(view), len(read))
        view[:count], self._rest = read[:count], read[count:]
        return count


class _Utf8(_Converted):
    """Converts text in UTF-16 or UTF-32 to UTF-8. Invalid bytes become the replacement character."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        super().__init__()
        self._text = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="")

    def piece(self) -> bytes:
        return self._text.read(BUFFER // 4).encode()


class _OneLineEach(_Converted):
    """Converts text to UTF-8, each line on its own, so that invalid bytes affect only their own line."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        super().__init__()
        self._file, self._encoding = file, encoding

    def piece(self) -> bytes:
        some = self._file.readlines(BUFFER // 4)
        return b"".join(line.decode(self._encoding, "replace").encode("utf-8", "replace") for line in some)


class _Doubled(_Converted):
    """Doubles quotes that a backslash precedes, and writes two backslashes as one."""

    def __init__(self, file: BinaryIO, quote: str) -> None:
        super().__init__()
        self._file, self._quote = file, quote.encode()
        self._escaped = re.compile(rb"\\([\\" + re.escape(self._quote) + rb"])")

    def piece(self) -> bytes:
        read = self._file.read(BUFFER)
        while read.endswith(b"\\") and (more := self._file.read(1)):
            read += more
        return self._escaped.sub(lambda found: b"\\" if found[1] == b"\\" else self._quote * 2, read)
