"""Bash, BashOutput and KillShell."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from roocode.security.sandbox.descendants import alive
from roocode.security.sandbox.process import until
from tests.tools.conftest import Bench


@pytest.mark.asyncio
async def test_output_and_exit_code(bench: Bench) -> None:
    outcome = await bench.call("Bash", command="echo out; echo err >&2", description="says two words")
    assert outcome.content == "out\nerr"
    assert not outcome.is_error
    assert not outcome.ends_batch
    failed = await bench.call("Bash", command="echo why; exit 3")
    assert failed.content == "why\n[exit code 3]"
    assert failed.is_error
    assert failed.ends_batch
    assert await bench.text("Bash", command="true") == "(no output)"
    assert (await bench.call("Bash", command="kill -9 $$")).content == "[ended by signal 9]"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "command",
    [
        "grep zzz f",
        "grep zzz f | cat",
        "diff f g",
        "test -f nothing",
        "[ -d f ]",
        "cd sub && grep zzz ../f",
        "cat f; grep zzz f",
    ],
)
async def test_exit_code_1_of_a_question_is_an_answer(bench: Bench, command: str) -> None:
    bench.write("f", "a\n")
    bench.write("g", "b\n")
    (bench.root / "sub").mkdir()
    outcome = await bench.call("Bash", command=f"set -o pipefail; {command}" if "|" in command else command)
    if "|" not in command:
        assert "[exit code 1: no match, or not equal]" in outcome.content
        assert not outcome.is_error


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "command", ["false", "grep zzz missing", "python3 -c 'exit(1)' && grep a f", "grep a f; exit 1"]
)
async def test_other_failures_are_failures(bench: Bench, command: str) -> None:
    bench.write("f", "a\n")
    assert (await bench.call("Bash", command=command)).is_error


@pytest.mark.asyncio
async def test_the_directory_stays_and_variables_do_not(bench: Bench) -> None:
    (bench.root / "sub").mkdir()
    said = await bench.text("Bash", command="cd sub; export X=1")
    assert said == f"(no output)\n[now in {bench.root}/sub]"
    assert await bench.text("Bash", command="pwd; echo [$X]") == f"{bench.root}/sub\n[]"
    assert bench.tools["Bash"].touches({"command": "ls"}).cwd == f"{bench.root}/sub"
    said = await bench.text("Bash", command="cd /")
    assert said == f"(no output)\n[/ is outside the allowed directories; back in {bench.root}]"
    assert await bench.text("Bash", command="pwd") == str(bench.root)
    assert bench.workspace.scratch is not None
    assert "now in" in await bench.text("Bash", command=f"cd {bench.workspace.scratch}")


@pytest.mark.asyncio
async def test_a_line_runs_only_where_it_was_judged(bench: Bench) -> None:
    await bench.text("Bash", command="mkdir sub && cd sub")
    await bench.text("Bash", command="rmdir ../sub")
    bench.write("precious", "")
    said = await bench.error("Bash", command="rm -f *")
    assert said.startswith(f"{bench.root}/sub is gone: nothing was run\nback in {bench.root}")
    assert (bench.root / "precious").exists()
    assert await bench.text("Bash", command="pwd") == str(bench.root)


@pytest.mark.asyncio
async def test_a_timeout_shows_what_there_was(bench: Bench) -> None:
    outcome = await bench.call("Bash", command="echo partial; sleep 60", timeout=300)
    assert outcome.content == "partial\n[timed out after 300 ms; all that the command started was ended]"
    assert outcome.is_error
    assert outcome.ends_batch


@pytest.mark.asyncio
async def test_long_output_is_kept_in_a_file(bench: Bench) -> None:
    text = await bench.text("Bash", command="seq 100000")
    assert text.startswith("1\n2\n")
    assert text.endswith("\n99999\n100000")
    assert len(text) < 30_300
    path = text.partition("all of it: ")[2].partition(" …]")[0]
    assert Path(path).read_text().count("\n") == 100_000
    assert "     1\t1\n" in await bench.text("ReadFile", path=path)
    short = await bench.text("Bash", command="seq 10")
    assert short == "1\n2\n3\n4\n5\n6\n7\n8\n9\n10"
    assert len(list(Path(path).parent.iterdir())) == 1


@pytest.mark.asyncio
async def test_binary_output_and_escapes(bench: Bench) -> None:
    assert "binary output, 1,000 bytes" in await bench.text("Bash", command="head -c 1000 /dev/zero")
    assert await bench.text("Bash", command=r"printf '\033[31mred\033[0m\r\n'") == "red"


@pytest.mark.asyncio
async def test_processes_that_stay_are_named_and_die_with_the_agent(bench: Bench) -> None:
    said = await bench.text(
        "Bash", command="sleep 61 & until grep -q sleep /proc/$!/cmdline; do :; done; echo $!"
    )
    pid = int(said.split()[0])
    assert f"[still running: {pid} sleep 61; they end with this session." in said
    assert alive(pid)
    await bench.shells.close()
    assert not alive(pid)


@pytest.mark.asyncio
async def test_nothing_asks_and_no_key_is_there(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    other = Bench(bench.root, tmp_path / "scratch2")
    said = await other.text("Bash", command="env; cat; git config --get core.editor || echo $GIT_EDITOR")
    await other.shells.close()
    assert "sk-secret" not in said
    assert "GIT_TERMINAL_PROMPT=0" in said
    assert "ROOCODE_AGENT=main" in said


def test_what_cannot_run_is_a_complaint(bench: Bench) -> None:
    tool = bench.tools["Bash"]
    assert "NUL" in tool.complaint({"command": "a\0b"})
    assert "surrogates" in tool.complaint({"command": "\ud800"})
    assert "has 200,000 bytes" in tool.complaint({"command": "x" * 200_000})
    assert "`timeout` must be an integer from 1 to 600000, got 700000" in tool.complaint(
        {"command": "x", "timeout": 700_000}
    )
    assert tool.preview({"command": "ls -l"}) == "ls -l"


@pytest.mark.asyncio
async def test_only_what_is_proven_to_read_runs_beside_others(bench: Bench) -> None:
    tool = bench.tools["Bash"]
    assert tool.runs_alongside({"command": "ls -l"})
    assert not tool.runs_alongside({"command": "touch x"})
    assert not tool.runs_alongside({"command": "cd sub && ls"})


@pytest.mark.asyncio
async def test_cat_counts_as_reading(bench: Bench) -> None:
    bench.write("f", "a\nb\n")
    await bench.text("Bash", command="head -1 f")
    assert "in part only" in await bench.error("WriteFile", path="f", content="x")
    await bench.text("Bash", command="cat f")
    assert "Replaced" in await bench.text("WriteFile", path="f", content="x")


@pytest.mark.asyncio
async def test_a_shell_in_the_background(bench: Bench) -> None:
    script = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; exit 5"
    said = await bench.text("Bash", command=script, run_in_background=True)
    assert "as b1" in said
    job = bench.shells.background["b1"]
    assert await until(lambda: job.size > 0, 10)
    assert await bench.text("BashOutput", id="b1") == "one\n[b1 running]"
    assert await bench.text("BashOutput", bash_id="b1") == "(no new output)\n[b1 running]"
    bench.write("go", "")
    assert await until(lambda: job.ended is not None, 10)
    assert await bench.text("BashOutput", id="b1") == "two\n[b1 ended: exit, exit code 5]"
    assert await bench.text("KillShell", id="b1") == "b1 had ended already, with exit code 5."


@pytest.mark.asyncio
async def test_a_background_shell_is_killed_with_its_children(bench: Bench) -> None:
    await bench.text("Bash", command="sleep 61 & echo $!; wait", run_in_background=True)
    job = bench.shells.background["b1"]
    assert await until(lambda: job.size > 0, 10)
    child = int(job.output.read_text())
    assert await bench.text("KillShell", shell_id="b1") == "b1 was ended with all that it started."
    assert not alive(child)
    assert "[b1 ended: killed, exit code -15]" in await bench.text("BashOutput", id="b1")
    assert "no background shell 'b9'; known: b1" in await bench.error("BashOutput", id="b9")


@pytest.mark.asyncio
async def test_a_cancel_ends_the_command(bench: Bench) -> None:
    note = bench.root / "pid"
    call = asyncio.create_task(bench.call("Bash", command="echo $$ >p; mv p pid; sleep 61"))
    assert await until(note.exists, 10)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not alive(int(note.read_text()))
