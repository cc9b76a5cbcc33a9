"""What the generator makes of batches that the job never sends: beyond one scheduler step, and longest prompt first."""

from __future__ import annotations

from typing import Any

CLOSE = 0.02


def run(generator: Any, budget: int, vocabulary: int) -> dict[str, Any]:
    """What came of it, or the error in which it ended: no rehearsal fails by what is never done."""
    try:
        return _run(generator, budget, vocabulary)
    except Exception as error:  # noqa: BLE001
        return {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"[:400]}


def _run(generator: Any, budget: int, vocabulary: int) -> dict[str, Any]:
    """Rows that are missing or belong to other prompts, for a batch a quarter longer than a step, longest first."""
    longest = int(generator.vllm_config.model_config.max_model_len) - 1
    lengths: list[int] = [1, max(1, longest // 4)]
    while sum(lengths) < budget * 5 // 4:
        lengths.append(max(1, longest - len(lengths)))
    lengths.sort(reverse=True)
    prompts = [
        [3 + (7 * place + 11 * at + at * at) % (vocabulary - 3) for at in range(n)] for place, n in enumerate(lengths)
    ]
    together = generator.generate(prompts)
    short = [
        (len(prompt), len(result["hidden_states"][0]))
        for prompt, result in zip(prompts, together, strict=True)
        if len(result["hidden_states"][0]) != len(prompt)
    ]
    few = prompts[:2] + prompts[-2:]
    among = [together[at] for at in (0, 1, -2, -1)]
    other = 0
    for prompt, result in zip(few, among, strict=True):
        (alone,) = generator.generate([prompt])
        one, two = result["hidden_states"][-1].float(), alone["hidden_states"][-1].float()
        other += one.shape != two.shape or float((one - two).norm() / two.norm()) > CLOSE
    return {"prompts": len(prompts), "tokens": sum(lengths), "short": short, "other": other, "compared": len(few)}
