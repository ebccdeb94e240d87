"""Room in a model's window: results to disk, old ones cleared, a summary, a floor that cannot fail."""
