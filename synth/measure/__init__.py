"""The room that sees rows: every question is charged before a row is looked at."""
