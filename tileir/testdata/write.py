"""Writes modules with cuTile Python's own writer, and takes the time.

Reads a JSON list of modules from the standard input, in the form of encode.py with all entries and places, and writes a
JSON list: the file of each, in hexadecimal, and the seconds that writing it took, the least of some runs. Only writing is
timed: what a module needs of the tables and encoders is found out before, in a run that records it.
"""
import json
import sys
import time

import encode
from cuda.tile._bytecode import attribute as A, type as T
from cuda.tile._bytecode.debug_info import MISSING_DEBUG_ATTR_ID
from cuda.tile._bytecode.version import BytecodeVersion
from cuda.tile._bytecode.writer import write_bytecode


class Recorder:
    """A table that notes what is asked of it."""

    def __init__(self, key, table, calls):
        self.key, self.table, self.calls = key, table, calls

    def __getattr__(self, name):
        def call(*args):
            self.calls.append((self.key, name, args))
            return getattr(self.table, name)(*args)
        return call

    @property
    def Token(self):
        return self.simple(T.SimpleType.Token)


class Plan(encode.Replay):
    """What is asked of the tables and encoders, in order."""

    def __init__(self, module):
        self.version = getattr(BytecodeVersion, "V_" + module["version"].replace(".", "_"))
        self.entries, self.functions = [], {}
        buf = bytearray()
        with write_bytecode(len(module["entries"]), buf, self.version) as w:
            self.calls = []
            self.table, self.types = w.type_table, Recorder(0, w.type_table, self.calls)
            self.debug = Recorder(1, w.debug_attr_table, self.calls)
            for e in module["entries"]:
                params = [self.type(t) for t in e["params"]]
                place = self.place(e["place"])
                hints = {arch: A.EntryHints(**dict(items)) for arch, items in e["hints"]}
                before = self.taken()
                with w.function(e["name"], params, (), True, hints, place) as (self.builder, _):
                    self.entries.append((before, e["name"], params, hints, place, self.ops(e["ops"])))

    def taken(self):
        calls = list(self.calls)
        self.calls.clear()
        return calls

    def number(self, n):
        if "float" not in n:
            return super().number(n)
        elem = T.SimpleType[n["elem"].upper()]
        self.types.simple(elem)
        return A.Float(float(n["float"]), elem, self.table)

    def place(self, p):
        if p is None:
            return MISSING_DEBUG_ATTR_ID
        fn = tuple(p["function"])
        if fn not in self.functions:
            file, directory, line, name, linkage, scope_line = fn
            f = self.debug.file(file, directory)
            unit = self.debug.compile_unit(f)
            self.functions[fn] = self.debug.subprogram(f, line, name, linkage, unit, scope_line)
        at = self.debug.loc(self.functions[fn], p["file"], p["line"], p["col"])
        return self.debug.call_site(at, self.place(p["caller"])) if p["caller"] else at

    def ops(self, ops):
        out = []
        for op in ops:
            place = self.place(op["place"])
            fn = encode.ENCODERS[op["name"].replace("_", "")]
            args = self.arguments(fn, op)
            calls, regions = self.taken(), []
            self.builder.cur_debug_attr = place
            nested = fn(self.builder, **args)
            for block in op["regions"]:
                types = [self.type(t) for t in block["args"]]
                before = self.taken()
                with nested.new_block(types):
                    regions.append((before, types, self.ops(block["ops"])))
            if regions:
                nested.done()
            out.append((calls, fn, args, place, regions))
        return out

    def write(self):
        buf = bytearray()
        with write_bytecode(len(self.entries), buf, self.version) as w:
            tables = (w.type_table, w.debug_attr_table)
            for before, name, params, hints, place, ops in self.entries:
                ask(tables, before)
                with w.function(name, params, (), True, hints, place) as (builder, _):
                    write_ops(tables, builder, ops)
        return buf


def ask(tables, calls):
    for key, name, args in calls:
        getattr(tables[key], name)(*args)


def write_ops(tables, builder, ops):
    for calls, fn, args, place, regions in ops:
        ask(tables, calls)
        builder.cur_debug_attr = place
        nested = fn(builder, **args)
        for before, types, inner in regions:
            ask(tables, before)
            with nested.new_block(types):
                write_ops(tables, builder, inner)
        if regions:
            nested.done()


def measure(module):
    plan = Plan(module)
    best, end = float("inf"), time.perf_counter() + 2
    while best == float("inf") or time.perf_counter() < end:
        start = time.perf_counter()
        data = plan.write()
        best = min(best, time.perf_counter() - start)
    return {"file": data.hex(), "seconds": best}


json.dump([measure(m) for m in json.load(sys.stdin)], sys.stdout)
