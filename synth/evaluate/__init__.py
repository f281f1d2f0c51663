"""Compare synthetic rows with real rows, only for the steward. The results are not differentially private."""
