"""What is true at the moment of a prompt: date, git state and mode, as a reminder inside its message."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from roocode.app.git_state import SHORT, head
from roocode.protocol.decisions import Mode

MODE_WORDS: dict[Mode, str] = {
    "default": "",
    "acceptEdits": "Permission mode: acceptEdits. Edits inside the project need no question.",
    "plan": (
        "Permission mode: plan. Explore and design, but change nothing: no edits, no commits, no commands "
        "that change something. Present your plan and wait for the person."
    ),
    "bypassPermissions": "Permission mode: bypassPermissions. Calls run without a question.",
    "dontAsk": "Permission mode: dontAsk. What would need a question is refused.",
}


PLANNING = (
    " Keep the plan in {plan_file} while it grows: it is the one file that you may write. When it is whole, "
    "present it with ExitPlanMode."
)


def reminders(root: Path, mode: Mode, plan_file: Path | None = None) -> tuple[str, ...]:
    """The date, the branch and the mode, each one reminder; empty ones are left out.

    `plan_file` is where a plan is kept, for an agent that can present one.
    """
    git = head(root)
    branch = git.get("branch") or git.get("commit", "")[:SHORT]
    facts = f"Today is {date.today().isoformat()}." + (f" Git branch: {branch}." if branch else "")
    how = PLANNING.format(plan_file=plan_file) if mode == "plan" and plan_file is not None else ""
    return tuple(words for words in (facts, f"{MODE_WORDS[mode]}{how}") if words)
