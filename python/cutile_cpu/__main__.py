"""python -m cutile_cpu [-m MODULE | FILE] ARGUMENTS: runs a program with the CPU as its CUDA device."""
import os
import runpy
import sys

from . import hooks, server


def main():
    args = sys.argv[1:]
    if not args or args[0] in ("-h", "--help"):
        print(__doc__, "The server is the program `cutile`, which CUTILE_CPU_SERVER or PATH names.", sep="\n")
        return 0 if args else 2
    try:
        server.find()
        hooks.install()
    except server.ServerError as e:
        print(f"cutile_cpu: {e}", file=sys.stderr)
        return 1
    if args[0] == "-m" and len(args) > 1:
        sys.argv = args[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(args[1], run_name="__main__", alter_sys=True)
        return 0
    if not os.path.exists(args[0]):
        print(f"cutile_cpu: there is no file {args[0]}", file=sys.stderr)
        return 2
    sys.argv = args
    sys.path[0] = os.path.dirname(os.path.abspath(args[0]))
    runpy.run_path(args[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
