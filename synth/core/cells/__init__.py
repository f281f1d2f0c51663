"""Read a cell as people write it. Its meaning depends on its text and the declaration only."""
