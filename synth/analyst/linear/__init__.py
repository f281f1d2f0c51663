"""Estimates of linear queries and of their ratios, with exact variances."""
