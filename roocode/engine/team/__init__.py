"""Teams: a lead, teammates as processes, a shared task list, typed messages, and merges."""
