"""Writes COUNT prompts of LENGTH random tokens below VOCABULARY as JSON lines: `prompts.py COUNT LENGTH VOCABULARY`."""

import json
import random
import sys

count, length, vocabulary = map(int, sys.argv[1:])
made = random.Random(7)
for number in range(count):
    print(json.dumps({"id": f"p{number}", "input_ids": [made.randrange(3, vocabulary) for _ in range(length)]}))
