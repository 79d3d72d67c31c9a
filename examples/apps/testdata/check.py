"""Compares the decoder of llama.py with transformers: check.py DIR, with the checkpoints that llama.py wrote to DIR. It needs torch
and transformers, which the tests do not."""

import json
import os
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM

for case in sorted(os.listdir(sys.argv[1])):
    folder = os.path.join(sys.argv[1], case)
    with open(os.path.join(folder, "config.json")) as f:
        config = json.load(f)
    kind = config["architectures"][0].removesuffix("ForCausalLM").lower()
    model = AutoModelForCausalLM.from_pretrained(folder, config=AutoConfig.for_model(kind, **config), dtype=torch.float64,
                                                 attn_implementation="eager")
    with open(os.path.join(folder, "expected-f32.json")) as f:
        texts = json.load(f)
    for i, text in enumerate(texts):
        ids = torch.tensor([text["prompt"]])
        out = model.generate(ids, do_sample=False, max_new_tokens=len(text["tokens"]), eos_token_id=None, pad_token_id=0)
        same = out[0, ids.shape[1]:].tolist() == text["tokens"]
        print(case, i, "same" if same else "DIFFERENT")
