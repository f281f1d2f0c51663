"""The pages: widgets and texts."""
