"""From texts to codes on public axes, with no more rows of a unit than declared. Private side."""
