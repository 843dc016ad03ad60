"""Numbers, expressions, variables and arrays of them, with the operators that people write."""
