"""The workloads in onnxruntime: models of one operator, whose inputs and outputs stay in place.

A function gets a workload's extents and returns one that runs it and one that gives the result.
"""
import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

import inputs
from inputs import EPSILON

ort.set_default_logger_severity(3)
options = ort.SessionOptions()


def begin(threads):
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1


def version():
    return ort.__version__


def model(op, arrays, shape, dtype=np.float32, constants=(), **attributes):
    """Runs an operator on arrays, followed by constants, which are part of the model."""
    names = [f"x{i}" for i in range(len(arrays) + len(constants))]
    code = helper.np_dtype_to_tensor_dtype
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], **attributes)], op,
        [helper.make_tensor_value_info(name, code(x.dtype), x.shape) for name, x in zip(names, arrays)],
        [helper.make_tensor_value_info("y", code(np.dtype(dtype)), shape)],
        [numpy_helper.from_array(x, name) for name, x in zip(names[len(arrays):], constants)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    session = ort.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    binding, y = session.io_binding(), ort.OrtValue.ortvalue_from_numpy(np.zeros(shape, dtype))
    for name, x in zip(names, arrays):
        binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(x))
    binding.bind_ortvalue_output("y", y)
    return lambda: session.run_with_iobinding(binding), y.numpy


def matmul(make, op="MatMul", dtype=None):
    def prepare(m, n, k):
        a, b = make(1, m, k), make(2, k, n)
        return model(op, [a, b], (m, n), dtype or a.dtype)
    return prepare


def softmax(rows, cols):
    return model("Softmax", [inputs.scaled(1, rows, cols)], (rows, cols), axis=1)


def layernorm(rows, cols):
    arrays = [inputs.scaled(1, rows, cols), inputs.floats(2, cols), inputs.floats(3, cols)]
    return model("LayerNormalization", arrays, (rows, cols), axis=1, epsilon=EPSILON)


def rmsnorm(rows, cols):
    return model("RMSNormalization", [inputs.scaled(1, rows, cols), inputs.floats(2, cols)], (rows, cols), axis=1, epsilon=EPSILON)


def gelu(n):
    return model("Gelu", [inputs.scaled(1, n)], (n,), approximate="tanh")


def transpose(rows, cols):
    return model("Transpose", [inputs.floats(1, rows, cols)], (cols, rows), perm=[1, 0])


def reduce(make, op, axis):
    def prepare(rows, cols):
        return model(op, [make(1, rows, cols)], ((rows, cols)[1 - axis],), constants=[np.array([axis])], keepdims=0)
    return prepare


def attention(batch, heads, queries, keys, dim, causal):
    arrays = [inputs.floats(1, batch, heads, queries, dim), inputs.floats(2, batch, heads, keys, dim), inputs.floats(3, batch, heads, keys, dim)]
    return model("Attention", arrays, arrays[0].shape, is_causal=causal)


def decode(batch, heads, groups, keys, dim):
    arrays = [inputs.floats(1, batch, heads, 1, dim), inputs.floats(2, batch, groups, keys, dim), inputs.floats(3, batch, groups, keys, dim)]
    return model("Attention", arrays, arrays[0].shape)


def gather_rows(rows, cols, ids):
    return model("Gather", [inputs.floats(1, rows, cols), inputs.below(2, ids, rows)], (ids, cols), axis=0)


def gather(n, ids):
    return model("Gather", [inputs.floats(1, n), inputs.below(2, ids, n)], (ids,), axis=0)


def scan_rows(rows, cols):
    return model("CumSum", [inputs.unit(1, rows, cols)], (rows, cols), constants=[np.array(1)])


def scan(n):
    return model("CumSum", [inputs.unit(1, n)], (n,), constants=[np.array(0)])


KINDS = {
    "gemm-f32": matmul(inputs.floats), "gemm-f64": matmul(inputs.doubles), "gemm-i8": matmul(inputs.int8s, "MatMulInteger", np.int32),
    "softmax": softmax, "layernorm": layernorm, "rmsnorm": rmsnorm, "gelu": gelu, "transpose": transpose,
    "sum-rows": reduce(inputs.unit, "ReduceSum", 1), "max-rows": reduce(inputs.floats, "ReduceMax", 1),
    "sum-cols": reduce(inputs.unit, "ReduceSum", 0), "attention-f32": attention, "decode-f32": decode, "gather-rows": gather_rows,
    "gather": gather, "scan-rows": scan_rows, "scan": scan,
}
