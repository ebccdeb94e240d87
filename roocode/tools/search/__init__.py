"""Finding files and lines: ripgrep where there is one, the same answers without it."""
