"""Answer questions about a release package from its noisy measurements.

This package reads no private file.
"""
