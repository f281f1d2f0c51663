"""Benchmarks of accuracy, speed and privacy."""
