# A kernel of tests. README.md says what made softmax.ptx of it.
import triton
import triton.language as tl


@triton.jit
def softmax(y, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * stride + i, v / tl.sum(v, axis=0), mask=i < n)
