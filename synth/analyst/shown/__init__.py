"""What an analyst sees: pictures of answers, and the notebook of a release package."""
