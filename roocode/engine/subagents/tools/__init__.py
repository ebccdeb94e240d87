"""The tools that an agent has for its sub-agents, its own tasks and what it runs in the background."""
