"""The report of a benchmark: sentences and tables in one HTML file."""
