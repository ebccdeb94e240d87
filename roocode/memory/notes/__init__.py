"""Notes that outlive a session: what the agent was told or found out and will need again."""
