"""RooCode: a terminal coding agent for teams of agents."""

__version__ = "0.1.0"
