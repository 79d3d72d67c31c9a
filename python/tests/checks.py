"""Runs the functions of a script whose names begin with check_ and prints a line for each."""
import sys
import traceback


def main(names):
    bad = 0
    for name, f in list(names.items()):
        if name.startswith("check_"):
            try:
                f()
                print("ok", name, flush=True)
            except Exception:
                bad += 1
                print("FAILED", name, flush=True)
                traceback.print_exc()
    sys.exit(1 if bad else 0)


def wants(error, text, f, *args):
    """Calls what must fail with a text."""
    try:
        f(*args)
    except error as e:
        assert text in str(e), f"{e!r}, want {text!r}"
        return str(e)
    raise AssertionError(f"no error, want {text!r}")
