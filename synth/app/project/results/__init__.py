"""What a finished run made: its figures, comparisons, further tables, and its publication."""
