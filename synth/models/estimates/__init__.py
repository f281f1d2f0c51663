"""Estimate non-negative, consistent and rounded counts from single noisy tables."""
