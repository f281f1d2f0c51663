"""Read cells as people write them. The meaning of a cell depends only on its text and the declaration."""
