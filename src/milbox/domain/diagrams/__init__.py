"""Decision diagrams: sets of joint codes as paths, and domains as products of them."""
