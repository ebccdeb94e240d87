"""Options with which `git diff` and `git log` only read; behind a `=` a value stands in the same word."""

from __future__ import annotations

DIFF = (
    "-p -u -s -R -a -b -w -W -z -B -C -D -M -0 --patch --no-patch --raw --patch-with-raw --patch-with-stat "
    "--minimal --patience --histogram --stat --stat= --numstat --shortstat --dirstat --dirstat= --summary "
    "--name-only --name-status --submodule --color --color= --no-color --color-moved "
    "--color-moved= --word-diff --word-diff= --color-words --color-words= --no-renames --rename-empty "
    "--check --full-index --binary --abbrev --abbrev= --break-rewrites --find-renames --find-renames= "
    "--find-copies --find-copies= --find-copies-harder --pickaxe-all --pickaxe-regex --ignore-space-at-eol "
    "--ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --function-context "
    "--exit-code --quiet --no-ext-diff --no-textconv --no-prefix --ita-invisible-in-index --relative "
    "--relative= --text --compact-summary --diff-filter= --unified= --diff-algorithm= "
    "--inter-hunk-context= --ignore-submodules --ignore-submodules= --src-prefix= --dst-prefix= "
    "--line-prefix= --word-diff-regex= --ws-error-highlight= -M= -C= -B= -U="
)
DIFF_VALUES = "-G -S -O -l --diff-filter --diff-algorithm --anchored --find-object --skip-to --rotate-to"
LOG = (
    "-c -g -i -E -F -P -m -t -r --oneline --graph --decorate --decorate= --no-decorate --all --branches "
    "--branches= --tags --tags= --remotes --remotes= --glob= --merges --no-merges --first-parent --reverse "
    "--follow --topo-order --date-order --author-date-order --abbrev-commit --no-abbrev-commit "
    "--full-history --simplify-merges --simplify-by-decoration --source --left-right --cherry "
    "--cherry-pick --cherry-mark --left-only --right-only --boundary --walk-reflogs --no-walk --no-walk= "
    "--notes --no-notes --pretty --pretty= --format= --date= --relative-date --parents --children --cc "
    "--combined-all-paths --ancestry-path --invert-grep --regexp-ignore-case --extended-regexp "
    "--fixed-strings --perl-regexp --all-match --log-size --dense --sparse --since= --until= --after= "
    "--before= --author= --committer= --grep= --grep-reflog= --max-count= --skip= --min-parents= "
    "--max-parents= --exclude= --mailmap --use-mailmap --no-mailmap --clear-decorations --stdin "
    "--show-pulls --root --count --objects --disk-usage --timestamp --header --full-diff --unpacked "
    "--no-color"
)
LOG_VALUES = (
    "-n -L --since --until --after --before --author --committer --grep --max-count --skip --date --format "
    "--pretty --exclude --encoding --min-parents --max-parents --glob --grep-reflog"
)
