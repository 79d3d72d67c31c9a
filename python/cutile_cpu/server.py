"""The peer of `cutile serve`; docs/serve.md describes the protocol."""
import atexit
import collections
import ctypes
import mmap
import os
import shutil
import struct
import subprocess
import tempfile
import threading

VERSION = 1
TIMED_OUT, FAILED = 6, 5
NO_PROMISES = 1
HOLDS_ADDRESSES, CONSTANT = 1, 2
MAX_MODULES = 1024  # that are loaded at a time
CHUNK = 1 << 20


class ServerError(Exception):
    """The server cannot be had, or has ended."""


class KernelError(Exception):
    """What the server refuses or a kernel fails with."""

    def __init__(self, code, text, printed):
        super().__init__(text)
        self.code, self.printed = code, printed


def find():
    """The path of the server: $CUTILE_CPU_SERVER, or cutile in the PATH."""
    path = os.environ.get("CUTILE_CPU_SERVER")
    if path:
        found = _program(path)
        if not found:
            raise ServerError(f"CUTILE_CPU_SERVER names {path}, which is not a program that can be run")
        return found
    found = _program("cutile")
    if not found:
        raise ServerError("the program `cutile` is needed, which runs the kernels, but it is not in the PATH: install it with\n"
                          "    go install github.com/cutile-go/cutile/cmd/cutile@latest\n"
                          "or let the variable CUTILE_CPU_SERVER name it")
    return found


def _program(name):
    """The path of a program. Relative folders of the PATH are not searched: what lies in the working directory may be anybody's."""
    folders = [d for d in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(d)]
    found = shutil.which(name, path=os.pathsep.join(folders) or os.devnull)
    if found and not os.path.dirname(name) and not os.path.isabs(found):
        return None  # Windows looks in the working directory, too
    return found


def _setting(name, default):
    text = os.environ.get(name, "")
    try:
        return int(text) if text else default
    except ValueError:
        raise ServerError(f"{name} is {text!r}, but must be a whole number") from None


def capability():
    """The architecture that kernels are specialised for: $CUTILE_CPU_ARCH, such as sm_90."""
    text = os.environ.get("CUTILE_CPU_ARCH", "sm_100")
    digits = text.removeprefix("sm_")
    if not digits.isdigit() or len(digits) < 2:
        raise ServerError(f"CUTILE_CPU_ARCH is {text!r}, but must be an architecture such as sm_90")
    return int(digits[:-1]), int(digits[-1])


def text(b):
    """A text of the protocol."""
    return struct.pack("<I", len(b)) + b


class Reader:
    """Reads the fields of a reply."""

    def __init__(self, b):
        self.b, self.at = b, 0

    def number(self, form):
        v, = struct.unpack_from("<" + form, self.b, self.at)
        self.at += struct.calcsize("<" + form)
        return v

    def bytes(self):
        n = self.number("I")
        self.at += n
        return self.b[self.at - n:self.at]


class Server:
    """A server process, started with the first request and again after it was lost. One request at a time."""

    def __init__(self):
        self.lock = threading.RLock()
        self.proc, self.pid, self.memory = None, None, None
        self.modules = collections.OrderedDict()  # bytecode -> Module, the least recently used first
        atexit.register(self.stop)

    def start(self):
        path = find()
        args = [path, "serve", "-workers", str(_setting("CUTILE_CPU_WORKERS", 0)), "-reorder", str(_setting("CUTILE_CPU_REORDER", 0))]
        folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
        handle, name = tempfile.mkstemp(prefix="cutile_cpu.", dir=folder)
        try:
            free = os.statvfs(name)
            size = _setting("CUTILE_CPU_MEMORY", free.f_bavail * free.f_frsize)
            os.ftruncate(handle, size)
            self.memory = mmap.mmap(handle, size)
            self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
            # A session of its own: an interrupt from the keyboard is for this program, which then ends the server.
            self.proc = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
            self.pid = os.getpid()
            self.modules.clear()
            reply = self.exchange(b"H", struct.pack("<I", VERSION) + text(name.encode()) + struct.pack("<Q", size))
        except KernelError as e:
            self.kill()
            raise ServerError(f"{path}: {e}") from None
        finally:
            os.close(handle)
            os.unlink(name)
        if reply != struct.pack("<I", VERSION):
            self.kill()
            raise ServerError(f"{path} is no server for this package: its first reply is {reply!r}")

    def alive(self):
        return self.proc is not None and self.pid == os.getpid()

    def stop(self):
        """Ends the server; a later request starts another."""
        if not self.alive():
            return
        proc, self.proc = self.proc, None
        try:
            proc.stdin.close()
            proc.wait(2)
        except (OSError, subprocess.TimeoutExpired):
            proc.kill()
            proc.wait()
        proc.stdout.close()

    def kill(self):
        if self.alive():
            proc, self.proc = self.proc, None
            proc.kill()
            proc.wait()

    def exchange(self, kind, body):
        """Sends a request and gives the reply."""
        try:
            self.proc.stdin.write(kind + struct.pack("<I", len(body)) + body)
            self.proc.stdin.flush()
            status, size = struct.unpack("<BI", self.read(5))
            reply = self.read(size)
        except BaseException as e:  # an interrupt, too: the next request would read this reply
            proc = self.proc
            self.kill()
            if isinstance(e, (OSError, EOFError)):
                raise ServerError(f"{proc.args[0]} has ended with code {proc.returncode}; it may have said why on its standard error") from None
            raise
        if status == 0:
            return reply
        r = Reader(reply)
        raise KernelError(r.number("B"), r.bytes().decode("utf-8", "replace"), r.bytes())

    def read(self, n):
        b = self.proc.stdout.read(n)
        if len(b) < n:
            raise EOFError
        return b

    def load(self, bytecode):
        """The module of some bytecode, which is read and verified if it is not loaded."""
        with self.lock:
            if not self.alive():
                self.start()
            m = self.modules.pop(bytecode, None)
            if m is None:
                while len(self.modules) >= MAX_MODULES:
                    _, old = self.modules.popitem(last=False)
                    self.exchange(b"U", struct.pack("<I", old.number))
                m = Module(Reader(self.exchange(b"L", bytecode)))
            self.modules[bytecode] = m
            return m

    def run(self, bytecode, entry, grid, args, regions):
        """Runs a kernel on memory: a list of (address, bytes, flags), which it changes. Gives what was printed."""
        with self.lock:
            number = self.load(bytecode).number
            places, at = [], 0
            for address, size, flags in regions:
                places.append(at)
                at += size + 63 & ~63
            if at > len(self.memory):
                raise ServerError(f"the arrays of the launch have {at} bytes, but {len(self.memory)} can be shared; CUTILE_CPU_MEMORY says how many")
            for (address, size, flags), place in zip(regions, places):
                ctypes.memmove(self.base + place, address, size)
            flags = NO_PROMISES if os.environ.get("CUTILE_CPU_PROMISES") == "0" else 0
            body = struct.pack("<I", number) + text(entry.encode())
            body += struct.pack("<5I", *grid, flags, _setting("CUTILE_CPU_TIMEOUT", 0) * 1000)
            body += struct.pack(f"<I{len(args)}Q", len(args), *args) + struct.pack("<I", len(regions))
            body += b"".join(struct.pack("<4Q", a, n, p, f) for (a, n, f), p in zip(regions, places))
            try:
                r = Reader(self.exchange(b"R", body))
                r.number("Q")
                for changed, (address, size, _), place in zip(r.bytes(), regions, places):
                    if changed:
                        ctypes.memmove(address, self.base + place, size)
                return r.bytes()
            finally:
                if at > 256 << 20 and self.alive():
                    self.memory.madvise(mmap.MADV_REMOVE)


class Module:
    """A loaded module: entries gives for each name what its parameters are, 0 for pointers."""

    def __init__(self, r):
        self.number = r.number("I")
        self.entries = {}
        for _ in range(r.number("I")):
            name = r.bytes().decode()
            self.entries[name] = r.bytes()
