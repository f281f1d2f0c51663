"""Compare synthetic with real rows, for the steward alone. Not differentially private."""
