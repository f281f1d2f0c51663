"""Define noisy measurements and public computations with them."""
