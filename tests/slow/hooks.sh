#!/usr/bin/env bash
# needs: 1 GB, 5 minutes
# The pre-commit hook as a user has it: real pre-commit, a scratch repository, an empty store, then a warm one.
set -euo pipefail
. "$(dirname "$0")/scratch.bash"
export PRE_COMMIT_HOME="$scratch/pre-commit" PRE_COMMIT_COLOR=never
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@example.org GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@example.org
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE

python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install -q pre-commit
pre_commit="$scratch/venv/bin/pre-commit"

# The hook's repository: this checkout as it is, committed in a clone.
git clone -q "$root" "$scratch/api-audit"
(cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for f; do [ -e "$f" ] && printf "%s\0" "$f"; done' _ |
  tar --null -T - -cf -) | tar -xf - -C "$scratch/api-audit"
git -C "$scratch/api-audit" add -A
git -C "$scratch/api-audit" commit -q --allow-empty -m "as it is"

mkdir "$scratch/project" && cd "$scratch/project" && git init -q .
sed -e "s|/path/to/api-audit|$scratch/api-audit|" -e "s|v0.1.0|$(git -C "$scratch/api-audit" rev-parse HEAD)|" \
  "$root/examples/pre-commit-config.yaml" > .pre-commit-config.yaml
project broken.py
printf 'from packaging.version import Version\n\nprint(Version("1"))\n' > fine.py
git add -A && git commit -q -m start

expect() { # expect CODE PATTERN COMMAND...
  local code=$1 pattern=$2 got=0
  shift 2
  "$@" > "$scratch/log" 2>&1 || got=$?
  cat "$scratch/log"
  [ "$got" -eq "$code" ] || fail "exit code $got, not $code: $*"
  grep -qE -- "$pattern" "$scratch/log" || fail "no '$pattern' in the output of $*"
}

echo "== an empty store says how to fill it"
expect 1 'Fill the store once: pre-commit run api-audit-fill --hook-stage manual' "$pre_commit" run api-audit --files fine.py
echo "== filling it"
expect 0 'packaging 22.0: [0-9]+ modules' "$pre_commit" run api-audit-fill --hook-stage manual --all-files
echo "== a file that fits"
expect 0 'Passed' "$pre_commit" run api-audit --verbose --files fine.py
echo "== a file that does not"
expect 1 'error\[unresolved-import\]' "$pre_commit" run api-audit --verbose --files broken.py
grep -q '^-->\|--> broken.py:1:' "$scratch/log"
echo "== without the network, and quickly: best of three"
export HTTPS_PROXY=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9
best=99
for _ in 1 2 3; do
  expect 0 'duration: [0-9.]+s' "$pre_commit" run api-audit --verbose --files fine.py
  best=$(sed -n 's/^- duration: \([0-9.]*\)s.*/\1/p' "$scratch/log" | awk -v b="$best" '{ print ($1 < b) ? $1 : b }')
done
echo "warm hook: $best s"
awk -v b="$best" 'BEGIN { exit !(b < 2) }' || fail "the warm hook took $best s"
echo "== only changed files are taken"
git mv fine.py finer.py && echo '# changed' >> finer.py && git add -A
expect 0 'Passed' "$pre_commit" run api-audit
[ -z "$(git status --porcelain --untracked-files=all | grep -v '^[RM]')" ] || fail "files appeared"
echo "hooks: all as documented"
