# What Silero's package and ONNX Runtime make of sounds and probabilities, for the tests.
#
#   reference.py sound FILE      reads float32 samples of 16 kHz, runs the model window by window, and writes JSON: the
#                                probabilities, the segments by Silero's own rule, and the seconds that a second of sound takes
#                                on one thread: window by window, and by silero_vad_16k_sequence.onnx beside FILE
#   reference.py segments        reads a JSON object {"probabilities", "samples", "rule"} a line and writes the segments of each
import importlib.util
import json
import os
import sys
import time
import types

import numpy as np
import onnxruntime

WINDOW, BEFORE, RATE = 512, 64, 16000


def rule():
    """Silero's function of the rule, which needs nothing of torch but that it can be imported."""
    if importlib.util.find_spec("torch") is None:
        class Anything:
            def __getattr__(self, name):
                return Anything()

            def __call__(self, *args, **kwargs):
                return args[0] if len(args) == 1 and callable(args[0]) else Anything()

        torch = types.ModuleType("torch")
        torch.__getattr__ = lambda name: Anything()
        sys.modules["torch"] = torch
    folder = importlib.util.find_spec("silero_vad").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("utils_vad", os.path.join(folder, "utils_vad.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.get_speech_timestamps_from_probs


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def windows(samples):
    n = -(-len(samples) // WINDOW)
    padded = np.concatenate([np.zeros(BEFORE, np.float32), samples, np.zeros(n * WINDOW - len(samples), np.float32)])
    return np.stack([padded[i * WINDOW : i * WINDOW + BEFORE + WINDOW] for i in range(n)])


def single(run, xs):
    state, out = np.zeros((2, 1, 128), np.float32), []
    for x in xs:
        p, state = run.run(None, {"input": x[None], "state": state, "sr": np.array(RATE, np.int64)})
        out.append(float(p[0, 0]))
    return out


def sequence(run, xs):
    zero = np.zeros((1, 1, 128), np.float32)
    return run.run(None, {"input": xs, "h": zero, "c": zero})[0]


def timed(f, run, xs):
    took = []
    for _ in range(3):
        start = time.perf_counter()
        f(run, xs)
        took.append(time.perf_counter() - start)
    return min(took) / (len(xs) * WINDOW / RATE)


def main():
    segments = rule()
    if sys.argv[1] == "segments":
        for line in sys.stdin:
            c = json.loads(line)
            found = segments(c["probabilities"], audio_length_samples=c["samples"], **c["rule"])
            print(json.dumps([[s["start"], s["end"]] for s in found]))
        return
    samples = np.frombuffer(sys.stdin.buffer.read(), np.float32)
    run, xs = session(sys.argv[2]), windows(samples)
    probabilities = single(run, xs)
    found = segments(probabilities, audio_length_samples=len(samples))
    other = session(os.path.join(os.path.dirname(sys.argv[2]), "silero_vad_16k_sequence.onnx"))
    print(json.dumps({"probabilities": probabilities, "segments": [[s["start"], s["end"]] for s in found],
                      "single": timed(single, run, xs), "sequence": timed(sequence, other, xs)}))


main()
