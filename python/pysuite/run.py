"""run.py CHECKOUT [FILE...]: runs cuTile Python's own tests on the CPU engine.

CHECKOUT is one of NVIDIA/cutile-python. The Python that runs this has cuda-tile, torch, NumPy, ml_dtypes, pytest and
pytest-timeout; CUTILE_CPU_SERVER names the program cutile. It prints a line for each file, each failure, and at the end
"N passed, N failed, N excluded".
"""
import concurrent.futures
import glob
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
JOBS = int(os.environ.get("PYSUITE_JOBS", "2"))   # processes at a time
BATCH = int(os.environ.get("PYSUITE_BATCH", "24"))  # files of a process


def environment(out):
    server = os.environ["CUTILE_CPU_SERVER"]
    env = dict(os.environ, PYTHONPATH=HERE + os.pathsep + os.path.dirname(HERE), PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1",
               CUDA_TILE_CACHE_DIR=os.path.join(out, "cache"), CUDA_TILE_COMPILER_TIMEOUT_SEC="60", CUTILE_CPU_ARCH="sm_107",
               CUTILE_CPU_TIMEOUT="50")
    path = [os.path.join(HERE, "bin"), os.path.dirname(sys.executable)]
    tool = subprocess.run([server, "toolchain", "path", "tileiras"], capture_output=True, text=True)
    if tool.returncode == 0:  # a few tests ask for its version
        path.append(os.path.dirname(tool.stdout.strip()))
    return dict(env, PATH=os.pathsep.join(path + [env["PATH"]]))


def batch(tests, files, number, env, out):
    """Runs some files in one process and gives the rows that the plugin noted."""
    rows = os.path.join(out, f"results.{number}.jsonl")
    log = open(os.path.join(out, f"log.{number}.txt"), "wb")
    select = ["-k", os.environ["PYSUITE_K"]] if os.environ.get("PYSUITE_K") else []
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-rN", "--tb=short", "-c", os.path.join(HERE, "pytest.ini"), "--rootdir", ".",
                    "-p", "no:cacheprovider", "-p", "suite_plugin", "--continue-on-collection-errors", "--timeout", "120", *select, *files],
                   cwd=tests, env=dict(env, PYSUITE_RESULTS=rows), stdout=log, stderr=log)
    return [json.loads(line) for line in open(rows)] if os.path.exists(rows) else []


def count(rows, files, out):
    """Prints what the rows of some files say and gives the counts; a test without a result has failed."""
    results, collected = {}, []
    for r in rows:
        if r["kind"] == "collected":
            collected.append(r["test"])
        elif r["kind"] == "result":
            worse = results.get(r["test"], {}).get("outcome") == "failed"
            results[r["test"]] = results[r["test"]] if worse else r
    total = dict(passed=0, failed=0, excluded=0, skipped=0, xfailed=0, reached=0, launches=0)
    for f in files:
        n = dict.fromkeys(total, 0)
        mine = [t for t in collected if t.split("::")[0] == f]
        for t in mine:
            r = results.get(t, dict(outcome="failed", text=f"the process ended before it; see the logs in {out}"))
            n[r["outcome"]] += 1
            n["launches"] += r.get("launches", 0)
            n["reached"] += r["outcome"] == "passed" and bool(r.get("launches") or r.get("checked"))
            if r["outcome"] == "failed":
                print(f"FAILED {t}: {(r.get('errors') or [r['text']])[-1][:600]}")
        if not mine and not os.environ.get("PYSUITE_K"):
            n["failed"] += 1
            print(f"FAILED {f}: it could not be read, or has no tests; see the logs in {out}")
        print(f"{f}: {n['passed']} passed, {n['failed']} failed, {n['excluded'] + n['skipped'] + n['xfailed']} excluded, {n['launches']} launches", flush=True)
        total = {k: total[k] + n[k] for k in total}
    return total


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tests = os.path.join(os.path.abspath(sys.argv[1]), "test")
    files = sys.argv[2:] or sorted(os.path.basename(p) for p in glob.glob(os.path.join(tests, "test_*.py")))
    if not files:
        sys.exit(f"{tests} has no tests: name a checkout of NVIDIA/cutile-python")
    out = os.environ.get("PYSUITE_OUT") or tempfile.mkdtemp(prefix="pysuite.")
    os.makedirs(out, exist_ok=True)
    env = environment(out)
    for p in glob.glob(os.path.join(out, "results.*.jsonl")):
        os.remove(p)
    batches = [files[i::max(1, -(-len(files) // BATCH))] for i in range(max(1, -(-len(files) // BATCH)))]
    total = None
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        running = {pool.submit(batch, tests, b, i, env, out): b for i, b in enumerate(batches)}
        for done in concurrent.futures.as_completed(running):
            n = count(done.result(), running[done], out)
            total = n if total is None else {k: total[k] + n[k] for k in n}
    version = importlib.metadata.version
    head = subprocess.run(["git", "-C", tests, "log", "-1", "--format=%h of %cs"], capture_output=True, text=True).stdout.strip()
    print(f"cuTile Python's tests at {head or 'an unknown commit'}, cuda-tile {version('cuda-tile')}, torch {version('torch')}, Python {sys.version.split()[0]}")
    print(f"{total['reached']} of those that passed ran kernels or checked modules, with {total['launches']} launches; of those excluded, "
          f"{total['excluded']} are in exclude.txt, {total['skipped']} skip themselves and {total['xfailed']} expect to fail")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['excluded'] + total['skipped'] + total['xfailed']} excluded")
    sys.exit(1 if total["failed"] else 0)


if __name__ == "__main__":
    main()
