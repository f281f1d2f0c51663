"""Estimate non-negative, consistent and rounded counts from noisy tables."""
