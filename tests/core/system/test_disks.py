"""Test the disk of a path, with a mount table that the test writes."""

from pathlib import Path

import pytest

from synth.core.system import disks
from synth.core.system.disks import Reach, reach_of

TABLE = r"""22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:40 / {at}/share rw,relatime shared:9 master:2 - nfs4 server:/export rw,vers=4.2
31 22 0:41 / {at}/my\040share rw - cifs //server/share rw
32 22 0:42 / {at}/remote rw,nosuid - fuse.sshfs me@host: rw
33 22 0:43 / {at}/host rw - 9p drvfs rw
34 22 0:44 / {at}/secret rw - fuse.gocryptfs /cipher rw
35 22 254:1 / {at}/hidden rw - nfs server:/old rw
36 22 254:2 / {at}/hidden rw - xfs /dev/vdb rw
37 30 254:3 / {at}/share/scratch rw - ext4 /dev/vdc rw
38 22 0:45 / {at}/sharepoint rw - tmpfs none rw
"""


@pytest.fixture(autouse=True)
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mountinfo").write_text(TABLE.format(at=tmp_path))
    monkeypatch.setattr(disks, "MOUNTS", tmp_path / "mountinfo")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "reach", "kind"),
    [
        ("here/l.sqlite", Reach.LOCAL, "ext4"),
        ("share/deep/l.sqlite", Reach.NETWORK, "nfs4"),
        ("share", Reach.NETWORK, "nfs4"),
        ("my share/l.sqlite", Reach.NETWORK, "cifs"),
        ("remote/l.sqlite", Reach.NETWORK, "fuse.sshfs"),
        ("host/l.sqlite", Reach.UNKNOWN, "9p"),
        ("secret/l.sqlite", Reach.UNKNOWN, "fuse.gocryptfs"),
        ("hidden/l.sqlite", Reach.LOCAL, "xfs"),
        ("share/scratch/l.sqlite", Reach.LOCAL, "ext4"),
        ("sharepoint/l.sqlite", Reach.LOCAL, "tmpfs"),
    ],
)
def test_the_innermost_mount_counts(at: Path, path: str, reach: Reach, kind: str) -> None:
    assert reach_of(at / path) == (reach, kind)


def test_a_link_lies_where_it_points(at: Path) -> None:
    (at / "share").mkdir()
    (at / "near").symlink_to(at / "share")
    assert reach_of(at / "near" / "l.sqlite") == (Reach.NETWORK, "nfs4")


def test_a_system_that_does_not_tell_is_unknown(at: Path) -> None:
    (at / "mountinfo").unlink()
    assert reach_of(at) == (Reach.UNKNOWN, "")
