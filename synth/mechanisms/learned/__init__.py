"""Methods that train networks or weight records between queries."""
