"""Skills and commands in files."""
