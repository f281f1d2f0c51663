"""Read release packages. Read a release package without any import that can read a private file."""
