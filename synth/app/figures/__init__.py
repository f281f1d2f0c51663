"""Charts, each with its table and its alternative text."""
