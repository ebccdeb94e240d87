"""The agent loop: one for single agents, sub-agents, leads and teammates."""
