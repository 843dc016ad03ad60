"""Plans of studies, run cell by cell, and their metrics, reports and timings."""
