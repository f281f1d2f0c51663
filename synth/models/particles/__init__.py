"""PrivPGD's particles: rows that move until all pairs fit."""
