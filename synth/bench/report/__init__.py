"""The report of a benchmark: sentences, charts and tables as one HTML file."""
