"""Find the kind of disk that a file is on, and make names of files durable.

On a network disk, two machines can hold the lock of a file at the same time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")

NETWORK = re.compile(
    r"afs|beegfs|ceph|cifs|coda|davfs|gfs2?|glusterfs|gpfs|lustre|ncpfs|nfs[34]?|ocfs2|orangefs|pvfs2|smb3|smbfs"
    r"|fuse\.(ceph|ceph-fuse|davfs2?|gcsfuse|glusterfs|rclone|s3fs|smbnetfs|sshfs)"
)
"""Types of file systems that several machines can use at the same time."""

UNCLEAR = re.compile(r"|9p|autofs|drvfs|fuse|fuse\..*|prl_fs|vboxsf|virtiofs|vmhgfs")
"""Pattern of types of file systems that may be remote, including the empty type."""


class Reach(StrEnum):
    """Which machines can open the same file: only this one, also others, or unknown."""

    LOCAL = "local"
    NETWORK = "network"
    UNKNOWN = "unknown"


def reach_of(path: Path) -> tuple[Reach, str]:
    """Return the reach of a path and the type of its file system. The path need not exist yet.

    The type is "" if the system does not report it.
    """
    kind = _type_of(path)
    if NETWORK.fullmatch(kind):
        return Reach.NETWORK, kind
    return (Reach.UNKNOWN if UNCLEAR.fullmatch(kind) else Reach.LOCAL), kind


def has_other_names(path: Path) -> bool:
    """Return True if a file can be opened under another path, by a hard link or a separate mount."""
    try:
        place = path.resolve()
        if not place.is_file():
            return False
        return place.stat().st_nlink > 1 or any(folder == place for folder, _ in _mounts())
    except (OSError, RuntimeError):
        return False


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk, so that a renamed file keeps its name after a power
    failure.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _type_of(path: Path) -> str:
    """Return the type of the innermost mount above the path.

    If two mounts are on the same folder, the later mount hides the earlier one.
    """
    innermost, depth = "", 0
    try:
        place = path.resolve()
        for folder, kind in _mounts():
            if place.is_relative_to(folder) and len(folder.parts) >= depth:
                innermost, depth = kind, len(folder.parts)
    except (OSError, RuntimeError):
        return ""
    return innermost


def _mounts() -> Iterator[tuple[Path, str]]:
    """Yield the mount points with the types of their file systems. Raises: OSError."""
    for line in MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        mount, _, disk = line.partition(" - ")
        yield Path(_unescaped(mount.split(" ")[4])), disk.split(" ")[0]


def _unescaped(text: str) -> str:
    r"""Return the name of a folder from its escaped form in the mount table.

    >>> _unescaped(r"/mnt/my\040disk")
    '/mnt/my disk'
    """
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), text)
