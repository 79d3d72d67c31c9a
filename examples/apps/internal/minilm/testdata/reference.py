# Computes embeddings by ONNX Runtime with the tokens of pip's tokenizers, for the tests.
#
#   reference.py embed MODEL        reads JSON texts, one a line, and writes their embeddings as JSON
#   reference.py time MODEL N       reads batches, each a JSON array of texts on a line, and writes for 1 and for N threads how many
#                                   seconds all of them took together, and how many of the processors: the least of three turns
import json
import os
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LONGEST = 256


class Maker:
    """Writes an encoder as ONNX, from the weights of a file."""

    def __init__(self, folder):
        self.config = json.load(open(os.path.join(folder, "config.json")))
        self.weights = load_file(os.path.join(folder, "model.safetensors"))
        self.nodes, self.init, self.known = [], [], set()

    def const(self, name, array):
        if name not in self.known:
            self.known.add(name)
            self.init.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, op, *inputs, **attributes):
        out = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [out], **attributes))
        return out

    def linear(self, x, p):
        w = self.const(p + ".transposed", self.weights[p + ".weight"].T)
        return self.node("Add", self.node("MatMul", x, w), self.const(p + ".bias", self.weights[p + ".bias"]))

    def norm(self, x, p):
        scale, bias = (self.const(p + s, self.weights[p + s]) for s in (".weight", ".bias"))
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=self.config["layer_norm_eps"])

    def embed(self):
        def table(name):
            name = f"embeddings.{name}_embeddings.weight"
            return self.const(name, self.weights[name])

        words = self.node("Gather", table("word"), "ids")
        types = self.const("type0", self.weights["embeddings.token_type_embeddings.weight"][0])
        length = self.node("Slice", self.node("Shape", "ids"), self.const("1", np.array([1])), self.const("2", np.array([2])))
        places = self.node("Slice", table("position"), self.const("0", np.array([0])), length, "0")
        x = self.node("Add", self.node("Add", words, places), types)
        return self.norm(x, "embeddings.LayerNorm")

    def layer(self, x, p, bias):
        hidden, heads = self.config["hidden_size"], self.config["num_attention_heads"]
        split = self.const("split", np.array([0, 0, heads, hidden // heads]))
        q, k, v = (self.node("Reshape", self.linear(x, p + "attention.self." + n), split) for n in ("query", "key", "value"))
        q, k, v = (self.node("Transpose", y, perm=m) for y, m in ((q, [0, 2, 1, 3]), (k, [0, 2, 3, 1]), (v, [0, 2, 1, 3])))
        root = self.const("root", np.float32((hidden // heads) ** 0.5))
        scores = self.node("Add", self.node("Div", self.node("MatMul", q, k), root), bias)
        seen = self.node("Transpose", self.node("MatMul", self.node("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        seen = self.linear(self.node("Reshape", seen, self.const("join", np.array([0, 0, hidden]))), p + "attention.output.dense")
        x = self.norm(self.node("Add", seen, x), p + "attention.output.LayerNorm")
        y = self.linear(x, p + "intermediate.dense")
        erf = self.node("Erf", self.node("Mul", y, self.const("root half", np.float32(0.5**0.5))))
        y = self.node("Mul", self.node("Mul", y, self.const("half", np.float32(0.5))), self.node("Add", erf, self.const("f1", np.float32(1))))
        return self.norm(self.node("Add", self.linear(y, p + "output.dense"), x), p + "output.LayerNorm")

    def model(self):
        bias = self.node("Mul", self.node("Sub", "mask", self.const("f1", np.float32(1))), self.const("never", np.float32(1e9)))
        bias = self.node("Unsqueeze", bias, self.const("axes12", np.array([1, 2])))
        x = self.embed()
        for i in range(self.config["num_hidden_layers"]):
            x = self.layer(x, f"encoder.layer.{i}.", bias)
        self.nodes.append(helper.make_node("Identity", [x], ["out"]))
        inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, ["rows", "length"]),
                  helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["rows", "length"])]
        out = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["rows", "length", self.config["hidden_size"]])
        graph = helper.make_graph(self.nodes, "encoder", inputs, [out], self.init)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def embed(run, tokenizer, texts):
    """One batch, padded to its longest text."""
    encodings = tokenizer.encode_batch(texts)
    ids = np.array([e.ids for e in encodings], np.int64)
    mask = np.array([e.attention_mask for e in encodings], np.float32)
    x = run.run(None, {"ids": ids, "mask": mask})[0] * mask[:, :, None]
    mean = x.sum(1) / mask.sum(1, keepdims=True)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def main():
    folder = sys.argv[2]
    model = Maker(folder).model().SerializeToString()
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    if sys.argv[1] == "embed":
        run = session(model, 2)
        for line in sys.stdin:
            print(json.dumps(embed(run, tokenizer, [json.loads(line)])[0].tolist()))
        return
    batches = [json.loads(line) for line in sys.stdin]
    for threads in (1, int(sys.argv[3])):
        run, wall, busy = session(model, threads), [], []
        for _ in range(3):
            start, cpu = time.perf_counter(), time.process_time()
            for b in batches:
                embed(run, tokenizer, b)
            wall.append(time.perf_counter() - start)
            busy.append(time.process_time() - cpu)
        print(threads, min(wall), min(busy))


main()
