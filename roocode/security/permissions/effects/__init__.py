"""What a program does to files: proven harmless by an allow list of options, and its paths."""
