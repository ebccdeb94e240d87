"""What is refused in every mode and by no rule lifted, judged on commands that were read, not on text."""
