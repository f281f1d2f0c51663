"""PrivPGD's particles: records that are moved by gradient descent until all pairs fit."""
