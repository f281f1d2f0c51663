"""The particles of PrivPGD: records that gradient descent moves until all pairs fit."""
