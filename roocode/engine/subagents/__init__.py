"""Sub-agents: what defines one, which tools it has, how it runs beside its parent, and what comes back."""
