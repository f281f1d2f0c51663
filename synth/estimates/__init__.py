"""Estimate counts, shares, means and errors from noisy measurements, for all pages and documents.

Results, reports, bounds and the analyst's kit use this package, so the same question has the same answer
everywhere.
"""
