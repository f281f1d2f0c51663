"""Noisy measurements, and public computations with them."""
