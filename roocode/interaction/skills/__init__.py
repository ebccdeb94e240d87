"""Skills and commands: instructions in files, for kinds of work, that a person or the model calls by name."""
