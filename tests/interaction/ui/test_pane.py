"""A teammate's pane says what it waits for, and how to answer."""

import io

from roocode.interaction.ui.pane import Pane
from roocode.interaction.ui.terminal.styles import unstyled
from roocode.protocol.decisions import PermissionAnswer
from roocode.protocol.events import PermissionAnswered, PermissionAsked
from tests.interaction.ui.samples import question


def shown(*, asks: bool) -> str:
    out = io.StringIO()
    pane = Pane("alice", out, asks=asks)
    pane.show(PermissionAsked(agent="alice", question=question("q1", "alice")))
    pane.show(
        PermissionAnswered(agent="alice", question_id="q1", answer=PermissionAnswer(False, reason="no"))
    )
    return unstyled(out.getvalue())


def test_a_pane_that_waits_shows_the_question_the_command_and_the_answer():
    text = shown(asks=True)
    assert "alice wants to use Bash\n" in text
    assert "  make test\n" in text
    assert "roocode team approve q1 · roocode team deny q1\n" in text
    assert text.rstrip().endswith("no: no")


def test_where_nobody_is_asked_it_says_nothing():
    assert shown(asks=False) == ""
