"""Handle columns that are not modelled directly: computed columns, generated IDs, multiple choice, groups."""
