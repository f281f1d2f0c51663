"""Checks and error bounds computed only from noisy measurements and synthetic rows."""
