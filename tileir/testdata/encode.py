"""Encodes modules with cuTile Python's own encoder, for comparison with ours.

Reads a JSON list of modules from the standard input and writes a JSON list of what the encoder gives for each: the body's
bytes and the entries of the tables, in hexadecimal, or the error. It needs a Python with cuda-tile.
"""
import inspect
import json
import sys

from cuda.tile._bytecode import attribute as A, encodings as E, type as T, type_base as TB
from cuda.tile._bytecode.basic import StringTable
from cuda.tile._bytecode.code_builder import CodeBuilder, Value
from cuda.tile._bytecode.constant import ConstantTable
from cuda.tile._bytecode.version import BytecodeVersion

ENCODERS = {n[7:-2].lower(): f for n, f in vars(E).items() if n.startswith("encode_") and n.endswith("Op")}


def enum_member(cls, number):
    for m in cls:
        if m._value_ != b"" and int.from_bytes(m._value_, "little") == number:
            return m
    raise ValueError(f"{cls.__name__} has no value {number}")


class Replay:
    def __init__(self, module):
        self.version = getattr(BytecodeVersion, "V_" + module["version"].replace(".", "_"))
        self.types = T.TypeTable(self.version)
        self.strings, self.constants = StringTable(), ConstantTable()
        params = [self.type(t) for t in module["params"]]
        self.types.function(params, [])
        self.strings[module["name"].encode()]
        self.builder = CodeBuilder(bytearray(), self.version, self.strings, self.constants, [])
        self.builder._make_value_tuple(len(params))
        self.ops(module["ops"])

    def elem(self, name):
        return self.types.simple(T.SimpleType[name.upper()])

    def padding(self, number):
        return TB.PaddingValue.Missing if number < 0 else enum_member(TB.PaddingValue, number)

    def type(self, t):
        attr = enum_member(TB.PtrAttr, 0) if t.get("attr") else TB.PtrAttr.Missing
        kind = t["kind"]
        if kind == "token":
            return self.types.Token
        if kind == "tile":
            e = self.elem(t["elem"])
            return self.types.tile(self.types.pointer(e, attr) if t.get("pointer") else e, t["shape"])
        if kind == "tensor":
            return self.types.tensor_view(self.elem(t["elem"]), t["shape"], t["strides"], attr)
        tensor, pad = self.type(t["tensor"]), self.padding(t["padding"])
        if kind == "partition":
            return self.types.partition_view(t["tile"], tensor, t["dimMap"], pad)
        if kind == "strided":
            return self.types.strided_view(t["tile"], t["traversal"], tensor, t["dimMap"], pad)
        return self.types.gather_scatter_view(t["tile"], tensor, t["sparseDim"], pad)

    def number(self, n):
        if "float" in n:
            return A.Float(float(n["float"]), T.SimpleType[n["elem"].upper()], self.types)
        return A.Integer(self.elem(n["elem"]), n["bits"], n["int"])

    def hint(self, v):
        return A.Bool(v) if isinstance(v, bool) else A.Integer.create_i32(v)

    def attr(self, a, annotation):
        kind, v = a["kind"], a["value"]
        if kind == "enum":
            return enum_member(getattr(E, a["enum"]), v)
        if kind == "constant":
            return bytes.fromhex(v)
        if kind == "numbers":
            return [self.number(n) for n in v]
        if kind == "hints":
            return A.OptimizationHints([(arch, A.Dictionary([(k, self.hint(x)) for k, x in items])) for arch, items in v])
        if kind == "div_by":
            return A.DivBy(*v)
        if kind == "bounded":
            return A.Bounded(*v)
        if kind == "same_elements":
            return A.SameElements(v)
        return v

    def arguments(self, fn, op):
        """Arguments by the encoder's own parameters: types of results come in order, the rest by name."""
        types = list(op["types"])
        args = {}
        for p in list(inspect.signature(fn).parameters.values())[1:]:
            name, annotation = p.name.rstrip("_"), str(p.annotation)
            if "TypeId" in annotation:
                if "Sequence" in annotation:
                    args[p.name] = [self.type(t) for t in types]
                else:
                    args[p.name] = self.type(types.pop(0)) if types else None
            elif name in op["operands"]:
                ids = [Value(i) for i in op["operands"][name]]
                args[p.name] = ids if "Sequence" in annotation else (ids[0] if ids else None)
            elif op["attrs"].get(name) is not None:
                args[p.name] = self.attr(op["attrs"][name], annotation)
            elif p.annotation is bool:
                args[p.name] = False
            else:
                args[p.name] = None if "Optional" in annotation else []  # a field of a later version
        return args

    def ops(self, ops):
        for op in ops:
            fn = ENCODERS[op["name"].replace("_", "")]
            nested = fn(self.builder, **self.arguments(fn, op))
            if op["regions"]:
                for block in op["regions"]:
                    with nested.new_block([self.type(t) for t in block["args"]]):
                        self.ops(block["ops"])
                nested.done()

    def result(self):
        table = lambda t: [k.hex() for k in t]
        return {"body": self.builder.buf.hex(), "types": table(self.types),
                "strings": table(self.strings), "constants": table(self.constants)}


def encode(module):
    try:
        return Replay(module).result()
    except Exception as e:  # the test lists what the encoder cannot do
        return {"error": type(e).__name__ + ": " + str(e)}


if __name__ == "__main__":
    json.dump([encode(m) for m in json.load(sys.stdin)], sys.stdout)
