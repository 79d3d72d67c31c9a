"""Measures Triton's kernels and torch's functions on the workloads of gpubench, and writes rows in JSON, one a line:

    python3 peers.py WAYS WORKLOADS ROUNDS SECONDS SLOW

Triton's results are compared with torch's before they are timed. With TRITON_INTERPRET=1 everything runs on the CPU.
"""

import json
import math
import os
import statistics
import sys
import time

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
DEVICE = "cpu" if INTERPRETED else "cuda"


def tuned(extents, key):
    """Lets Triton choose among extents of tiles, warps and stages; its interpreter takes the first ones."""
    configs = [triton.Config(c, num_warps=w, num_stages=s) for c, w, s in extents]
    return triton.autotune(configs=configs[:1] if INTERPRETED else configs, key=key)


@tuned(
    [
        ({"M": 128, "N": 128, "K": 64}, 8, 3),
        ({"M": 128, "N": 256, "K": 64}, 8, 3),
        ({"M": 128, "N": 128, "K": 32}, 4, 4),
        ({"M": 64, "N": 128, "K": 64}, 4, 4),
        ({"M": 64, "N": 64, "K": 64}, 4, 4),
    ],
    ["m", "n", "k"],
)
@triton.jit
def gemm_kernel(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(m, M), tl.cdiv(n, N)
    t = tl.program_id(0)
    first = t // (8 * tiles_n) * 8
    rows = min(tiles_m - first, 8)
    i = (first + t % rows) * M + tl.arange(0, M)
    j = t % (8 * tiles_n) // rows * N + tl.arange(0, N)
    x = tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for at in range(0, k, K):
        left = tl.load(a + i[:, None] * k + (at + x)[None, :], mask=(i[:, None] < m) & ((at + x)[None, :] < k), other=0.0)
        right = tl.load(b + (at + x)[:, None] * n + j[None, :], mask=((at + x)[:, None] < k) & (j[None, :] < n), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + i[:, None] * n + j[None, :], total.to(tl.float16), mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def softmax_kernel(x, y, cols, C: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, C)
    t = tl.load(x + row * cols + at, mask=at < cols, other=float("-inf"))
    e = tl.exp(t - tl.max(t, 0))
    tl.store(y + row * cols + at, e / tl.sum(e, 0), mask=at < cols)


@tuned(
    [
        ({"M": 128, "N": 64}, 8, 3),
        ({"M": 128, "N": 128}, 8, 3),
        ({"M": 64, "N": 64}, 4, 3),
        ({"M": 128, "N": 64}, 4, 3),
    ],
    ["rows"],
)
@triton.jit
def attention_kernel(q, k, v, o, rows, scale, dim, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    first = tl.program_id(1).to(tl.int64) * rows * dim
    i, x = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D)
    inside = (i[:, None] < rows) & (x[None, :] < dim)
    query = tl.load(q + first + i[:, None] * dim + x[None, :], mask=inside, other=0.0)
    peak, total = tl.full((M,), float("-inf"), tl.float32), tl.zeros((M,), tl.float32)
    mean = tl.zeros((M, D), tl.float32)
    for at in range(0, rows, N):
        j = at + tl.arange(0, N)
        key = tl.load(k + first + j[None, :] * dim + x[:, None], mask=(j[None, :] < rows) & (x[:, None] < dim), other=0.0)
        score = tl.where(j[None, :] < rows, tl.dot(query, key) * scale, float("-inf"))
        higher = tl.maximum(peak, tl.max(score, 1))
        weight, fade = tl.exp2(score - higher[:, None]), tl.exp2(peak - higher)
        value = tl.load(v + first + j[:, None] * dim + x[None, :], mask=(j[:, None] < rows) & (x[None, :] < dim), other=0.0)
        total = total * fade + tl.sum(weight, 1)
        mean = tl.dot(weight.to(tl.float16), value, mean * fade[:, None])
        peak = higher
    tl.store(o + first + i[:, None] * dim + x[None, :], (mean / total[:, None]).to(tl.float16), mask=inside)


@triton.jit
def add_kernel(x, y, z, n, B: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


def random(*shape, dtype=torch.float32):
    return torch.rand(shape, device=DEVICE, dtype=torch.float32).mul_(2).sub_(1).to(dtype)


# Each kind gives, for its extents, a launch of Triton's kernel, a call of torch's function, the kernel's result, and how much it may differ
# from the function's.


def gemm(m, n, k):
    a, b = random(m, k, dtype=torch.float16), random(k, n, dtype=torch.float16)
    c, r = (torch.empty(m, n, device=DEVICE, dtype=torch.float16) for _ in range(2))
    grid = lambda meta: (triton.cdiv(m, meta["M"]) * triton.cdiv(n, meta["N"]),)
    return lambda: gemm_kernel[grid](a, b, c, m, n, k), lambda: torch.matmul(a, b, out=r), c, 2e-3 * math.sqrt(k)


def softmax(rows, cols):
    x = random(rows, cols)
    y, r = (torch.empty(rows, cols, device=DEVICE) for _ in range(2))
    columns = triton.next_power_of_2(cols)
    warps = 4 if columns < 2048 else 8 if columns < 8192 else 16
    launch = lambda: softmax_kernel[(rows,)](x, y, cols, C=columns, num_warps=warps)
    return launch, lambda: torch.softmax(x, 1, out=r), y, 1e-5 / math.sqrt(cols)


def attention(batch, heads, rows, dim):
    q, k, v = (random(batch, heads, rows, dim, dtype=torch.float16) for _ in range(3))
    q.mul_(4)
    o = torch.empty_like(q)
    grid = lambda meta: (triton.cdiv(rows, meta["M"]), batch * heads)
    wide, scale = max(16, triton.next_power_of_2(dim)), math.log2(math.e) / math.sqrt(dim)
    launch = lambda: attention_kernel[grid](q, k, v, o, rows, scale, dim, D=wide)
    return launch, lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v), o, 2e-2 / math.sqrt(rows)


def add(n):
    x, y = random(n), random(n)
    z, r = (torch.empty(n, device=DEVICE) for _ in range(2))
    launch = lambda: add_kernel[(triton.cdiv(n, 1024),)](x, y, z, n, B=1024)
    return launch, lambda: torch.add(x, y, out=r), z, 0.0


KINDS = {"gemm": gemm, "softmax": softmax, "attention": attention, "add": add}


def synchronize():
    if not INTERPRETED:
        torch.cuda.synchronize()


def repeated(launch, times):
    """Gives a function that does so many launches: by a graph, which costs Python nothing."""
    if INTERPRETED:
        return lambda: [launch() for _ in range(times)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(times):
            launch()
    return graph.replay


def measure(launch, rounds, each, slow):
    """Gives the seconds of a launch, one for each run."""
    begin = time.perf_counter()
    launch()
    synchronize()
    start = time.perf_counter()
    launch()
    synchronize()
    once = max(time.perf_counter() - start, 1e-6)
    in_graph = max(1, min(64, int(each / once)))
    many = repeated(launch, in_graph)
    many()
    synchronize()
    start = time.perf_counter()
    many()
    synchronize()
    times_many = max(1, int(each / max(time.perf_counter() - start, 1e-6)))
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(times_many):
            many()
        synchronize()
        seconds.append((time.perf_counter() - start) / (times_many * in_graph))
        if time.perf_counter() - begin > slow:
            break
    return seconds


def row(way, work, launch, rounds, each, slow):
    if rounds == 0:
        return {"way": way, "work": work}
    seconds = measure(launch, rounds, each, slow)
    return {"way": way, "work": work, "seconds": statistics.median(seconds), "low": min(seconds), "high": max(seconds)}


def main(ways, works, rounds, each, slow):
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False  # sums are float32, as ours
    name = "Triton's interpreter" if INTERPRETED else torch.cuda.get_device_name()
    versions = {"triton": f"Triton {triton.__version__}", "torch": f"torch {torch.__version__}"}
    for way in ways:
        print(json.dumps({"way": way, "device": f"{versions[way]} on {name}"}), flush=True)
    for work in works:
        kind, _, extents = work.partition(":")
        torch.manual_seed(1)
        ours, theirs, result, tolerance = KINDS[kind](*map(int, extents.split("x")))
        result.fill_(math.nan)
        ours()
        reference = theirs()
        synchronize()
        worst = (result.float() - reference.float()).abs().max().item()
        right = worst <= tolerance
        for way, launch in (("triton", ours), ("torch", theirs)):
            if way not in ways:
                continue
            if right or way == "torch":
                print(json.dumps(row(way, work, launch, rounds, each, slow)), flush=True)
            else:
                print(json.dumps({"way": way, "work": work, "error": f"differs from torch by {worst}"}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1].split(","), sys.argv[2].split(","), int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]))
