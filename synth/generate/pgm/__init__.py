"""Graphical models fitted to noisy marginals (Private-PGM)."""

from synth.generate.pgm.fitting import FitOptions, fit
from synth.generate.pgm.merging import Estimate, merged
from synth.generate.pgm.model import PGM, FitReport

__all__ = ["PGM", "Estimate", "FitOptions", "FitReport", "fit", "merged"]
