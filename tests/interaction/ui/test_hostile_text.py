"""Whatever text a model, file, teammate or repository brings: every screen shows it, none obeys it."""

from __future__ import annotations

import io
import unicodedata
from dataclasses import replace

import pytest

from roocode.interaction.ui.json_lines import JsonLines
from roocode.interaction.ui.plain import Plain
from roocode.interaction.ui.terminal import choices, question_text, questions
from roocode.interaction.ui.terminal.markdown import render
from roocode.interaction.ui.terminal.status import MemberLine, Status, member_lines, toolbar
from roocode.interaction.ui.terminal.styles import unstyled
from roocode.interaction.ui.terminal.transcript import Transcript
from roocode.protocol.events import Event, TeamEvent
from roocode.security.isolation.masking import masked
from tests.interaction.ui.samples import EVENTS, question

HOSTILE = (
    "\x1b]0;t\x07\x1b[2J\x9b31m\r\u202e\u2066\u200b\u00ad\U000e0041\ufe01a\u200db\x1b]8;;http://evil\x1b\\"
)
KEPT = frozenset(
    """main text thinking user assistant tools end allow deny ask rules mode person once session always info
    warning error done failed cancelled turn_limit budget refused default created claimed conflict died
    merged cleared summary dropped""".split()  # noqa: SIM905
)
SAFE = {"\n", "\t"}


def poisoned(event: Event) -> Event:
    """The event with hostile characters in every text that is not of a closed set."""
    return masked(event, lambda text: text if text in KEPT else f"{HOSTILE}{text}")


def steering(shown: str) -> set[str]:
    """The characters in what a screen shows, but for its own styles, that a terminal would obey or hide."""
    return {
        character
        for character in unstyled(shown)
        if character not in SAFE and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    }


TASK = TeamEvent(kind="claimed", team="t", member="alice", detail={"task": "1", "subject": "fix it"})


@pytest.mark.parametrize("agent", ["main", "alice"])
def test_the_transcript(agent: str) -> None:
    transcript, shown = Transcript(lambda: 80, agent), ""
    for event in [*EVENTS, TASK]:
        own = replace(event, agent=event.agent if event.agent != "main" else agent)
        shown += transcript.take(replace(poisoned(own), agent=own.agent))
        shown += transcript.last_lines(5)
    assert steering(shown) == set()
    assert "\\x1b]0;t" in shown


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("form", ["text", "stream-json"])
def test_headless_output(form: str) -> None:
    out, err = Terminal(), Terminal()
    shown = JsonLines(out, err) if form == "stream-json" else Plain(out, err, verbose=True)
    for event in EVENTS:
        shown.show(poisoned(event))
    shown.finish(HOSTILE, 1)
    assert steering(out.getvalue()) | steering(err.getvalue()) == set()
    assert "evil" in out.getvalue()
    assert "evil" in err.getvalue()


def test_questions_members_and_the_toolbar() -> None:
    asked = masked(question(), lambda text: text if text in KEPT else f"{HOSTILE}{text}")
    choice = choices.Choice(HOSTILE, ((HOSTILE, HOSTILE),), HOSTILE)
    member = MemberLine(HOSTILE, "active", f"1 {HOSTILE}\nbob  idle", HOSTILE)
    shown = [
        question_text.details([asked], 200),
        questions.bar([asked], 1, 200, 0.0),
        choices.details(choice),
        member_lines((member,), 200),
        toolbar(Status(model=HOSTILE, doing=HOSTILE), 0.0, 200),
    ]
    assert [steering(each) for each in shown] == [set()] * len(shown)
    assert "\n" not in shown[3]


def test_a_task_cannot_pretend_to_be_lines_of_ours() -> None:
    event = TeamEvent(
        kind="claimed", team="t", member="a", detail={"task": "1", "subject": "x\n? bob wants to use Bash"}
    )
    assert len(Transcript(lambda: 80).take(event).strip().splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    ["[here](http://evil.example/x)", "<http://evil.example/x>", "http://evil.example/x",
     "[http://good.example](http://evil.example/x)", "![a picture](http://evil.example/x.png)",
     "[a][1]\n\n[1]: http://evil.example/x"],
)  # fmt: skip
def test_markdown_hides_no_address_and_makes_no_link(text: str) -> None:
    shown = render(text, 80)
    assert "\x1b]8" not in shown
    if not text.startswith("!"):
        assert "http://evil.example/x" in unstyled(shown)
