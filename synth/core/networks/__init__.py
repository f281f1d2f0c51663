"""Define network architectures with exact public arithmetic, for private training and for generators."""
