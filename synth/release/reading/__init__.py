"""Read release packages. The modules of this package import nothing that can read a private file."""
