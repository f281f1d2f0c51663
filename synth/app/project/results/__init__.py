"""The results of a finished run: figures, comparisons, further tables, and publication."""
