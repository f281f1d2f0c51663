"""Methods that train networks, or change the weights of records between queries."""
