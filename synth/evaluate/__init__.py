"""Compare synthetic with real rows, for the steward only. The results are not differentially private."""
