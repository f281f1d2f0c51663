"""Other libraries, each in an environment of its own, on the same table and under the same judge."""
