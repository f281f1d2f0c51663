"""Create output for analysts: pictures of answers, and the notebook of a release package."""
