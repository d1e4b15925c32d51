"""minx-compare: runs a matrix of apps, backends and sizes, verifies every run, and compares them."""
