"""Tools of MCP servers, and how the model finds the one that it needs."""
