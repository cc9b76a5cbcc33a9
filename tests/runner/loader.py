"""Loads a folder of samples with speculators' own training loader and says what came: `loader.py FOLDER`."""

import json
import sys

from speculators.train.data import Eagle3SampleFileDataset, create_collate_fn

found = Eagle3SampleFileDataset(1024, datapath=sys.argv[1])
batch = [found[number] for number in range(len(found))]
shapes = {name: [list(sample[name].shape) for sample in batch] for name in batch[0]}
together = {name: list(tensor.shape) for name, tensor in create_collate_fn(512)(batch[:4]).items()}
masked = sum(int(sample["loss_mask"].sum()) for sample in batch)
print(json.dumps({"count": len(found), "shapes": shapes, "together": together, "masked": masked}))  # noqa: T201
