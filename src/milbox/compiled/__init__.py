"""Compiled code: the decorators of kernels, where compiled code is kept, and random numbers inside it."""
