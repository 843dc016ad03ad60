"""Problem files: what they say, and where they say it."""
