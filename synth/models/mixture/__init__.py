"""Mixtures of products and of trees, and the other measurements that they can be fitted to."""
