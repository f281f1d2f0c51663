"""Methods that train networks or reweight records between queries."""
