"""Pictures, tables and what a screen reader hears of them, each from one `Figure`. Draws no page."""
