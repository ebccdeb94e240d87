"""The vocabulary: words that every layer shares, with no I/O."""
