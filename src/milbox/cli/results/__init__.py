"""Files of points and results: written for people and programs, and read back from them."""
