"""Mixtures of products and of trees, and what other measurements add to them."""
