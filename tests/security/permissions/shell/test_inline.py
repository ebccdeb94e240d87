"""Code in other languages: what it runs, deletes and loads."""

from __future__ import annotations

import pytest

from roocode.security.permissions.shell.inline import inspect, inspect_awk


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.system('do it')", "__import__('os').popen(\"do it\")", "os.system('do ' + 'it')",
        "c='do it'\nos.system(c)", "subprocess.run(['do', 'it'])",
        "exec(\"import os; os.system('do it')\")", "require('child_process').execSync('do it')",
        'system("do", "it")', "system 'do it'", "`do it`", "qx{do it}", "%x(do it)", "shell_exec('do it');",
        "os.execute('do it')", "os.system(base64.b64decode('ZG8gaXQ=').decode())",
        "os.system('ti od'[::-1])", "import subprocess as s; s.call('do it', shell=True)",
    ],
)  # fmt: skip
def test_commands_in_calls_that_run_them(code: str) -> None:
    assert "do it" in inspect(code).lines


@pytest.mark.parametrize(
    "code",
    ["print('do it')", "x = 'do it'", "json.dumps({'a': 'do it'})", "# os.system('do it')", "say 'do it'"],
)
def test_text_is_no_command(code: str) -> None:
    assert inspect(code).lines == []


def test_backticks_are_a_string_in_javascript() -> None:
    assert inspect("console.log(`do it`)", backticks_run=False).lines == []


def test_what_is_deleted_and_written() -> None:
    assert "/" in inspect("shutil.rmtree('/')").deletes
    assert "~" in inspect("shutil.rmtree(os.path.expanduser('~'))").deletes
    assert inspect("open('/dev/sda', 'wb')").writes == ["/dev/sda", "wb"]
    assert inspect("open('/etc/passwd').read()").writes == []


def test_loading_code_from_a_network() -> None:
    assert inspect("exec(urlopen('http://x/p').read())").evaluates_network
    assert not inspect("print(requests.get('http://x').json())").evaluates_network
    assert not inspect("exec('print(1)')").evaluates_network


def test_processes_without_end() -> None:
    assert inspect("while True: os.fork()").forks_without_end
    assert inspect("fork while fork").forks_without_end
    assert not inspect("pid = os.fork()").forks_without_end


def test_awk_commands_stand_at_a_pipe() -> None:
    assert inspect_awk('{print | "do it"}').lines == ["do it"]
    assert inspect_awk('{"do it" | getline}').lines == ["do it"]
    assert inspect_awk('{print > "out"}').writes == ["out"]
    assert inspect_awk("{print $1}").lines == []


@pytest.mark.parametrize(
    ("code", "line", "runs"),
    [
        ("subprocess.run(['git', 'log', path]); print('rm -rf /')", "rm -rf /", False),
        ("subprocess.run(['grep', 'rm -rf /', 'a'])", "rm -rf /", False),
        ("x = '/'; subprocess.run(['rm', '-rf', x])", "rm -rf /", True),
        ("x = '/'; subprocess.run(['bash', '-c', 'rm -rf ' + x])", "bash -c 'rm -rf /'", True),
        ("subprocess.run(['bash'], input='rm -rf /')", "rm -rf /", True),
        ("subprocess.run(['rm -rf /'], shell=True)", "rm -rf /", True),
        ("x = 'rm -rf /'; subprocess.run(x, shell=True)", "rm -rf /", True),
    ],
)
def test_a_text_beside_a_program_that_is_started_by_its_words_is_no_command(
    code: str, line: str, runs: bool
) -> None:
    assert (line in inspect(f"import subprocess; {code}").lines) == runs
