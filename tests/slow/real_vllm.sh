#!/usr/bin/env bash
# needs: 15 GB, 28 minutes
# speculators on a real vLLM 0.16.0 on the CPU: broken as published, extracting after scan and apply
# (docs/real-vllm.md); then the runner on the same environment: preflight, rehearsals, kills, speculators' own loader.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(uname -sm)" != "Linux x86_64" ]; then
  echo "vLLM's CPU build is tried on Linux x86_64 only, this is $(uname -sm)"
  exit 0
fi
REAL_VLLM_RELEASES="${REAL_VLLM_RELEASES:-0.16.0}" \
  timeout --signal=INT 27m .venv/bin/pytest -q -m vllm tests/real_vllm tests/runner/test_real.py --durations=8
