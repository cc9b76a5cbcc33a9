#!/usr/bin/env bash
# needs: 2 GB, 8 minutes
# The runner alone, from its own wheel, on every Python that is here and without the auditor's needs; and on a real local Ray, where the matrix is tried too.
set -euo pipefail
. "$(dirname "$0")/scratch.bash"
export XDG_CACHE_HOME="$scratch/cache"

python3 -m venv "$scratch/tools"
"$scratch/tools/bin/pip" install -q build
"$scratch/tools/bin/python" -m build --wheel --outdir "$scratch/dist" "$root/auditor/runner" > "$scratch/log" 2>&1 || { cat "$scratch/log"; fail build; }
wheel=$(echo "$scratch"/dist/*.whl)

# A small library, a consumer of its old release, and the consumer's patches: those of the tests.
(cd "$root/tests" && "$root/.venv/bin/python" -c "import pathlib, sys; from runner.making import make; make(pathlib.Path(sys.argv[1]))" "$scratch/world")
export PYTHONPATH="$scratch/world/site"

try() { # try VENV
  local bin="$1/bin" got=0
  for name in libcst jinja2 ruamel urllib3; do
    ! "$bin/python" -c "import $name" 2> /dev/null || fail "$name was installed, too"
  done
  cd "$scratch"
  run() { "$bin/api-audit-run" "$1" --python "$bin/python" --patches "$scratch"/world/patches/* "${@:2}"; }
  run preflight > "$scratch/log" || { cat "$scratch/log"; fail "preflight of the patched package"; }
  grep -q 'patched: nothing fails' "$scratch/log" || fail "preflight said something else"
  run preflight --unpatched > "$scratch/log" || got=$?
  [ "$got" -eq 1 ] && grep -q "missing a required argument: 'block'" "$scratch/log" || fail "the unpatched package: exit code $got"
  run witness aaa --out "$scratch/witness.py" && "$bin/python" "$scratch/witness.py" || fail witness
}

tried=0
for minor in 10 11 12 13; do
  for python in "python3.$minor" "$HOME"/.pyenv/versions/3."$minor".*/bin/python; do
    "$python" -c 'import venv' 2> /dev/null || continue
    echo "== the runner alone on Python 3.$minor"
    "$python" -m venv "$scratch/v$minor"
    "$scratch/v$minor/bin/pip" install -q "$wheel"
    try "$scratch/v$minor"
    tried=$((tried + 1))
    break
  done
done
[ "$tried" -ge 1 ] || fail "no Python"

echo "== a local Ray"
unset PYTHONPATH
python3 -m venv "$scratch/ray"
"$scratch/ray/bin/pip" install -q "$root[dev,ray]"
cd "$root"
RAY_USAGE_STATS_ENABLED=0 "$scratch/ray/bin/python" -m pytest -q -p no:cacheprovider -k cluster tests/runner/test_cluster.py tests/test_spreading.py | tee "$scratch/log"
grep -q ' passed' "$scratch/log" && ! grep -q "could not import 'ray'" "$scratch/log" || fail "the tests on Ray did not run"
echo "runner: all as documented"
