"""MCP put together: configuration → servers → guarded tools, and what is asked of us by a server."""
