"""The OpenAI Chat Completions protocol, from the server's side."""
