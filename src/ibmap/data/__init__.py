"""A table as it comes, read, encoded, counted and written."""
