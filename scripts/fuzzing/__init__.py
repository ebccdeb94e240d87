"""A search for lines that the shell analysis fails on."""
