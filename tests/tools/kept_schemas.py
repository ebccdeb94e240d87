"""Schemas of tools that are kept beside their modules, for every folder that has some."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from types import ModuleType

from roocode.tools.schema import generate


def modules_of(package: ModuleType) -> list[str]:
    """The modules of a package that each are a tool."""
    return sorted(path.stem for path in _folder(package).glob("*.py") if path.stem != "__init__")


def tool_name(module: str) -> str:
    """The name of a module's tool."""
    return "".join(word.capitalize() for word in module.split("_"))


def check_kept(package: ModuleType, module: str) -> None:
    """Checks that the kept schema is what the input gives; with ROOCODE_UPDATE_SCHEMAS it is written anew."""
    loaded = importlib.import_module(f"{package.__name__}.{module}")
    schema = generate(getattr(loaded, f"{tool_name(module)}Input"))
    kept = _folder(package) / f"{module}.json"
    text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("ROOCODE_UPDATE_SCHEMAS"):
        kept.write_text(text, encoding="utf-8")
    assert kept.read_text(encoding="utf-8") == text


def _folder(package: ModuleType) -> Path:
    assert package.__file__ is not None
    return Path(package.__file__).parent
