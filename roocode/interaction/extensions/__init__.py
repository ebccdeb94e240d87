"""What people add by files: agents, skills and commands of everyone, and which of one name is used."""
