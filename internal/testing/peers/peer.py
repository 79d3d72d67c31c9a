"""Measures a library's functions, for internal/testing/peers, whose serve.go describes requests and answers.

    peer.py LIBRARY THREADS

reads a request from each line of standard input. LIBRARY is numpy, torch or onnxruntime, each of which is a module beside
this file. The environment gives the number of threads to the libraries below them.
"""
import importlib
import json
import math
import sys
import time

import numpy as np

from inputs import bits

WARM = 0.2      # seconds that a function runs before it is measured
SAMPLED = 2048  # elements of a result that are compared one by one


def finite(x):
    """Replaces what JSON cannot express by a number that no right result has."""
    return float(x) if math.isfinite(x) else 1e300


def digest(result):
    """Some elements of a result, and the sums of all elements and of their absolute values."""
    y = np.asarray(result).reshape(-1)
    n = y.size
    at = np.arange(min(n, SAMPLED))
    if n > SAMPLED:
        at = (bits(99, SAMPLED) % np.uint32(n)).astype(np.int64)
    wide = y.astype(np.float64)
    return {"sample": [finite(x) for x in wide[at]], "sum": finite(wide.sum()), "abs": finite(np.abs(wide).sum())}


def median(run, reps):
    """The median of the seconds of several runs."""
    seconds = []
    for _ in range(max(1, reps)):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[len(seconds) // 2]


class Server:
    """Answers requests; it has the workload that was begun."""

    def __init__(self, library, threads):
        self.name = library
        self.library = importlib.import_module("with_" + library)
        self.library.begin(threads)
        self.run = self.result = None

    def answer(self, request):
        return self.OPS[request["op"]](self, request)

    def version(self, request):
        return {"version": self.library.version()}

    def begin(self, request):
        prepare = self.library.KINDS.get(request["kind"])
        if prepare is None:
            return {}
        self.run, self.result = prepare(*request["dims"])
        return {"contenders": [self.name]}

    def check(self, request):
        start = time.perf_counter()
        while True:
            seconds = median(self.run, 1)
            if time.perf_counter() - start > WARM:
                return {"seconds": seconds, "digest": digest(self.result())}

    def measure(self, request):
        return {"seconds": median(self.run, request["reps"])}

    def end(self, request):
        self.run = self.result = None
        return {}

    OPS = {"version": version, "begin": begin, "check": check, "run": measure, "end": end}


def main():
    library, threads = sys.argv[1], int(sys.argv[2])
    server, out = Server(library, threads), sys.stdout
    sys.stdout = sys.stderr  # what libraries print is no answer
    for line in sys.stdin:
        try:
            answer = server.answer(json.loads(line))
        except Exception as e:
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
