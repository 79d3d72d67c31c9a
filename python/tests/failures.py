"""What goes wrong in kernels, and around them."""
import os
import signal
import tempfile
import threading
import time

import cuda.tile as ct
import numpy as np
from cutile_cpu import driver, server

import checks


@ct.kernel
def positive(x, T: ct.Constant[int]):
    v = ct.load(x, index=(ct.bid(0),), shape=(T,))
    ct.assert_(v > 0, "x is positive")
    ct.store(x, index=(ct.bid(0),), tile=v + 1)


def check_assert():
    x = np.array([1, 2, 3, -4], np.int32)
    message = checks.wants(RuntimeError, "assertion failed: x is positive", ct.launch, None, (2,), positive, (x, 2))
    assert "failures.py:" in message and "block (1, 0, 0)" in message, message
    assert x.tolist() == [1, 2, 3, -4]
    ct.launch(None, (1,), positive, (np.ones(2, np.int32), 2))


@ct.kernel
def unchecked(x, at, y):
    ct.scatter(y, (), ct.gather(x, ct.gather(at, ()), check_bounds=False))


def check_outside():
    x, y = np.arange(10, dtype=np.int32), np.array(0, np.int32)
    ct.launch(None, (1,), unchecked, (x, np.array(9, np.int32), y))
    assert y == 9
    for at in (10, -1, 1 << 20):
        message = checks.wants(RuntimeError, "outside memory", ct.launch, None, (1,), unchecked, (x, np.array(at, np.int32), y))
        assert "of 10 elements" in message, message


@ct.kernel
def promised(x, n):
    n = ct.assume_divisible_by(n, 8)
    ct.scatter(x, (), n * 2)


def check_false_promise():
    x = np.array(0, np.int32)
    ct.launch(None, (1,), promised, (x, 16))
    assert x == 32
    checks.wants(RuntimeError, "a promise does not hold", ct.launch, None, (1,), promised, (x, 3))
    os.environ["CUTILE_CPU_PROMISES"] = "0"
    ct.launch(None, (1,), promised, (x, 3))
    del os.environ["CUTILE_CPU_PROMISES"]
    assert x == 6


@ct.kernel
def endless(x):
    while ct.gather(x, ()) == 0:
        ct.scatter(x, (), 0)


def check_time_limit():
    os.environ["CUTILE_CPU_TIMEOUT"] = "1"
    checks.wants(RuntimeError, "the kernel was stopped after", ct.launch, None, (1,), endless, (np.array(0, np.int32),))
    del os.environ["CUTILE_CPU_TIMEOUT"]


def check_interrupt():
    """A signal while a kernel runs ends the server; the next launch has another."""
    def stop(*args):
        raise KeyboardInterrupt
    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 1)
    checks.wants(RuntimeError, "KeyboardInterrupt", ct.launch, None, (1,), endless, (np.array(0, np.int32),))
    signal.signal(signal.SIGALRM, old)
    check_assert()


def check_lost_server():
    check_assert()
    driver.server.proc.kill()
    driver.server.proc.wait()
    checks.wants(RuntimeError, "has ended with code -9", ct.launch, None, (1,), positive, (np.ones(2, np.int32), 2))
    check_assert()


def check_threads():
    failed = []

    def work(k):
        try:
            for _ in range(20):
                x = np.full(8, k, np.int32)
                ct.launch(None, (4,), positive, (x, 2))
                assert (x == k + 1).all()
        except Exception as e:
            failed.append(e)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed, failed


def check_fork():
    """A child has a server of its own."""
    check_assert()
    child = os.fork()
    if child == 0:
        try:
            check_assert()
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    check_assert()


def check_relative_path():
    """A program in the working directory is not run as the server, unless it is named."""
    before, here = dict(os.environ), os.getcwd()
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            os.mkdir("bin")
            for path in ("cutile", "bin/cutile"):
                with open(path, "w") as f:
                    os.fchmod(f.fileno(), 0o700)
            for path in (".", "", "bin", ".::bin"):
                os.environ["PATH"] = path
                for name, message in ((None, "not in the PATH"), ("cutile", "not a program that can be run")):
                    os.environ.pop("CUTILE_CPU_SERVER", None)
                    if name:
                        os.environ["CUTILE_CPU_SERVER"] = name
                    checks.wants(server.ServerError, message, server.find)
            os.environ["CUTILE_CPU_SERVER"] = "bin/cutile"
            assert server.find() == "bin/cutile"
            del os.environ["CUTILE_CPU_SERVER"]
            os.environ["PATH"] = ".:" + os.path.join(folder, "bin")
            assert server.find() == os.path.join(folder, "bin", "cutile")
            os.chdir(here)
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)


def check_server_ends():
    """The server ends with its peer, also where that is killed."""
    child = os.fork()
    if child == 0:
        check_assert()
        os.write(pipe_in, str(driver.server.proc.pid).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    server = int(os.read(pipe_out, 100))
    for _ in range(200):
        try:
            os.kill(server, 0)
        except ProcessLookupError:
            return
        with open(f"/proc/{server}/stat") as f:
            if f.read().rpartition(")")[2].split()[0] == "Z":
                return
        time.sleep(0.05)
    raise AssertionError(f"process {server} goes on")


pipe_out, pipe_in = os.pipe()
checks.main(globals())
