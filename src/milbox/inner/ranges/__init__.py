"""Exact branch and bound where variables are ranges: linear programs over boxes, nothing listed per code."""
