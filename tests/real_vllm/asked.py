"""What is asked of an extraction: read by the job, which has torch, and by the tests, which have not."""

SENTENCE = "the quick brown fox jumps over the lazy dog while five boxing wizards watch"
LAYERS = 6
LENGTHS = (3, 16, 17, 31, 33, 64, 100, 255, 400, 801)  # of the prompts, in tokens; the KV cache has blocks of 16
TOLERANCE = 2e-2  # relative, of bfloat16 against transformers in float32
