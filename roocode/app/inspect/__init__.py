"""Orders that look at files and settings, and change at most those of the person."""
