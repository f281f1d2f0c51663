"""Mixtures of products and of trees, and the measurements other than tables that they can be fitted to."""
