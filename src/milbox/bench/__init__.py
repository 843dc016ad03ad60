"""Plans of studies, run cell by cell, and what came of them: metrics, reports, timings."""
