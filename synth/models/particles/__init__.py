"""PrivPGD's particles, which are records that gradient descent moves until all pairs fit."""
