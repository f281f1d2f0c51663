"""From noisy answers to a model and to records: post-processing only."""
