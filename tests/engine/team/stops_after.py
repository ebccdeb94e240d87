"""A program in a teammate's place that takes its steps in order and stops after one of them.

`python -m tests.engine.team.stops_after STEP hang|exit TEAM_DIR MEMBER HANDSHAKE`; STEP "pane" stops before
everything.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from roocode.engine.team import handshake as handshakes
from roocode.engine.team.codec import timestamp
from roocode.engine.team.store.files import FileTeamStore
from roocode.protocol.team import MemberReport


def main() -> None:
    last, end, team_dir, member, handshake = sys.argv[1:]
    store = FileTeamStore(Path(team_dir))
    log = Path(team_dir) / "logs" / f"{member}.log"

    def stop_after(step: str) -> None:
        with log.open("a") as out:
            out.write(f"{step} was reached\n")
        if step == last and end == "exit":
            sys.exit(3)
        if step == last:
            signal.pause()

    report = MemberReport(name=member, pid=os.getpid(), state="starting", started_at=timestamp())
    stop_after("pane")
    handshakes.take(Path(handshake))
    stop_after("process")
    held = store.member_lock(member).hold()
    store.write_report(report)
    stop_after("lock")
    store.write_report(MemberReport(**{**fields(report), "wake_socket": "/nowhere"}))
    stop_after("inbox")
    store.write_report(MemberReport(**{**fields(report), "wake_socket": "/nowhere", "state": "ready"}))
    stop_after("sign of life")
    held.release()


def fields(report: MemberReport) -> dict[str, object]:
    return {name: getattr(report, name) for name in report.__slots__}


if __name__ == "__main__":
    main()
