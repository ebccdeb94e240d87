"""The system prompt, built in layers from `.md` files and frozen for a session."""

from __future__ import annotations

from importlib.resources import files


def text(name: str) -> str:
    """The prompt file `name.md` of this package."""
    return (files(__package__) / f"{name}.md").read_text(encoding="utf-8").strip()


def system_prompt(*layers: str) -> str:
    """Joins the layers that have text: base, environment, role, what the person appended."""
    return "\n\n".join(layer.strip() for layer in layers if layer.strip())


def environment(root: str, platform: str, shell: str = "bash") -> str:
    """What does not change in a session: directory, platform and shell."""
    return text("environment").format(root=root, platform=platform, shell=shell)
