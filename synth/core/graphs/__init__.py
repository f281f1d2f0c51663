"""Compute graphs of columns: junction trees, triangulations, spanning trees."""
