"""What a program does to files: proven harmless by an allow list of options, and the paths in its operands."""
