"""Other libraries, each in its own environment, run on the same tables and evaluated in the same way."""
