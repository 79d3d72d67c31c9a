#!/usr/bin/env python3
"""Runs every kernel of kernels.py on NumPy and writes inputs and results: OUT/NAME/case.json with .npy files.

cases.py OUT [--only NAME,...]

case.json: kernel, since (its first version), grid, params in the order of the entry's parameters ({"buffer": n} or
{"value": v, "type": t}), buffers ({"file", "type", "want": the file of what it holds in the end, none where it must
stay as it is, "rtol", "atol": both absent where bits must agree, "relocate": {word: buffer whose address is added to
it}}), output (the lines printed), why_tolerance.  Types that NumPy lacks are stored as unsigned integers of their size.
NAME.VARIANT is a further case of the same kernel.  OUT/cannot.json says which kernels have no case, and why."""
import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import cases_classics
import cases_control
import cases_elementwise
import cases_fold
import cases_memory
import casekit
import export

MODULES = (cases_elementwise, cases_fold, cases_control, cases_memory, cases_classics)
CANNOT = {}                                              # kernel: why NumPy cannot run it


def all_cases():
    """The cases by name: what a module's CASES says, which are functions from inputs to a case."""
    out = {}
    for m in MODULES:
        assert not out.keys() & m.CASES.keys()
        out.update(m.CASES)
    return out


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('out')
    ap.add_argument('--only', default='')
    a = ap.parse_args()
    kernels, cases = export.load_kernels(), all_cases()
    only = set(filter(None, a.only.split(',')))
    written = 0
    os.makedirs(a.out, exist_ok=True)
    for name, make in cases.items():
        kernel = name.partition('.')[0]
        if only and not only & {name, kernel}:
            continue
        entry, case = kernels[kernel], make(casekit.Inputs(name))
        casekit.check_promises(name, [p for p in entry['params'] if not isinstance(p, (bool, int, float))], case.args)
        casekit.Writer(os.path.join(a.out, name), kernel, entry, case).write(entry)
        written += 1
    left = kernels.keys() - {n.partition('.')[0] for n in cases} - CANNOT.keys()
    if left and not only:
        sys.exit(f'no case and no reason for it: {", ".join(sorted(left))}')
    for name, why in CANNOT.items():
        print(f'{name}: {why}')
    json.dump(CANNOT, open(os.path.join(a.out, 'cannot.json'), 'w', encoding='utf-8'), indent=1)
    print(f'{written} cases')


if __name__ == '__main__':
    main()
