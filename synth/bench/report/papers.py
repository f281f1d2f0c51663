"""Figures that papers print of MargNet and PrivPGD, each with its source. Nothing here was measured by us.

MargNet: Chen, Gong and Wang, Beyond One-Size-Fits-All, 2025. PrivPGD: Donhauser, Abad, Hulkund and Yang,
ICML 2024; its tables carry no epsilon, which follows from their order and from the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

MARGNET, PRIVPGD = "MargNet", "PrivPGD"
DELTA = 1e-5
"""That of both papers."""

ALIKE = 0.1
"""A figure within a tenth of the paper's, or within its rounding, is the paper's."""

FIDELITY, QUERIES = "fidelity error", "query error"
WRONG, COVARIANCE, COUNTING = "wrong classes", "covariance error", "counting queries"
THRESHOLD, SLICED, L1 = "threshold queries", "sliced distance", "L1 of pairs"
MINUTES = "minutes"


@dataclass(frozen=True, kw_only=True)
class Published:
    """One printed figure. `printed` keeps its digits, which say how it was rounded."""

    paper: str
    source: str
    table: str
    epsilon: float
    quantity: str
    printed: str

    @property
    def value(self) -> float:
        return float(self.printed)

    @property
    def tolerance(self) -> float:
        """Half a unit of the last digit or a tenth of the figure, the larger of the two."""
        exponent = Decimal(self.printed).as_tuple().exponent
        assert isinstance(exponent, int)
        return max(0.5 * 10.0**exponent, ALIKE * self.value)

    def verdict(self, ours: float) -> str:
        """Of an error of ours: reproduced, beaten or missed."""
        if abs(ours - self.value) <= self.tolerance * (1 + 1e-9):
            return "reproduced"
        return "beaten" if ours < self.value else "missed"


_MARGNET = (
    ("Table 5", "Adult", 0.2, "0.11", "0.015"),
    ("Table 5", "Adult", 1.0, "0.06", "0.012"),
    ("Table 5", "Adult", 10.0, "0.02", "0.012"),
    ("Table 5", "Gauss10", 0.2, "0.57", "0.077"),
    ("Table 5", "Gauss10", 1.0, "0.32", "0.020"),
    ("Table 5", "Gauss10", 10.0, "0.22", "0.005"),
    ("Table 8", "Gauss10, 10 bins", 0.2, "0.35", "0.025"),
    ("Table 8", "Gauss30, 10 bins", 0.2, "0.26", "0.017"),
    ("Table 8", "Gauss50, 10 bins", 0.2, "0.25", "0.017"),
    ("section 6.2", "Gauss50", 10.0, "0.121", None),
)
"""Source, table, epsilon, fidelity and query error. Those without a number of bins were cut by PrivTree."""

_PRIVPGD = (
    ("ACS Income", 2.5, "0.19", "0.0010", "0.00078", "0.00031", "0.00043", "0.028"),
    ("ACS Income", 1.0, "0.19", "0.0019", "0.00092", "0.00039", "0.00060", "0.042"),
    ("ACS Income", 0.2, "0.19", "0.0098", "0.0027", "0.00086", "0.0024", "0.15"),
    ("Diabetes", 2.5, "0.40", "0.0013", "0.0013", "0.00042", "0.00084", "0.028"),
    ("Diabetes", 1.0, "0.40", "0.0033", "0.0026", "0.0010", "0.0020", "0.052"),
    ("Diabetes", 0.2, "0.42", "0.010", "0.013", "0.0045", "0.0082", "0.17"),
)
"""Table and epsilon, then the six metrics of section 4.1 in its order. The last is called total variation
there and computed without the half."""

SIX = (WRONG, COVARIANCE, COUNTING, THRESHOLD, SLICED, L1)


def _figures() -> Iterator[Published]:
    for source, table, epsilon, *printed in _MARGNET:
        for quantity, figure in zip((FIDELITY, QUERIES), printed, strict=True):
            if figure is not None:
                yield Published(
                    paper=MARGNET,
                    source=source,
                    table=table,
                    epsilon=epsilon,
                    quantity=quantity,
                    printed=figure,
                )
    for table, epsilon, *printed in _PRIVPGD:
        for quantity, figure in zip(SIX, printed, strict=True):
            yield Published(
                paper=PRIVPGD,
                source="appendix C",
                table=table,
                epsilon=epsilon,
                quantity=quantity,
                printed=figure,
            )


PUBLISHED = tuple(_figures())


def published(paper: str, table: str, epsilon: float, quantity: str) -> Published | None:
    """The figure of a paper; None where it prints none."""
    wanted = (paper, table, epsilon, quantity)
    return next((p for p in PUBLISHED if (p.paper, p.table, p.epsilon, p.quantity) == wanted), None)
