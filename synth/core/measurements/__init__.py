"""Noisy measurements and the public arithmetic of what they count."""
