#!/usr/bin/env bash
# needs: 2 GB, 12 minutes
# The wheel and the sdist, built, installed and run in clean environments on every Python that is here; the examples with
# real tox and nox; the files for GitHub and GitLab against their schemas.
set -euo pipefail
. "$(dirname "$0")/scratch.bash"

venv() { # venv NAME [PYTHON]
  "${2:-python3}" -m venv "$scratch/$1"
}

venv tools
"$scratch/tools/bin/pip" install -q build check-jsonschema tox nox
expected=$(find "$root/rules" -name '*.yaml' | wc -l)
"$scratch/tools/bin/python" -m build --outdir "$scratch/dist" "$root" > "$scratch/build.log" 2>&1 || { cat "$scratch/build.log"; fail build; }
wheel=$(echo "$scratch"/dist/*.whl)
sdist=$(echo "$scratch"/dist/*.tar.gz)
ls -l "$wheel" "$sdist"

try() { # try NAME: an installed api-audit, away from the checkout
  local bin="$scratch/$1/bin" got=0
  cd "$scratch"
  "$bin/api-audit" -V
  "$bin/api-audit-run" -h > /dev/null
  "$bin/api-audit" rules > "$scratch/$1.rules"
  grep -q '^missing-argument ' "$scratch/$1.rules" || fail "$1 has no checks"
  grep -q '^rpc-single-reply ' "$scratch/$1.rules" || fail "$1 has no rule packs"
  "$bin/api-audit" explain rpc-single-reply > /dev/null
  "$bin/python" -c 'from importlib.resources import files; import json
for name in ("rule", "report"): json.loads((files("auditor") / "schemas" / f"{name}.schema.json").read_text())
assert (files("auditor") / "py.typed").is_file()' || fail "$1 lacks schemas or py.typed"
  pack="$root/examples/rule-pack"
  "$bin/api-audit" scan "$pack/consumer" --from "$pack/provider-old" --against "$pack/provider-new" \
    --rules "$pack/acme" --isolated --offline --patch-dir "$scratch/$1.patches" || got=$?
  [ "$got" -eq 1 ] || fail "$1: exit code $got"
  ls "$scratch/$1.patches"/*/*.patch > /dev/null
  "$bin/api-audit" scan "$pack/consumer" --from "$pack/provider-old" --against "$pack/provider-new" --isolated --offline \
    --no-patches --output-format html -o "$scratch/$1.html"
}

tried=0
for minor in 10 11 12 13; do
  python=
  for one in "python3.$minor" "$HOME"/.pyenv/versions/3."$minor".*/bin/python; do
    if "$one" -c 'import venv' 2> /dev/null; then python=$one; break; fi
  done
  [ -n "$python" ] || { echo "!! no Python 3.$minor here"; continue; }
  echo "== the wheel on Python 3.$minor"
  venv "wheel$minor" "$python"
  "$scratch/wheel$minor/bin/pip" install -q "$wheel"
  try "wheel$minor"
  tried=$((tried + 1))
done
[ "$tried" -ge 1 ] || fail "no Python"
echo "== the sdist"
venv sdist
"$scratch/sdist/bin/pip" install -q "$sdist"
try sdist
sort -u "$scratch"/*.rules | cmp - "$scratch/sdist.rules" || fail "wheel and sdist have different rules"
[ "$expected" -eq "$(find "$scratch/sdist" -path '*_rules*' -name '*.yaml' | wc -l)" ] || fail "rules are missing"

echo "== the API example, against the package index"
mkdir "$scratch/project" && cd "$scratch/project"
project app.py
got=0
"$scratch/sdist/bin/python" "$root/examples/python_api.py" . packaging==22.0 || got=$?
[ "$got" -eq 1 ] || fail "python_api.py: exit code $got"

echo "== tox and nox"
export API_AUDIT_SOURCE="$wheel"
cp "$root/examples/tox.ini" "$root/examples/noxfile.py" .
for runner in "tox -q -e api-audit -- --exclude noxfile.py --exclude '.tox/*'" "nox -s api_audit -- --exclude noxfile.py --exclude '.nox/*'"; do
  got=0
  eval "$scratch/tools/bin/$runner" > "$scratch/log" 2>&1 || got=$?
  cat "$scratch/log"
  [ "$got" -eq 1 ] && grep -q 'error\[unresolved-import\]' "$scratch/log" || fail "$runner: exit code $got"
done

echo "== schemas of GitHub, GitLab and pre-commit"
check="$scratch/tools/bin/check-jsonschema"
"$check" --builtin-schema vendor.github-actions "$root/action.yml"
"$check" --builtin-schema vendor.github-workflows "$root/examples/github-workflow.yml"
"$check" --builtin-schema vendor.gitlab-ci "$root/examples/gitlab-ci.yml"
for form in "$root"/.github/ISSUE_TEMPLATE/*.yml; do
  case "$form" in
    */config.yml) "$check" --builtin-schema vendor.github-issue-config "$form" ;;
    *) "$check" --builtin-schema vendor.github-issue-forms "$form" ;;
  esac
done
echo "package: all as documented"
