"""Compares two folders of samples: shapes, and how far apart values are. `agree.py ONE OTHER [ROWS WIDTH LAYERS]`."""

import sys
from pathlib import Path

import torch

one, other = Path(sys.argv[1]), Path(sys.argv[2])
wanted = tuple(map(int, sys.argv[3:])) or None
worst, same, count, shapes = 0.0, 0, 0, set()
for path in sorted(one.glob("data_*.pt")):
    a, b = torch.load(path, weights_only=True), torch.load(other / path.name, weights_only=True)
    assert torch.equal(a["input_ids"], b["input_ids"]), path
    count += 1
    same += all(torch.equal(x, y) for x, y in zip(a["hidden_states"], b["hidden_states"], strict=True))
    for x, y in zip(a["hidden_states"], b["hidden_states"], strict=True):
        assert x.shape == y.shape, path
        assert bool(torch.isfinite(x).all()), path
        shapes.add((*x.shape, str(x.dtype), len(a["hidden_states"])))
        worst = max(worst, float((x.float() - y.float()).norm() / y.float().norm()))
print(f"agree {one.name} {other.name}: {count} samples, {same} with the same bytes, worst relative error {worst:.5f}")
print(f"agree shapes: {sorted(shapes)[:4]}")
if wanted:
    assert {(*shape[:2], shape[3]) for shape in shapes} == {wanted}, (shapes, wanted)
sys.exit(not count or worst > 0.05)
