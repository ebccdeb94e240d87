"""The Anthropic Messages protocol, from the server's side."""
