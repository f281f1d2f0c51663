"""Draw tables as t-SNE maps."""
