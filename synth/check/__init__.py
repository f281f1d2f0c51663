"""Public-safe checks: computed from noisy answers and synthetic rows only."""
