"""Plugins: skills, commands, agents, hooks and MCP servers that come together from one place."""
