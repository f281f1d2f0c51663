"""Columns that are written without being modelled, and file columns that are modelled as others."""
