"""Graphical models fitted to noisy marginals (Private-PGM)."""
