#!/usr/bin/env bash
# needs: 2 GB, 19 minutes
# All targets of tests/trust/targets.py: hypothesis with many examples, then atheris, which follows coverage; every kill
# point of a recovery, thousands of damaged stores. FUZZ_SECONDS is the time for each target of atheris; another
# FUZZ_SEED tries other inputs.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${FUZZ_PYTHON:-.venv/bin/python}
seconds=${FUZZ_SECONDS:-45}
corpus=${FUZZ_CORPUS:-$(mktemp -d)}
targets=${FUZZ_TARGETS:-signatures constructors walker binding rules patches pages}

if [ -z "${FUZZ_TARGETS:-}" ]; then
  timeout --signal=INT 12m "$python" -m pytest -q -n 2 -m fuzz tests/trust --durations=5 "--hypothesis-seed=${FUZZ_SEED:-1}" || {
    [ $? -eq 124 ] || exit 1
    echo "!! CUT OFF after 12 minutes: hypothesis has not tried all of it"
  }
fi
if ! "$python" -c 'import atheris' 2> /dev/null && ! "$python" -m pip install -q 'atheris>=3'; then
  echo "!! atheris cannot be installed for $("$python" -V) on $(uname -sm): hypothesis alone has fuzzed"
  exit 0
fi
mkdir -p "$corpus"
failed=()
for target in $targets; do
  echo "== $target, $seconds s"
  "$python" tests/trust/coverage_guided.py "$target" "$corpus/$target" "-max_total_time=$seconds" "-seed=${FUZZ_SEED:-1}" > "$corpus/$target.log" 2>&1 ||
    failed+=("$target")
  grep -E '^Done|^SUMMARY|Error|Exception' "$corpus/$target.log" | tail -n 3 || true
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "FAILED: ${failed[*]}; the inputs are in $corpus, to be moved to tests/trust/crashes/" >&2
  exit 1
fi
echo "fuzz: nothing crashed"
