"""Private tables in, differentially private synthetic tables out."""
