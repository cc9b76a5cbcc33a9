"""Compares two folders of samples: shapes, and how far apart values are. `agree.py ONE OTHER [ROWS WIDTH LAYERS]`.

A mixture of experts sends a row elsewhere where two experts score nearly the same; such rows are counted apart, and the
median row is what must agree.
"""

import sys
from pathlib import Path

import torch

CLOSE, ELSEWHERE = 0.05, 0.25
one, other = Path(sys.argv[1]), Path(sys.argv[2])
wanted = tuple(map(int, sys.argv[3:])) or None
same, count, shapes, rows = 0, 0, set(), {}
for path in sorted(one.glob("data_*.pt")):
    a, b = torch.load(path, weights_only=True), torch.load(other / path.name, weights_only=True)
    assert torch.equal(a["input_ids"], b["input_ids"]), path
    count += 1
    same += all(torch.equal(x, y) for x, y in zip(a["hidden_states"], b["hidden_states"], strict=True))
    for layer, (x, y) in enumerate(zip(a["hidden_states"], b["hidden_states"], strict=True)):
        assert x.shape == y.shape, path
        assert bool(torch.isfinite(x).all()), path
        shapes.add((*x.shape, str(x.dtype), len(a["hidden_states"])))
        rows.setdefault(layer, []).append((x.float() - y.float()).norm(dim=1) / y.float().norm(dim=1).clamp(min=1e-12))
errors = [torch.cat(found) for found in rows.values()]
medians = [float(found.median()) for found in errors]
far = [float((found > ELSEWHERE).float().mean()) for found in errors]
print(f"agree {one.name} {other.name}: {count} samples, {same} with the same bytes")
print(f"agree median relative error of a row, by layer: {', '.join(f'{median:.4f}' for median in medians)}")
print(f"agree rows beyond {ELSEWHERE}, by layer: {', '.join(f'{share:.2%}' for share in far)}")
print(f"agree shapes: {sorted(shapes)[:4]}")
if wanted:
    assert {(*shape[:2], shape[3]) for shape in shapes} == {wanted}, (shapes, wanted)
sys.exit(not count or max(medians) > CLOSE)
