"""Graphs of columns: junction trees, triangulations, spanning trees."""
