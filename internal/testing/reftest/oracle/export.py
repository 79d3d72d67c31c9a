#!/usr/bin/env python3
"""Export every kernel for every bytecode version: NAME.VERSION.tileirbc and NAME.VERSION.txt, plus index.json.
export.py OUT [--kernels FILE] [--only NAME,...] [--versions 13.1,13.4] [--jobs N] [--no-debug]

Determinism and no local paths: the kernel source is compiled under the bare name `kernels.py`, with the line cache
filled by hand so that the front end can still read it; and the debug table is made to keep base names only, because
Tile methods such as .reshape() pull the installed package's own path into the file.  --no-debug drops locations."""
import argparse, hashlib, io, json, linecache, os, subprocess, sys, time, types, warnings
from concurrent.futures import ProcessPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
VERSIONS = ['13.1', '13.2', '13.3', '13.4']
vk = lambda v: tuple(map(int, v.split('.')))


def tool(name):
    """Path of an NVIDIA tool: $ORACLE_TOOLS, this interpreter's packages and folder, then PATH."""
    import sysconfig
    roots = [os.environ.get('ORACLE_TOOLS', '')]
    roots += [os.path.join(sysconfig.get_paths()['purelib'], 'nvidia', 'cu13', 'bin')]
    roots += [os.path.dirname(sys.executable)] + os.environ.get('PATH', '').split(os.pathsep)
    for r in roots:
        p = os.path.join(r, name)
        if r and os.path.exists(p):
            return p
    sys.exit(f'{name} is neither in $ORACLE_TOOLS, beside this Python, nor in PATH: install requirements.txt')


def load_kernels(path=''):
    """Run a kernels file (default: kernels.py) under a fixed, path-free file name and return its registry."""
    path = path or os.path.join(HERE, 'kernels.py')
    name = os.path.basename(path)
    src = open(path, encoding='utf-8').read()
    linecache.cache[name] = (len(src), None, src.splitlines(True), name)
    mod = types.ModuleType(name[:-3])
    mod.__file__ = name
    sys.modules[mod.__name__] = mod
    exec(compile(src, name, 'exec'), mod.__dict__)
    return mod.KERNELS


def pathless(drop):
    """Make the bytecode writer record base names instead of paths, or no location at all."""
    import cuda.tile._bytecode as bc
    import cuda.tile._ir2bytecode as gen
    table, base = bc.DebugAttrTable, os.path.basename
    if not hasattr(table, '_pathless'):
        file, loc = table.file, table.loc
        table.file = lambda s, name, directory: file(s, base(name), '')
        table.loc = lambda s, scope, name, line, col: loc(s, scope, base(name), line, col)
        table._pathless = True
        if drop:
            gen.DebugAttrMap.get_debugattr = lambda s, loc: bc.MISSING_DEBUG_ATTR_ID


def emit(entry, name, version):
    import cuda.tile as ct
    from cuda.tile.compilation import export_kernel
    from registry import signature
    k = entry['kernel'] = entry['kernel'] or ct.kernel(entry['fn'], **entry['hints'])
    buf = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        export_kernel(k, [signature(name, entry['params'])], buf, output_format='tileir_bytecode',
                      gpu_code=None if vk(version) >= (13, 3) else 'sm_100', bytecode_version=version)
    return buf.getvalue()


def one(job):
    name, version, out, kernels, nodebug = job
    global _reg
    if '_reg' not in globals():
        pathless(nodebug)
        _reg = load_kernels(kernels)
    e = _reg[name]
    row = dict(kernel=name, version=version)
    t = time.time()
    try:
        data = emit(e, name, version)
    except Exception as ex:
        row['refused'] = f'{type(ex).__name__}: {str(ex).splitlines()[0]}'
        return row
    row['seconds'] = time.time() - t
    f = os.path.join(out, f'{name}.{version}.tileirbc')
    open(f, 'wb').write(data)
    r = subprocess.run([tool('tileirdisasm'), f], capture_output=True, text=True)
    text = r.stdout if r.returncode == 0 else ''
    open(f[:-9] + '.txt', 'w').write(text)
    row.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    if r.returncode:
        row['disasm_error'] = r.stderr.strip()
    return row


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('out')
    ap.add_argument('--kernels', default='', help='another file of kernels (default: kernels.py)')
    ap.add_argument('--no-debug', action='store_true')
    ap.add_argument('--only', default='')
    ap.add_argument('--versions', default=','.join(VERSIONS))
    ap.add_argument('--jobs', type=int, default=os.cpu_count())
    a = ap.parse_args()
    t0 = time.time()
    os.makedirs(a.out, exist_ok=True)
    reg = load_kernels(a.kernels)
    only = [x for x in a.only.split(',') if x]
    jobs = [(n, v, a.out, a.kernels, a.no_debug) for n, e in reg.items() if not only or n in only
            for v in a.versions.split(',') if vk(v) >= vk(e['since'])]
    if a.jobs > 1:
        with ProcessPoolExecutor(a.jobs) as ex:
            rows = list(ex.map(one, jobs, chunksize=4))
    else:
        rows = list(map(one, jobs))
    secs = sum(r.pop('seconds', 0) for r in rows)
    ok = [r for r in rows if 'refused' not in r]
    json.dump(dict(kernels=len(reg), files=rows), open(os.path.join(a.out, 'index.json'), 'w'), indent=1)
    for r in rows:
        if 'refused' in r or 'disasm_error' in r:
            print(r['kernel'], r['version'], r.get('refused') or r['disasm_error'], file=sys.stderr)
    print(f'{len(reg)} kernels, {len(ok)} files, {len(rows) - len(ok)} refused; '
          f'{secs:.1f} s in the front end, {time.time() - t0:.1f} s wall')


if __name__ == '__main__':
    main()
