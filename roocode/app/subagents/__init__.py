"""Sub-agents in this application: which there are, and how one is put together beside its parent."""
