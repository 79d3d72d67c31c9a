"""Computes what Tile IR operations give, from NumPy and ml_dtypes.

    python numpy_ref.py jobs.json inputs.bin results.bin

jobs.json has arrays of elements in inputs.bin, and jobs that name them; results.bin gets the bits of each job's result.
A job that is near, not exact, gets the nearest bits and, for each element, how far the value is from them: a float64 in
units in the last place.
"""

import json
import sys

import numpy as np

import formats
from floats import FLOATS, flush, float_op, function, longdoubles
from formats import FORMATS
from integers import CONVERSIONS, INTEGERS, STORE, integer_op, pack, read, unpack
from tiles import fold, mmaf, mmaf_scaled, mmai


def store(name):
    return STORE[name] if name in STORE else FORMATS[name].store


def scalar_op(op, attrs, name, args):
    """An operation on elements of one type."""
    return (integer_op if op in INTEGERS else float_op)(op, attrs, name, args)


def near(job, args):
    f = FORMATS[job["types"][0]]
    ftz = job["attrs"].get("flush_to_zero")
    if ftz:
        args = [flush(f, a) for a in args]
    values = [
        longdoubles(FORMATS[t], a) if t in FORMATS else read(t, a, True).astype(np.longdouble)
        for t, a in zip(job["types"], args)
    ]
    bits, missing = function(job["op"], f, values)
    return (flush(f, bits) if ftz else bits), missing


def exact(job, args):
    op, attrs, types = job["op"], job["attrs"], job["types"]
    if op in INTEGERS or op in FLOATS:
        return scalar_op(op, attrs, types[0], args)
    if op in CONVERSIONS:
        return CONVERSIONS[op](attrs, types[0], job["result"], args[0])
    return OTHERS[op](job, args)


OTHERS = {
    "iota": lambda job, args: np.arange(job["shape"][1]).astype(store(job["result"])),
    "select": lambda job, args: np.where(args[0] == 1, args[1], args[2]),
    "pack": lambda job, args: pack(job["types"][0], args[0]),
    "unpack": lambda job, args: unpack(job["result"], args[0]),
    "mmaf": lambda job, args: mmaf(job["types"], job["shape"], args),
    "mmai": lambda job, args: mmai(job["types"], job["shape"], args, job["attrs"]),
    "mmaf_scaled": lambda job, args: mmaf_scaled(job["types"], job["shape"], args),
    "reduce": lambda job, args: fold(job, body(job), args[0]),
    "scan": lambda job, args: fold(job, body(job), args[0]),
}


def body(job):
    b = job["body"]
    return lambda args: scalar_op(b["op"], b["attrs"], b["types"][0], args)


def main(jobs_path, inputs_path, results_path):
    if np.finfo(np.longdouble).nmant < 63:
        sys.exit("NumPy's longdouble has fewer than 64 bits here: run this where it has them, such as Linux on x86-64")
    np.seterr(all="ignore")  # infinities and NaN are results like others
    formats.check()
    with open(jobs_path) as file:
        doc = json.load(file)
    data = np.fromfile(inputs_path, np.uint8)
    arrays = [data[a["at"] : a["at"] + a["bytes"]].view(store(a["elem"])) for a in doc["arrays"]]
    with open(results_path, "wb") as out:
        for job in doc["jobs"]:
            args = [arrays[i] for i in job["args"]]
            try:
                if job["near"]:
                    bits, missing = near(job, args)
                else:
                    bits, missing = exact(job, args), None
            except Exception as e:
                raise RuntimeError(f"{job['name']}: {e}") from e
            out.write(np.ascontiguousarray(bits.astype(store(job["result"]))).tobytes())
            if missing is not None:
                out.write(missing.astype(np.float64).tobytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
