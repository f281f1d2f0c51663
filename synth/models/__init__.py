"""Fit models to noisy measurements and draw encoded records. Post-processing only."""
