"""Times cuTile Python's export of one reference kernel to bytecode: export.py NAME. Prints seconds as JSON: of the first
export of this process, the imports not included, and of later ones of the same kernel."""
import json, os, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'testing', 'reftest', 'oracle'))
sys.dont_write_bytecode = True
import export
import cuda.tile
import cuda.tile.compilation

name = sys.argv[1]
entry = export.load_kernels()[name]


def seconds():
    start = time.perf_counter()
    assert len(export.emit(entry, name, '13.3')) > 500
    return time.perf_counter() - start


cold = seconds()
print(json.dumps(dict(Cold=[cold], Warm=[seconds() for _ in range(20)])))
