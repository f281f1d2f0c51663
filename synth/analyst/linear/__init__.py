"""Estimate linear queries and their ratios, with exact variances."""
