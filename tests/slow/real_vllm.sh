#!/usr/bin/env bash
# needs: 15 GB, 15 minutes
# speculators on a real vLLM 0.16.0 on the CPU: broken as published, extracting after scan and apply (docs/real-vllm.md).
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(uname -sm)" != "Linux x86_64" ]; then
  echo "vLLM's CPU build is tried on Linux x86_64 only, this is $(uname -sm)"
  exit 0
fi
REAL_VLLM_RELEASES="${REAL_VLLM_RELEASES:-0.16.0}" \
  timeout --signal=INT 14m .venv/bin/pytest -q -m vllm tests/real_vllm --durations=5
