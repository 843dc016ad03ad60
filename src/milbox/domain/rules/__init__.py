"""Rules such as `op == "pool" -> k[0] <= 3`: read, given a meaning, and written."""
