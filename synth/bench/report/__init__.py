"""The report of a benchmark: sentences and tables as one HTML file."""
