"""`git`: the sub-commands that only read, with the options that keep them so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roocode.security.permissions.effects.git_options import DIFF, DIFF_VALUES, LOG, LOG_VALUES
from roocode.security.permissions.effects.spec import Effect, Parts, Spec, judge, reader
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.git_opened import parse_git
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.values import Field

_PLAIN_GLOBALS = names(
    "--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --icase-pathspecs"
)
_PLAIN_SETTINGS = names(
    "color.ui core.quotepath core.abbrev log.date log.decorate diff.renames diff.renamelimit diff.algorithm "
    "diff.noprefix diff.mnemonicprefix advice.detachedhead grep.linenumber status.short column.ui"
)


def _listed_only(*listing: str) -> Spec:
    """A spec of a command that lists with these options and otherwise makes what its operand names."""
    allowed = frozenset(listing)

    def further(call: Call, parts: Parts) -> str:
        lists = not parts.operands or any(name in allowed for name, _ in parts.options)
        return "" if lists else "git: makes or changes what it names"

    return reader(
        "-a -r -v -vv -l -i -q --all --remotes --verbose --list --show-current --ignore-case --omit-empty "
        "--no-color --no-column --no-abbrev --sort= --format= --color= --column= --abbrev= --contains= "
        "--no-contains= --merged= --no-merged= --points-at= -n= --contains --no-contains --merged "
        "--no-merged",
        "--sort --format --points-at",
        operands="text",
        further=further,
    )


def _one_of(*forms: str) -> Spec:
    """A spec of a command whose first operands must be one of these; `*` allows more."""

    def further(call: Call, parts: Parts) -> str:
        words = [each.text for each in parts.operands]
        if any(_fits(words, form.split()) for form in forms):
            return ""
        return "git: not known only to read"

    return reader(
        "-v -p -s -u -z --verbose --porcelain --stat --patch --name-only --name-status --all --no-color "
        "--cached --oneline --include-untracked --date= --format= --pretty=",
        "-n",
        operands="text",
        numbers=True,
        further=further,
    )


def _fits(words: Sequence[str], form: Sequence[str]) -> bool:
    if form[-1:] == ["*"]:
        return list(words[: len(form) - 1]) == list(form[:-1])
    return list(words) == list(form)


def _reads_setting(call: Call, parts: Parts) -> str:
    words = [each.text for each in parts.operands]
    asks = parts.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l") or words[:1] == [
        "get"
    ]
    if parts.has("--list", "-l", "--get-regexp") or words[:1] == ["list"]:
        return "git: settings may hold secrets"
    if any(secret in word.lower() for word in words for secret in _SECRET_SETTINGS):
        return "git: the setting may hold a secret"
    named = len(words) == 1 and "." in words[0]
    return "" if asks or named else "git: changes a setting"


_SECRET_SETTINGS = ("extraheader", "password", "token", "credential", "url.", "secret", "cookie")


def _one_reference(call: Call, parts: Parts) -> str:
    return "" if len(parts.operands) == 1 else "git: changes a reference"


def _shows_log(call: Call, parts: Parts) -> str:
    words = [each.text for each in parts.operands]
    changes = words[:1] and words[0] in ("expire", "delete", "drop", "write")
    return "git: changes the reference log" if changes else ""


_LOG_SPEC = reader(f"{LOG} {DIFF}", f"{LOG_VALUES} {DIFF_VALUES} -U", operands="text", numbers=True)
_DIFF_SPEC = reader(
    f"{DIFF} --cached --staged --merge-base --base --ours --theirs --cc --no-color -1 -2 -3 -c -q -r -t "
    "--root -m --stdin --no-commit-id --pretty= --format= -v",
    f"{DIFF_VALUES} -U",
    operands="text",
    numbers=True,
)

_COMMANDS: Mapping[str, Spec] = {
    "status": reader(
        "-s -b -v -z --short --branch --show-stash --long --verbose --ignored --ignored= --porcelain "
        "--porcelain= --untracked-files --untracked-files= -u -u= --ignore-submodules --ignore-submodules= "
        "--column --column= --no-column --ahead-behind --no-ahead-behind --renames --no-renames "
        "--find-renames --find-renames=",
        operands="text",
    ),
    "log": _LOG_SPEC,
    "show": _LOG_SPEC,
    "whatchanged": _LOG_SPEC,
    "rev-list": _LOG_SPEC,
    "shortlog": reader(
        f"-s -n -e {LOG} --summary --numbered --email", f"{LOG_VALUES} --group", operands="text"
    ),
    "reflog": reader(f"{LOG} {DIFF}", LOG_VALUES, operands="text", numbers=True, further=_shows_log),
    "diff": _DIFF_SPEC,
    "diff-tree": _DIFF_SPEC,
    "diff-index": _DIFF_SPEC,
    "diff-files": _DIFF_SPEC,
    "range-diff": _DIFF_SPEC,
    "blame": reader(
        "-b -c -e -f -l -n -p -s -t -w -C -M --root --show-stats --reverse --porcelain --line-porcelain "
        "--incremental --show-name --show-number --show-email --color-lines --color-by-age --score-debug "
        "--date= --abbrev= --first-parent -C= -M=",
        "-L --since --date --ignore-rev --abbrev",
        operands="text",
    ),
    "annotate": reader("-e -l -n -s -t -w", "-L", operands="text"),
    "grep": reader(
        "-a -c -E -F -G -h -H -i -I -l -L -n -o -p -P -q -r -v -w -W -z --cached --untracked "
        "--no-exclude-standard --exclude-standard --text --ignore-case --word-regexp --invert-match "
        "--full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column "
        "--files-with-matches --name-only --files-without-match --null --only-matching --count --color "
        "--color= --no-color --break --heading --show-function --function-context --and --or --not "
        "--all-match --quiet --recurse-submodules --recursive --max-depth= --threads= --context= "
        "--after-context= --before-context=",
        "-A -B -C -e -m --max-depth --threads --after-context --before-context --context --max-count",
        operands="text",
        numbers=True,
    ),
    "ls-files": reader(
        "-c -d -m -o -i -s -u -k -z -t -v -f --cached --deleted --modified --others --ignored --stage "
        "--directory --no-empty-directory --unmerged --killed --exclude-standard --error-unmatch "
        "--full-name --recurse-submodules --abbrev --abbrev= --eol --deduplicate --sparse --format=",
        "-x --exclude --with-tree --format",
        operands="text",
    ),
    "ls-tree": reader(
        "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev "
        "--abbrev= --format=",
        "--format",
        operands="text",
    ),
    "cat-file": reader(
        "-p -t -s -e --batch --batch-check --batch-all-objects --unordered --buffer --follow-symlinks "
        "--batch= --batch-check= --allow-unknown-type",
        operands="text",
    ),
    "rev-parse": reader(
        "--abbrev-ref --abbrev-ref= --verify -q --quiet --short --short= --symbolic --symbolic-full-name "
        "--all --branches --tags --remotes --show-toplevel --show-prefix --show-cdup --git-dir "
        "--git-common-dir --absolute-git-dir --is-inside-git-dir --is-inside-work-tree "
        "--is-bare-repository --is-shallow-repository --show-superproject-working-tree "
        "--show-object-format --sq --revs-only --no-revs --flags --no-flags --path-format= --since= "
        "--until= --local-env-vars --shared-index-path",
        "--default --prefix --git-path",
        operands="text",
    ),
    "describe": reader(
        "--all --tags --contains --long --always --debug --exact-match --dirty --dirty= --broken --broken= "
        "--first-parent --abbrev --abbrev= --candidates= --match= --exclude=",
        "--match --exclude --abbrev --candidates",
        operands="text",
    ),
    "name-rev": reader(
        "--tags --all --name-only --no-undefined --always --refs= --exclude=", "--refs", operands="text"
    ),
    "merge-base": reader("-a --all --octopus --independent --is-ancestor --fork-point", operands="text"),
    "cherry": reader("-v --abbrev --abbrev=", operands="text"),
    "for-each-ref": reader(
        "-s -p --shell --perl --python --tcl --ignore-case --omit-empty --include-root-refs --count= "
        "--sort= --format= --color= --points-at= --merged --merged= --no-merged --no-merged= --contains "
        "--contains= --no-contains --no-contains= --exclude=",
        "--count --sort --format --points-at",
        operands="text",
    ),
    "show-ref": reader(
        "-d -h -q -s --head --heads --tags --branches --dereference --hash --hash= --verify --exists "
        "--quiet --abbrev --abbrev=",
        operands="text",
    ),
    "branch": _listed_only(
        "--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"
    ),
    "tag": _listed_only(
        "--list", "-l", "-n", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"
    ),
    "remote": _one_of("", "get-url *"),
    "stash": _one_of("list *", "show *"),
    "worktree": _one_of("list"),
    "submodule": _one_of("", "status *"),
    "notes": _one_of("", "list *", "show *"),
    "bundle": _one_of("list-heads *"),
    "sparse-checkout": _one_of("list"),
    "config": reader(
        "--get --get-all --list -l --show-origin --show-scope --name-only -z --null --local --global "
        "--system --worktree --includes --no-includes --get-regexp --get-urlmatch --bool --int --path",
        "--type --default",
        operands="text",
        further=_reads_setting,
    ),
    "symbolic-ref": reader(
        "-q --quiet --short --recurse --no-recurse", operands="text", further=_one_reference
    ),
    "count-objects": reader("-v -H --verbose --human-readable", operands="text"),
    "check-ignore": reader(
        "-q -v -n -z --quiet --verbose --non-matching --no-index --stdin", operands="text"
    ),
    "check-attr": reader("-a -z --all --cached --stdin", operands="text"),
    "check-ref-format": reader("--branch --allow-onelevel --normalize", operands="text"),
    "fsck": reader(
        "--full --strict --unreachable --dangling --no-dangling --verbose --progress --no-progress --root "
        "--tags --cache --no-reflogs --connectivity-only --name-objects",
        operands="text",
    ),
    "var": _one_of("GIT_DEFAULT_BRANCH"),
    "version": reader("--build-options", operands="text"),
    "": reader("--version -v --help -h --exec-path --html-path --man-path --info-path", operands="text"),
}


def git_effect(call: Call) -> Effect:
    """Reads a call of git. With the harness's pinned settings (P25) these run nothing of the repository."""
    git = parse_git(call.arguments)
    spec = _COMMANDS.get(git.command)
    here = (Field(".", "."),)
    reads = git.directories or here
    unproven = ""
    if any(field.live for field in reads) or len(git.directories) > 1:
        unproven = "git: it cannot be told which repository it looks into"
    if git.elsewhere or any(name not in _PLAIN_GLOBALS for name in git.others if git.command):
        unproven = "git: an option in front is not known to be harmless"
    for setting in git.settings:
        name, _, value = setting.text.partition("=")
        plain = (
            name.lower() in _PLAIN_SETTINGS or name.lower().startswith("color.") or (name, value) == _NO_PAGER
        )
        unproven = unproven or (
            "" if plain and setting.known else f"git: the setting {name} may run something"
        )
    if any("%G" in field.text or "(signature" in field.text for field in git.arguments):
        unproven = unproven or "git: a signature is checked by another program"
    if spec is None:
        return Effect(unproven or f"git {git.command}: not known only to read", reads)
    arguments = git.arguments if git.command else call.arguments
    inner = replace(call, argv=(Field("git"), *arguments))
    effect = judge(inner, spec)
    paths = tuple(_paths(inner))
    return Effect(unproven or effect.unproven, (*reads, *paths))


_NO_PAGER = ("core.pager", "cat")


def _paths(call: Call) -> list[Field]:
    """Operands that may be paths: what has a dot or slash, also behind the colon of `commit:path`."""
    found: list[Field] = []
    behind = False
    for field in call.arguments:
        text = field.text
        if text == "--":
            behind = True
        elif text.startswith("-") and not behind:
            continue
        elif ":" in text and not behind:
            found.append(field.with_text(text.partition(":")[2] or "."))
        elif behind or "/" in text or ("." in text and ".." not in text.strip("./")) or text == "..":
            found.append(field)
    return found
