"""Encode values as integers on public axes, and cap the rows of each privacy unit."""
