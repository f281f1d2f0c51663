"""Charts, each with a table and an alternative text."""
