package eval

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"

	"github.com/cutile-go/cutile/internal/simt"
)

// bound is a kernel with its arguments, to be launched.
type bound struct {
	fv   *funcVal
	args []value
}

func (b *bound) describe() string { return "a call of the kernel " + b.fv.name }

// isKernel reports whether a function is a kernel: its result is cute.Kernel.
func (ev *evaluator) isKernel(fv *funcVal) bool {
	r := fv.typ.Results
	if r == nil || len(r.List) != 1 {
		return false
	}
	return cuteType(fv.pkg.Info.Types[r.List[0].Type].Type, "Kernel") != nil
}

// bind is a call of a kernel: nothing happens before it is launched.
func (ev *evaluator) bind(pos token.Pos, fv *funcVal, args []value) value {
	ev.Must(ev.b.Host, pos, "kernel %s is called in a kernel: only a host function launches kernels", fv.name)
	ev.extract(pos, fv, args)
	return &bound{fv, args}
}

// launchConfig is a cute.Launch.
type launchConfig struct {
	grid, block, cluster [3]value
	smem, stream         value
	minBlocks            value
	after                []value
}

// config takes a cute.Launch apart.
func (ev *evaluator) config(v value) (c launchConfig) {
	s := v.(*structVal)
	field := map[string]value{}
	for i := range s.typ.NumFields() {
		field[s.typ.Field(i).Name()] = s.fields[i]
	}
	dims := func(name string) (d [3]value) {
		copy(d[:], field[name].(*structVal).fields)
		return d
	}
	orOne := func(d [3]value) [3]value { // what is not given is 1
		for _, v := range d {
			if n, ok := intConst(v); !ok || n != 0 {
				return d
			}
		}
		return [3]value{number(1), number(1), number(1)}
	}
	c = launchConfig{grid: orOne(dims("Grid")), block: orOne(dims("Block")), cluster: dims("Cluster"), smem: field["Smem"], stream: field["Stream"], minBlocks: field["MinBlocksPerSM"]}
	c.after = ev.sliceElems(field["After"])
	return c
}

// launch evaluates a kernel and writes down its launch.
func (ev *evaluator) launch(k *bound, v value, pos token.Pos) value {
	ev.Must(ev.b.Host, pos, "a launch outside of host code: only a host function launches kernels")
	c := ev.config(v)
	l := &simt.Launch{}
	var block, cluster [3]int
	for i, name := range [3]string{"X", "Y", "Z"} {
		block[i] = ev.positive(pos, c.block[i], "Block."+name+" of a launch")
		l.Grid[i] = ev.gridSize(pos, c.grid[i], "Grid."+name)
		cluster[i] = ev.staticInt(pos, c.cluster[i], "Cluster."+name+" of a launch")
	}
	threads := block[0] * block[1] * block[2]
	ev.Must(threads <= 1024, pos, "a block of %d x %d x %d is %d threads: it may have 1024", block[0], block[1], block[2], threads)
	if cluster != [3]int{} {
		n := cluster[0] * cluster[1] * cluster[2]
		ev.Must(n > 0 && n <= 16, pos, "a cluster of %d x %d x %d blocks: each extent must be positive, and there may be 16 blocks", cluster[0], cluster[1], cluster[2])
	}
	f := &simt.Func{
		Name: fmt.Sprintf("kernel_%s_%d", ev.in.Name, len(ev.mod.Kernels)), Block: block, Cluster: cluster,
		MinBlocks: ev.staticInt(pos, c.minBlocks, "MinBlocksPerSM"),
	}
	l.Kernel = f.Name
	args, used := ev.kernel(f, k, pos)
	for i, a := range args { // a truth value that the host function computes is a predicate, its parameter a number
		if a.Kind == simt.Register && ev.b.Func.Regs[a.Reg] == simt.Pred {
			args[i] = ev.b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), a)
		}
	}
	ev.sharedMemory(l, f, c.smem, used, pos)
	if !isStatic(c.stream) {
		l.Stream = ev.inReg(c.stream, u64Elem)
	}
	for _, t := range c.after {
		l.After = append(l.After, ev.inReg(t, u64Elem))
	}
	l.Async = l.Stream.Kind != simt.None || len(l.After) > 0
	in := ev.b.Emit(simt.OpLaunch, nil, args...)
	in.Launch = l
	if !l.Async {
		return constant.MakeInt64(0)
	}
	token := ev.newNum(u64Elem)
	in.Dst = []simt.Operand{token.op()}
	return token
}

func (ev *evaluator) positive(pos token.Pos, v value, what string) int {
	if _, ok := v.(*num); ok {
		ev.Fail(pos, "%s must be known when the function is compiled, as it becomes part of the kernel, but it is dynamic", what)
	}
	n := ev.staticInt(pos, v, what)
	ev.Must(n > 0, pos, "%s is %d: it must be at least 1", what, n)
	return n
}

// gridSize is an extent of the grid in 32 bits.
func (ev *evaluator) gridSize(pos token.Pos, v value, what string) simt.Operand {
	if c, ok := intConst(v); ok {
		ev.Must(c >= 0 && c <= math.MaxInt32, pos, "%s of a launch is %d: it must be in 0 to 2147483647", what, c)
	}
	if n, ok := v.(*num); ok && n.class() == simt.B64 {
		return ev.resize(n, intElem, false).op()
	}
	return ev.regOf(v, i32Elem, false)
}

// sharedMemory is what is asked for, else what the kernel's allocator took.
func (ev *evaluator) sharedMemory(l *simt.Launch, f *simt.Func, given value, used int, pos token.Pos) {
	f.Shared = used
	n, static := intConst(given)
	switch {
	case static && n == 0:
		l.Shared = simt.I(int64(used))
		return
	case static:
		if int(n) < used {
			ev.warn(pos, "the launch gives %d bytes of shared memory, but the kernel's allocator takes %d", n, used)
		}
		if int(n) > used {
			f.SharedPos = ev.position(pos)
		}
		f.Shared = max(used, int(n))
		l.Shared = simt.I(n)
		return
	}
	l.Shared = ev.gridSize(pos, given, "Smem")
}

// warn notes what is likely wrong.
func (ev *evaluator) warn(pos token.Pos, format string, args ...any) {
	if ev.in.Strict {
		ev.Fail(pos, format, args...)
	}
	ev.out = append(ev.out, "warning: "+ev.position(pos).String()+": "+fmt.Sprintf(format, args...)+"\n")
}

// kernel evaluates a kernel's body as a function of its own. It gives the host's operands for its parameters, and the
// shared memory that it takes.
func (ev *evaluator) kernel(f *simt.Func, k *bound, pos token.Pos) ([]simt.Operand, int) {
	b, fn, cur, loop := ev.b, ev.fn, ev.cur, ev.loop
	defer func() { ev.b, ev.fn, ev.cur, ev.loop = b, fn, cur, loop }()
	ev.fn = &funcState{name: f.Name}
	ev.b = ev.builder(f, b.Pos)
	ev.cur = &region{fn: ev.fn}
	ev.mod.Kernels = append(ev.mod.Kernels, f)
	host := &passing{evaluator: ev, params: map[simt.Reg]*num{}, cells: map[*cell]*cell{}}
	vals, names := make([]value, len(k.args)), k.fv.names()
	self := names[:len(names)-len(k.args)]
	for i, a := range k.args {
		vals[i] = host.argument(names[len(self)+i], a)
		ev.Must(!holdsRegs(vals[i]), pos, "a tensor in registers cannot be an argument of a kernel")
	}
	fv := *k.fv
	if fv.recv != nil {
		fv.self = host.argument(self[0], fv.self)
	}
	for i, v := range vals {
		vals[i] = ev.restore(v)
	}
	ev.inline(pos, &fv, vals)
	ev.b.Emit("ret", nil)
	f.SharedPos = ev.fn.at
	return host.args, ev.fn.smem
}

func holdsRegs(v value) bool {
	t, ok := v.(*tensor)
	return ok && t.space == rmem
}
