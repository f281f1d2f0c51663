"""Graphical models fitted to noisy marginals (Private-PGM)."""

from synth.models.pgm.fitting import FitOptions, fit
from synth.models.pgm.merging import Estimate, merged
from synth.models.pgm.model import PGM, FitReport

__all__ = ["PGM", "Estimate", "FitOptions", "FitReport", "fit", "merged"]
