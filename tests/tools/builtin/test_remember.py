"""Remember."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.app.remembering import Keeper
from roocode.memory.notes.store import Notes
from roocode.tools.registry import Services, build
from roocode.tools.services import Services as Needs
from tests.tools.conftest import Bench


def with_notes(bench: Bench, tmp_path: Path) -> Notes:
    notes = Notes(tmp_path / "home/.roocode", tmp_path / "proj/.roocode")
    services = Needs(bench.workspace, bench.services.files, notes=Keeper(notes))
    bench.tools = {tool.spec.name: tool for tool in build(services)}
    return notes


@pytest.mark.asyncio
async def test_a_fact_is_kept_and_later_written_over(bench: Bench, tmp_path: Path) -> None:
    notes = with_notes(bench, tmp_path)
    said = await bench.text("Remember", kind="user", name="Language", text="Answer in German.")
    assert said == f"Remembered: {notes.person}/user-language.md"
    said = await bench.text("Remember", kind="user", name="language", text="Answer in French.")
    assert said.startswith("Written over the old note")
    assert [note.text for note in notes.all()] == ["Answer in French."]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kind": "secret", "name": "a", "text": "b"}, "`kind`"),
        ({"kind": "user", "name": "", "text": "b"}, "`name`"),
        ({"kind": "user", "name": "a", "text": ""}, "`text`"),
    ],
)
def test_what_is_no_note_is_refused(
    bench: Bench, tmp_path: Path, arguments: dict[str, str], words: str
) -> None:
    with_notes(bench, tmp_path)
    assert words in bench.tools["Remember"].complaint(arguments)


def test_it_is_not_offered_without_a_place(bench: Bench) -> None:
    assert "Remember" not in bench.tools
    assert isinstance(bench.services, Services)
