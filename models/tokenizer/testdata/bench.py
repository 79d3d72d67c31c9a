"""Prints a tokenizer of variants.py, lines, and the seconds that pip's tokenizers takes for them on one thread."""
import json
import random
import sys
import time

import reference
from tokenizers import Tokenizer
from variants import VARIANTS

name = sys.argv[1]
trained = reference.train()
v = VARIANTS[name]
spec = {"version": "1.0", **{k: x for k, x in v.items() if k not in ("model", "pairs")}}
spec = reference.number(spec, trained[v["model"]]) | {"model": trained[v["model"]]}
rnd = random.Random(1)
words = [w for s in reference.SENTENCES[:3] + reference.SENTENCES[13:14] for w in s.split(" ")]
lines = [" ".join(rnd.choice(words) for _ in range(40)) for _ in range(2000)]
tok = Tokenizer.from_str(json.dumps(spec))
best, tokens = 1e9, 0
for _ in range(5):
    start = time.perf_counter()
    tokens = 0
    for line in lines:
        tokens += len(tok.encode(line))
    best = min(best, time.perf_counter() - start)
print(json.dumps({"spec": spec, "lines": lines, "seconds": best, "tokens": tokens}))
