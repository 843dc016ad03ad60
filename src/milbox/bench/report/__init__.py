"""The report of a plan: tables, figures, and the published numbers beside them."""
