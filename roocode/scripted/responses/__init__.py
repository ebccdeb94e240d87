"""The OpenAI Responses protocol, from the side of the server."""
