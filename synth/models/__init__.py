"""Generators, which fit models to noisy measurements and draw encoded records. All of this is
post-processing.
"""
