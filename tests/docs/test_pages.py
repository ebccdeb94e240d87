"""What the pages must not forget, and what they name must be there."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from roocode.engine.loop import turn
from roocode.engine.models import catalog
from roocode.interaction.cli.main import root
from roocode.interaction.config.schema import ModelPart, Provider, known_paths

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
PAGES = [REPOSITORY / "README.md", REPOSITORY / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def commands(command: click.Command, name: str = "roocode") -> Iterator[tuple[str, click.Command]]:
    """Every command that people type, with its whole name; a group's default one is the group itself."""
    context = click.Context(command, info_name=name)
    if not isinstance(command, click.Group):
        yield name, command
        return
    for inner in command.list_commands(context):
        found = command.get_command(context, inner)
        if found is not None and not found.hidden:
            yield from commands(found, f"{name} {inner}")
    default = getattr(command, "default", "")
    if default and (found := command.get_command(context, default)):
        yield name, found


COMMANDS = dict(commands(root))
GUIDE = "\n".join(text(page) for page in (DOCS / "guide").glob("*.md"))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_guide_names_every_command(name: str) -> None:
    group, _, last = name.rpartition(" ")
    listed = re.search(rf"`{re.escape(group)}[^`]*`[^\n]*`{re.escape(last)}[ `]", GUIDE) if group else None
    assert name in GUIDE or listed, f"no page of the guide has {name!r}"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_guide_names_every_option(name: str) -> None:
    options = [option for option in COMMANDS[name].params if isinstance(option, click.Option)]
    missing = [
        longest
        for option in options
        if not option.hidden and (longest := max(option.opts, key=len)) not in GUIDE
    ]
    assert missing == []


def test_every_key_of_the_configuration_is_explained() -> None:
    page = text(DOCS / "guide" / "configuration.md")
    keys = [path.replace(".*", ".NAME") for path in known_paths() if path not in ("providers.*", "models.*")]
    keys += [f"providers.NAME.{name}" for name in Provider.model_fields]
    keys += [f"models.NAME.{name}" for name in ModelPart.model_fields]
    assert [key for key in keys if f"`{key}`" not in page] == []


def test_the_table_of_models_is_the_one_in_the_package() -> None:
    page = text(DOCS / "guide" / "models.md")
    assert f"dated {catalog.CATALOG_DATE}" in page
    named = re.findall(
        r"^\| `(\w+)/([^`]+)` \| ([\d,]+) \| ([\d,]+) \| (\S+) \| (\S+) \| (\S+) \|$", page, re.M
    )
    assert len(named) > 20
    for provider, model, *figures in named:
        known = catalog.lookup(provider, model)
        assert known.known, model
        prices = (known.input_price, known.output_price, known.cache_read_price)
        shown = ["–" if price is None else f"{price:g}" for price in prices]
        assert figures == [f"{known.window:,}", f"{known.max_output:,}", *shown], model
    for provider in ("anthropic", "openai"):
        assert f"`{provider}` `{catalog.default_model(provider)}`" in page
    aliases = [f"`{name}` (`{model}`)" for name, model in catalog.ALIASES.items()]
    assert [alias for alias in aliases if alias not in " ".join(page.split())] == []


def test_the_architecture_is_short_and_names_what_is_there() -> None:
    page = text(DOCS / "architecture.md")
    assert len(page.splitlines()) <= 60
    names = [name for name in QUOTED.findall(page) if "/" in name or name.endswith((".py", ".toml"))]
    assert len(names) > 40
    assert [name for name in names if not _is_there(name)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_paths_of_the_code_and_links_lead_somewhere(page: Path) -> None:
    prose = FENCED.sub("", text(page))
    named = [name for name in QUOTED.findall(prose) if name.startswith(("roocode/", "tests/", "scripts/"))]
    assert [name for name in named if not _is_there(name)] == []
    links = [link.partition("#") for link in LINK.findall(prose) if "://" not in link]
    assert [
        f"{path}#{anchor}"
        for path, _, anchor in links
        if not (page.parent / path).exists()
        or (anchor and anchor not in _anchors(page.parent / path if path else page))
    ] == []


def test_the_loop_of_the_readme_is_the_loop() -> None:
    block = re.search(r"^```python\n(def loop.*?)^```$", text(REPOSITORY / "README.md"), re.M | re.S)
    assert block is not None
    assert _calls(block[1]) == [name for name in _calls(inspect.getsource(turn._loop)) if name != "Stop"]


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_is_short_dated_and_whole(page: Path) -> None:
    lines = text(page).splitlines()
    assert 10 <= len(lines) <= 25
    assert lines[0].startswith("# ")
    assert lines[2] == page.name[:10]
    parts = [line for line in lines if line.startswith("**")]
    assert [part.partition(" ")[0] for part in parts] == [
        "**Context.**",
        "**Decision.**",
        "**Consequences.**",
    ]


def _is_there(name: str) -> bool:
    return (REPOSITORY / name).exists() or (REPOSITORY / "roocode" / name).exists()


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", FENCED.sub("", text(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def _calls(source: str) -> list[str]:
    """The functions that are called, in the order of the source, private or not."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return [node.func.id.removeprefix("_") for node in found if isinstance(node.func, ast.Name)]
