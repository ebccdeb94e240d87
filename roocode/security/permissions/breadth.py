"""Allow rules that let through far more than a person means when they say yes to one call. Pure."""

from __future__ import annotations

from roocode.security.permissions.rules import PATH_TOOLS, parse_rule
from roocode.security.permissions.shell.programs import SHELLS, is_interpreter, names

_RUN_OTHERS = names(
    "sudo doas su pkexec runuser env xargs parallel find fd exec eval command time timeout nice nohup stdbuf "
    "setsid watch ssh docker podman kubectl chroot unshare nsenter strace gdb npx bunx uvx pipx direnv mise "
    "script screen tmux at batch crontab vim vi nvim emacs ed awk gawk mawk sed"
)
_CHANGE_ANYTHING = names(
    "rm rmdir mv cp dd tee truncate shred unlink install ln chmod chown chgrp rsync tar kill pkill killall "
    "curl wget nc ncat scp sftp ftp systemctl mount umount git gh npm pnpm yarn bun cargo go pip pip3 uv "
    "poetry helm terraform gradle mvn make just dotnet composer bundle rake apt apt-get yum dnf brew"
)
_WITH_A_SUBCOMMAND = names(
    "git:push git:reset git:clean git:checkout git:restore git:rebase git:bisect git:config git:submodule "
    "git:filter-branch git:branch git:tag git:worktree git:stash git:update-ref git:remote git:clone "
    "git:difftool git:mergetool npm:exec npm:x npm:publish npm:config pnpm:dlx pnpm:exec yarn:dlx yarn:exec "
    "yarn:node bun:x bun:run uv:run uv:tool poetry:run bundle:exec cargo:run cargo:install cargo:publish "
    "go:run go:install go:generate pip:install pip3:install dotnet:run composer:exec docker:run docker:exec "
    "podman:run podman:exec kubectl:exec kubectl:run kubectl:delete kubectl:apply gh:api gh:repo gh:secret "
    "gh:auth helm:install helm:upgrade helm:uninstall terraform:apply terraform:destroy"
)


def too_wide(text: str) -> str:
    """What a rule would let through besides, in words for the person; "" where it keeps to its kind.

    No such rule is proposed; one that a person types needs a second yes.
    """
    rule = parse_rule(text, "allow", "session")
    if rule.tool == "Bash":
        return _wide_command(rule.spec)
    if rule.tool in ("EditFile", "WriteFile") and _is_everything(rule.spec):
        return "it covers every file of the project; mode acceptEdits does that for a session"
    if rule.tool in PATH_TOOLS:
        return ""
    if rule.tool == "WebFetch" and (rule.spec or "*").removeprefix("domain:").strip("*. ") == "":
        return "it covers every host"
    if "*" in rule.tool or (rule.tool.startswith("mcp__") and "__" not in rule.tool[5:]):
        return "it covers every tool of the server"
    return ""


def _wide_command(spec: str | None) -> str:
    if spec is None:
        return "it covers every command there is"
    words = (spec.removesuffix(":*") + " *" if spec.endswith(":*") else spec).split()
    if "*" not in spec.replace("\\*", ""):
        return ""
    program = words[0].rpartition("/")[2]
    if "*" in program.replace("\\*", ""):
        covered = "every command there is" if program == "*" else "other programs too"
        return f"it covers {covered}"
    if is_interpreter(program) or program in SHELLS:
        return f"{program} runs whatever code it is given"
    if program in _RUN_OTHERS:
        return f"{program} runs other commands"
    subcommand = words[1] if len(words) > 1 else ""
    if f"{program}:{subcommand}" in _WITH_A_SUBCOMMAND:
        return f"{program} {subcommand} can destroy, send away or run what nobody has seen"
    if program in _CHANGE_ANYTHING and (not subcommand or subcommand.startswith(("-", "*"))):
        return f"it covers everything that {program} can do"
    return ""


def _is_everything(spec: str | None) -> bool:
    return spec is None or set(spec) <= set("./*")
