"""Graphical models fitted to noisy marginals (Private-PGM)."""

from synth.generate.pgm.evidence import Estimate
from synth.generate.pgm.fitting import FitOptions, fit
from synth.generate.pgm.junction import JunctionGraph
from synth.generate.pgm.model import PGM, FitReport

__all__ = ["PGM", "Estimate", "FitOptions", "FitReport", "JunctionGraph", "fit"]
