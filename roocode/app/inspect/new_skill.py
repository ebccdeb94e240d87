"""`roocode skills new`: writes a template for a skill."""

from __future__ import annotations

import os
from importlib.resources import files

from roocode.interaction import skills
from roocode.interaction.cli.extension_orders import SkillsNew
from roocode.interaction.config.places import find_places
from roocode.interaction.config.replace import replace_file
from roocode.interaction.skills.fields import usable_name
from roocode.protocol.errors import HostError, UserError


def new_skill(order: SkillsNew) -> int:
    """Writes `NAME/SKILL.md` and says where. Raises UserError for a name that cannot be one, or is taken."""
    name = order.name.strip()
    if usable_name(name, "") != name:
        raise UserError(
            f"{name!r} is no name for a skill",
            "use letters, digits and -, at most 64: roocode skills new my-skill",
        )
    places = find_places(order.cwd, os.environ)
    folder = (places.root / ".roocode" if order.project else places.home) / "skills" / name
    path = folder / "SKILL.md"
    if os.path.lexists(path):
        raise UserError(f"{places.shown(path)} is there already", "edit it, or choose another name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HostError(f"cannot make {folder}: {error.strerror}", "check the permissions") from error
    template = (files(skills) / "template.md").read_text(encoding="utf-8")
    replace_file(path, template.replace("NAME", name).encode(), mode=0o644)
    print(f"{places.shown(path)} is written: edit it, then call it by /{name}")
    if order.project:
        print("It counts once the directory is trusted with it: roocode trust")
    return 0
