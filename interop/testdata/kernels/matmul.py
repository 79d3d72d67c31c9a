# A kernel of tests. README.md says what made matmul.ptx of it.
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :], mask=(m[:, None] < M) & ((i + k)[None, :] < K), other=0.0)
        y = tl.load(b + (i + k)[:, None] * N + n[None, :], mask=((i + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))
