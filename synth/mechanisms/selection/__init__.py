"""Choose what to measure from noisy measurements and public facts."""
