"""Where settings come from: files, environment and flags, each value with the place that set it."""
