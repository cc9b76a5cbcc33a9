"""Prints the tables of docs/real-vllm.md from what the end-to-end test kept: `python table.py RESULTS.jsonl`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from packaging.version import Version

ROWS = {  # (rule, argument): what the patch does
    ("missing-argument", "is_encoder_decoder"): "`SchedulerConfig(is_encoder_decoder=False)`",
    ("unknown-argument", "kv_cache_specs"): "`get_kv_cache_config_from_groups` without `kv_cache_specs`",
    ("missing-argument", "block_size"): "`Scheduler(block_size=...)`, computed as in vLLM's engine core",
    (
        "scheduler-block-size",
        "block_size",
    ): "`Scheduler(block_size=..., hash_block_size=...)`, resolved by vLLM's own function",
    ("vanished-member", None): "`embed_input_ids` for `get_input_embeddings`",
    ("request-block-hasher", "block_hasher"): "`Request(block_hasher=...)`",
    ("rpc-single-reply", None): "the single reply is no longer indexed",
    ("execute-model-then-sample-tokens", None): "`sample_tokens` after `execute_model`",
    ("prefix-caching-on", "enable_prefix_caching"): "`CacheConfig(enable_prefix_caching=False)`",
    ("language-model-of-wrapper", None): "the inner model of wrappers",
    ("trust-remote-code-twice", "trust_remote_code"): "`AutoTokenizer` with `trust_remote_code=True`",
    ("unknown-argument", "eos_token_id"): "`Request` without `eos_token_id`",
    ("chunked-prefill-on", "enable_chunked_prefill"): "`SchedulerConfig(enable_chunked_prefill=False)`",
}


def line(*cells: object) -> str:
    """One line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def needed(kept: list[dict[str, Any]]) -> list[str]:
    """Which patch each release needed; a patch that this script does not know is an error, not left out."""
    found = {one["release"]: {(fix["rule"], fix["argument"]) for fix in one["fixed"]} for one in kept}
    if unknown := set().union(*found.values()) - set(ROWS):
        sys.exit(f"no words for {sorted(unknown, key=str)}")
    lines = [line("patch", "rule", *found), line("---", "---", *(":-:" for _ in found))]
    for row, words in ROWS.items():
        if any(row in rows for rows in found.values()):
            lines.append(line(words, f"`{row[0]}`", *("x" if row in rows else "" for rows in found.values())))
    return lines


def results(kept: list[dict[str, Any]]) -> list[str]:
    """How each extraction went."""
    head = (
        "release",
        "torch",
        "result",
        "worst layer",
        "worst prompt",
        "second call",
        "cut beyond one step",
        "seconds",
    )
    lines = [line(*head), line("---", "---", "---", *("--:" for _ in head[3:]))]
    for one in kept:
        report = one["report"]
        repeated = "equal" if report["largest_difference_on_repetition"] == 0 else "differs"
        lines.append(
            line(
                one["release"],
                report["versions"]["torch"],
                "; ".join(report["problems"]) or "passes",
                f"{report['worst_relative_error']:.4f}",
                f"{report['worst_relative_error_of_one_prompt']:.4f}",
                repeated,
                report["beyond_one_step"]["cut"],
                round(report["seconds"]),
            )
        )
    return lines


def main(path: Path) -> None:
    """Both tables, of the last result of each release."""
    last = {one["release"]: one for one in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    kept = sorted(last.values(), key=lambda one: Version(one["release"]))
    print(*needed(kept), "", *results(kept), sep="\n")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
