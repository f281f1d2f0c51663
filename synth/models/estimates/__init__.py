"""Estimates from single noisy tables: counts that are non-negative, consistent and rounded."""
