"""The libraries we are compared with: their versions, in one place, and what is known of their privacy.

`neighbours` and `caveats` say where a library's epsilon does not mean what ours does, so that a reader can
weigh a comparison at the same number. All of them draw rounded floating-point noise where ours is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Library:
    """`driver` is the small program that its interpreter runs, `installs` pip's arguments, call by call;
    `below` the first Python that is too new for it."""

    name: str
    driver: Path
    installs: tuple[tuple[str, ...], ...]
    neighbours: str
    caveats: tuple[str, ...]
    below: tuple[int, int] | None = None

    @property
    def pinned(self) -> tuple[str, ...]:
        return tuple(word for arguments in self.installs for word in arguments if "==" in word)


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One method of a library, and how it is run where its defaults are not used."""

    library: Library
    method: str
    settings: str

    @property
    def name(self) -> str:
        return f"{self.library.name}-{self.method}"


_WITHOUT_CUDA = ("--extra-index-url", "https://download.pytorch.org/whl/cpu")
"""Where pip finds a torch of a fifth of the size; a machine that cannot reach it takes the usual one."""

_NOISE = "Noise is drawn around zero, then added to a float count: not the law the guarantee is about."
_CUT = "two rounds per column (its default of sixteen does not finish), 80 MB, all pairs"

SMARTNOISE = Library(
    name="smartnoise",
    driver=HERE / "drive_smartnoise.py",
    installs=(("torch==2.13.0", *_WITHOUT_CUDA), ("smartnoise-synth==1.0.8",)),
    neighbours="add or remove one record, but the exact number of records is used and taken as known",
    caveats=(
        _NOISE,
        "It would learn the codes of a column from the rows; here it is given the declared ones.",
        "Its transformers keep the raw values they were fitted on.",
    ),
)
DPMM = Library(
    name="dpmm",
    driver=HERE / "drive_dpmm.py",
    installs=(("dpmm==0.1.9",),),
    neighbours="add or remove one record",
    caveats=(
        _NOISE,
        "It pins a release of its noise sampler from before a bias was repaired.",
        "Choices are drawn with a seeded Mersenne twister.",
        "AIM may overspend before it notices when columns are many and rounds few.",
    ),
    below=(3, 12),
)
MBI = Library(
    name="mbi",
    driver=HERE / "drive_mbi.py",
    installs=(("mbi==2.0.0",),),
    neighbours="add or remove one record",
    caveats=(
        "The library only fits and samples models; the mechanism around it is ours, after the paper.",
        "The noise is NumPy's float noise, as in the example mechanisms of its authors.",
        "The fit runs in single precision, as the library sets it.",
    ),
)

PEERS = {
    peer.name: peer
    for peer in (
        Peer(library=SMARTNOISE, method="mst", settings="its defaults"),
        Peer(library=SMARTNOISE, method="aim", settings=_CUT),
        Peer(library=DPMM, method="mst", settings="its defaults, one worker, its preprocessing off"),
        Peer(library=DPMM, method="aim", settings=f"{_CUT}, one worker, its preprocessing off"),
        Peer(library=MBI, method="mst", settings="as in the paper, without merging rare codes"),
        Peer(library=MBI, method="aim", settings=_CUT),
    )
}
