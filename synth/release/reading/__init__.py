"""Read release packages. Imports nothing that can read a private file."""
