"""Select the queries to measure from noisy measurements and public facts."""
