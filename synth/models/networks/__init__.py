"""Generators with neural networks: MargNet's network, relaxed projection, DP-SGD networks."""
