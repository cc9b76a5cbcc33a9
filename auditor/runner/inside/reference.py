"""The model's own forward in transformers, as a yardstick: what another precision alone does to each row.

A mixture of experts is not continuous: where two experts score almost the same for a token, the last bits of the input
decide which of them computes, and the row comes out elsewhere. So no fixed tolerance can tell a fault from a tie. What
can is the reference itself, run twice on the same weights: in float32, and in the precision that was extracted in.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auditor.runner.inside.plan import Prompt

REFERENCES = 8
"""How many prompts are compared."""
TIMES = 2.0
"""How many times the reference's own median, and its own number of rows elsewhere, the samples may have."""
LEAST = 0.01
"""A median error that is never too much: a few roundings of bfloat16."""
ELSEWHERE = 10.0
"""A row is elsewhere, not merely rounded, at this many times the reference's own median error."""

Check = tuple[str, bool | None, str]
States = Mapping[int, Sequence[Any]]
"""The recorded states of each prompt, a tensor a layer."""


class CannotLoadError(Exception):
    """Transformers cannot load the model."""


class Reference:
    """The model in float32, and in another precision beside it."""

    def __init__(self, torch: Any, model: str, dtype: Any) -> None:
        self.torch = torch
        self.exact, self.rounded = _Transformers(torch, model, torch.float32), _Transformers(torch, model, dtype)


def compare(
    reference: Reference, prompts: Sequence[Prompt], layers: list[int], run: States
) -> tuple[list[Check], float]:
    """How the samples lie beside the reference; and the share of rows that its own precision sends elsewhere.

    Each layer is judged on the states that the samples hold of the layers before it, so that a fault shows in its own
    layer and ties do not add up; and the last one on what the reference computes from the tokens on.
    """
    torch, exact, rounded = reference.torch, reference.exact, reference.rounded
    chosen = _some(prompts)
    own: dict[tuple[str, int], list[Any]] = {}
    found: dict[tuple[str, int], list[Any]] = {}
    for prompt in chosen:
        recorded = dict(zip(layers, run[prompt.number], strict=True))
        for way, given in (("alone", recorded), ("from the tokens on", {})):
            wanted, other = exact.states(prompt.tokens, given), rounded.states(prompt.tokens, given)
            for layer in layers:
                own.setdefault((way, layer), []).append(errors(other[layer], wanted[layer]))
                found.setdefault((way, layer), []).append(errors(recorded[layer].to(exact.device), wanted[layer]))
    keys = [("alone", layer) for layer in layers] + [("from the tokens on", layers[-1])]
    checks = [
        _judge(
            f"transformers, layer {layer} {way}", torch.cat(found[way, layer]), torch.cat(own[way, layer]), len(chosen)
        )
        for way, layer in keys
    ]
    last = torch.cat(own["from the tokens on", layers[-1]])
    return checks, float((last > _far(last)).float().mean())


def errors(found: Any, wanted: Any) -> Any:
    """How far off each row is, as a share of what is wanted."""
    wanted = wanted.float()
    return (found.float() - wanted).norm(dim=1) / wanted.norm(dim=1).clamp(min=1e-12)


def _far(own: Any) -> float:
    return ELSEWHERE * max(float(own.median()), LEAST / TIMES)


def _judge(name: str, found: Any, own: Any, prompts: int) -> Check:
    median, usual = float(found.median()), float(own.median())
    far = _far(own)
    here, there = int((found > far).sum()), int((own > far).sum())
    # Half a row for each prompt, so that a row that is wrong in every prompt is too many.
    holds = median <= max(LEAST, TIMES * usual) and here <= TIMES * there + prompts // 2
    rows = f"{here} of {len(found)} rows elsewhere ({there})"
    return name, holds, f"median relative error {median:.4f} ({usual:.4f} by precision alone), {rows}"


def _some(prompts: Sequence[Prompt]) -> list[Prompt]:
    """A few different prompts, from the shortest to the longest: a mixture of experts is slow in transformers."""
    different = sorted({tuple(p.tokens): p for p in prompts}.values(), key=lambda prompt: len(prompt.tokens))
    step = max(1, (len(different) - 1) // (REFERENCES - 1))
    return [*different[:-1:step][: REFERENCES - 1], different[-1]]


class _Transformers:
    """The model in one precision."""

    def __init__(self, torch: Any, model: str, dtype: Any) -> None:
        transformers = importlib.import_module("transformers")
        self.torch = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            found = transformers.AutoModelForCausalLM.from_pretrained(model, torch_dtype=dtype, trust_remote_code=True)
        except Exception as problem:
            raise CannotLoadError(str(problem)) from problem
        self.model = found.to(self.device).eval()
        count = getattr(found.config.get_text_config(), "num_hidden_layers", None)
        stacks = [m for m in found.modules() if isinstance(m, torch.nn.ModuleList) and len(m) == count]
        self.seen: list[Any] = []
        self.given: Mapping[int, Any] = {}
        for number, layer in enumerate(stacks[0]):
            layer.register_forward_hook(self._hook(number))

    def _hook(self, number: int) -> Any:
        def see(_module: Any, _arguments: Any, result: Any) -> Any:
            state = result[0] if isinstance(result, tuple) else result
            self.seen.append(state.reshape(-1, state.shape[-1]))
            if number not in self.given:
                return None
            instead = self.given[number].to(state).reshape(state.shape)
            return (instead, *result[1:]) if isinstance(result, tuple) else instead

        return see

    def states(self, tokens: list[int], given: Mapping[int, Any]) -> list[Any]:
        """What each layer adds up to, before the final norm; the next layer gets what is given instead, if it is."""
        self.seen, self.given = [], given
        with self.torch.inference_mode():
            self.model(self.torch.tensor([tokens], device=self.device), use_cache=False)
        return self.seen


def copies(prompts: Sequence[Prompt], run: States, tied: float | None, close: float) -> Iterator[Check]:
    """A prompt that comes again, in another batch and at another place in it.

    `tied` is the share of rows that rounding alone sends elsewhere; None where no reference has told.
    """
    first: dict[tuple[int, ...], int] = {}
    worst, count, rows, where = 0.0, 0, 0, ""
    far = 0
    for prompt in sorted(prompts, key=lambda prompt: prompt.number):
        key = tuple(prompt.tokens)
        if key not in first:
            first[key] = prompt.number
            continue
        count += 1
        for one, two in zip(run[first[key]], run[prompt.number], strict=True):
            distance = errors(one, two)
            rows, far = rows + len(distance), far + int((distance > ELSEWHERE * close).sum())
            if (found := float(distance.median())) > worst:
                worst, where = found, f" (prompts {first[key]} and {prompt.number})"
    said = (
        f"{count} prompts came again; median relative error {worst:.4f} at most{where}, {far} of {rows} rows elsewhere"
    )
    holds: bool | None = worst < close and far <= TIMES * (tied or 0.0) * rows
    if not holds and worst < close and tied is None:
        holds, said = None, f"{said}; without a reference nothing tells whether these are ties between experts"
    yield "equal in other batches", holds, said
