"""Fit models to noisy measurements and draw encoded records. This package only post-processes noisy
measurements.
"""
