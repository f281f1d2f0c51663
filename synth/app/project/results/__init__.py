"""Results of a finished run: its figures, comparisons, further tables, and its publication."""
