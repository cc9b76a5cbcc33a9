#!/usr/bin/env bash
# needs: 2 GB, 5 minutes
# The HTML report in a real headless Chromium, with 1,000 findings: no console error, filter, keyboard, dark, print.
set -euo pipefail
. "$(dirname "$0")/scratch.bash"
if ! command -v chromium >/dev/null; then
  { apt-get -qq update && apt-get -qq install -y chromium; } >/dev/null 2>&1 || {
    echo "!! SKIPPED: there is no chromium here, and apt-get could not install it"
    exit 0
  }
fi
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install -q "$root" playwright
cd "$scratch" && "$scratch/venv/bin/python" "$root/tests/slow/browser.py" "${1:-$scratch/pictures}"
