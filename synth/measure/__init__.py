"""The room that asks for exact counts: every question is charged before a row is looked at."""
