"""Read release packages. Nothing imported here can read a private file."""
