"""The chat: an inline terminal application; what is finished goes to the terminal's own scrollback."""
