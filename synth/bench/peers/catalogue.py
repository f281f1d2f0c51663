"""The libraries with which we compare: pinned versions, and known facts about their privacy guarantees.

`neighbours` and `caveats` state how the meaning of a library's epsilon differs from ours, so that readers can
interpret comparisons at the same epsilon. All of these libraries draw floating-point noise; our noise is
exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Library:
    """A library. `driver` is the program that its interpreter runs, `installs` has the arguments of each call
    of pip, and `below` is the first Python version that is too new for the library.
    """

    name: str
    driver: Path
    installs: tuple[tuple[str, ...], ...]
    neighbours: str
    caveats: tuple[str, ...]
    below: tuple[int, int] | None = None

    @property
    def pinned(self) -> tuple[str, ...]:
        return tuple(word for arguments in self.installs for word in arguments if "==" in word)

    @property
    def judged(self) -> tuple[str, ...]:
        """Return the package versions to which a verdict of the privacy gate applies."""
        return tuple(word for word in self.pinned if not word.startswith("torch"))


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One method of a library, with the settings that differ from its defaults."""

    library: Library
    method: str
    settings: str

    @property
    def name(self) -> str:
        return f"{self.library.name}-{self.method}"


_WITHOUT_CUDA = ("--extra-index-url", "https://download.pytorch.org/whl/cpu")
"""Arguments for a torch package that has a fifth of the usual size.

A machine that cannot reach its address installs the usual package.
"""

_NOISE = (
    "Noise is drawn around zero and then added to a float count, which is not the distribution that the "
    "guarantee is about."
)
_CUT = "two rounds per column (its default of sixteen does not finish), 80 MB, all pairs"

SMARTNOISE = Library(
    name="smartnoise",
    driver=HERE / "drive_smartnoise.py",
    installs=(("torch==2.13.0", *_WITHOUT_CUDA), ("smartnoise-synth==1.0.8",)),
    neighbours="add or remove one record, but the exact number of records is used and treated as known",
    caveats=(
        _NOISE,
        "It would learn the codes of a column from the rows; here, it receives the declared codes.",
        "Its transformers store the raw values to which they were fitted.",
    ),
)
DPMM = Library(
    name="dpmm",
    driver=HERE / "drive_dpmm.py",
    installs=(("dpmm==0.1.9",),),
    neighbours="add or remove one record",
    caveats=(
        _NOISE,
        "It uses a version of its noise sampler in which a bias was not yet fixed.",
        "Choices are drawn with a seeded Mersenne twister.",
        "If there are many columns and few rounds, AIM can overspend before it detects this.",
    ),
    below=(3, 12),
)
MBI = Library(
    name="mbi",
    driver=HERE / "drive_mbi.py",
    installs=(("mbi==2.0.0",),),
    neighbours="add or remove one record",
    caveats=(
        "The library only fits and samples models; the mechanism around it is ours, following the paper.",
        "The noise is NumPy's float noise, as in the example mechanisms of its authors.",
        "The fit uses single precision, which is the library's setting.",
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
    )
}
