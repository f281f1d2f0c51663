"""Generators with neural networks: MargNet's network, relaxed projection, and networks trained by DP-SGD."""
