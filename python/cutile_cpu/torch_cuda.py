"""Makes a torch without a GPU take its CPU for a CUDA device."""
import contextlib
import functools
import threading
import time
import types

from . import arrays, driver, server


def patch(torch):
    _mode(torch)
    _module(torch)
    _generator(torch)
    _dlpack(torch)


def _cpu(torch, x):
    """A device, where it is one of CUDA the CPU instead."""
    if isinstance(x, str) and (x == "cuda" or x.startswith("cuda:")):
        return "cpu"
    if isinstance(x, torch.device) and x.type == "cuda":
        return torch.device("cpu")
    return x


def _mode(torch):
    """Functions that name a device are called with the CPU."""
    from torch.overrides import TorchFunctionMode
    is_cuda = torch.Tensor.is_cuda
    cpu = functools.partial(_cpu, torch)

    class CudaIsCpu(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if getattr(func, "__self__", None) is is_cuda:
                return True
            if func is torch.Tensor.cuda:
                return args[0]
            device = kwargs.get("device")
            if isinstance(device, int) and not isinstance(device, bool):
                kwargs["device"] = "cpu"
            elif device is not None:
                kwargs["device"] = cpu(device)
            if kwargs.get("pin_memory"):
                kwargs["pin_memory"] = False
            if func is torch.Tensor.to:
                args = tuple(map(cpu, args))
            return func(*args, **kwargs)

    CudaIsCpu().__enter__()
    run = threading.Thread.run

    def run_in_mode(self):
        with CudaIsCpu():
            run(self)
    threading.Thread.run = run_in_mode


def _module(torch):
    """torch.cuda: one device, on which all work is done when a call returns."""
    class Stream:
        made = -1
        device = property(lambda self: torch.device("cpu"))

        def __init__(self, device=None, priority=0, **options):
            Stream.made += 1
            self.cuda_stream = self.stream_id = Stream.made

        def wait_stream(self, other): pass
        def wait_event(self, event): pass
        def synchronize(self): pass
        def query(self): return True
        def record_event(self, event=None): return event or Event()
        def __enter__(self): return self
        def __exit__(self, *args): pass

    class Event:
        def __init__(self, enable_timing=False, **options): self.at = 0.0
        def record(self, stream=None): self.at = time.perf_counter()
        def synchronize(self): pass
        def wait(self, stream=None): pass
        def query(self): return True
        def elapsed_time(self, other): return max((other.at - self.at) * 1e3, 1e-3)

    default = Stream()
    current = [default]

    @contextlib.contextmanager
    def stream(s):
        old, current[0] = current[0], s or default
        try:
            yield
        finally:
            current[0] = old

    class device(contextlib.ContextDecorator):
        def __init__(self, device=None): self.idx = 0
        def __enter__(self): return self
        def __exit__(self, *args): pass

    major, minor = server.capability()
    name = "cutile_cpu"
    properties = types.SimpleNamespace(name=name, major=major, minor=minor, multi_processor_count=driver.ATTRIBUTES[16],
                                       total_memory=16 << 30, L2_cache_size=1 << 20, warp_size=32,
                                       shared_memory_per_block_optin=driver.ATTRIBUTES[97])
    nothing = lambda *args: None
    zero = lambda *args: 0
    for key, value in dict(
            Stream=Stream, Event=Event, stream=stream, device=device, current_stream=lambda d=None: current[0],
            default_stream=lambda d=None: default, is_available=lambda: True, device_count=lambda: 1, current_device=zero,
            set_device=nothing, synchronize=nothing, init=nothing, _lazy_init=nothing, empty_cache=nothing, manual_seed=nothing,
            manual_seed_all=nothing, memory_allocated=zero, max_memory_allocated=zero, is_current_stream_capturing=lambda: False,
            get_device_capability=lambda d=None: (major, minor), get_device_name=lambda d=None: name,
            get_device_properties=lambda d=None: properties).items():
        setattr(torch.cuda, key, value)


def _generator(torch):
    real = torch.Generator

    class Generator(real):
        def __new__(cls, device="cpu"):
            return real.__new__(cls, _cpu(torch, device))
    torch.Generator = Generator


def _dlpack(torch):
    """What the launcher asks of a tensor: a capsule, which must name a CUDA device."""
    real = torch._C._to_dlpack

    def to_dlpack(tensor):
        with torch._C.DisableTorchFunction():
            capsule = real(tensor)
        arrays.tensor_of(capsule).device_type = arrays.CUDA
        return capsule
    torch._C._to_dlpack = to_dlpack
