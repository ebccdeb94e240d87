"""Where a teammate runs: tmux panes, or tasks inside the lead's process."""
