"""The widgets and texts of the pages."""
