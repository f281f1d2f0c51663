"""Gaussian copula and denoised pairs, for wide tables of ordered columns."""
