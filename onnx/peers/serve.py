"""Runs a case of a folder with ONNX Runtime, as often as lines of the standard input say: serve.py FOLDER NUMBER THREADS."""

import json
import sys
import time

import numpy as np
import onnxruntime

folder, number, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
case = json.load(open(folder + "/cases.json"))[number]
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = threads
options.inter_op_num_threads = 1
options.log_severity_level = 4
session = onnxruntime.InferenceSession(case["File"], options, providers=["CPUExecutionProvider"])
inputs = {k: np.frombuffer(open(folder + "/" + a["File"], "rb").read(), a["Elem"]).reshape(a["Shape"]) for k, a in case["Inputs"].items()}
session.run(None, inputs)
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    for _ in range(int(line)):
        session.run(None, inputs)
    print(time.perf_counter() - start, flush=True)
