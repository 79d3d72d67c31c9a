package eval

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"

	"github.com/cutile-go/cutile/internal/simt"
)

// bound is a kernel with its arguments, to be launched. A receiver is the first of them.
type bound struct {
	name   string
	params []string // the names of the parameters
	args   []value
	body   func(pos token.Pos, args []value) // evaluates the kernel's statements
}

func (b *bound) describe() string { return "a call of the kernel " + b.name }

// launchConfig is a cute.Launch.
type launchConfig struct {
	grid, block, cluster [3]value
	smem, stream         value
	minBlocks            value
	after                []value
}

// config takes a cute.Launch apart.
func (em *emitter) config(v value) (c launchConfig) {
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
	c.after = em.sliceElems(field["After"])
	return c
}

// launch evaluates a kernel and writes down its launch.
func (em *emitter) launch(k *bound, v value, pos token.Pos) value {
	em.Must(em.b.Host, pos, "a launch outside of host code: only a host function launches kernels")
	c := em.config(v)
	l := &simt.Launch{}
	var block, cluster [3]int
	for i, name := range [3]string{"X", "Y", "Z"} {
		block[i] = em.positive(pos, c.block[i], "Block."+name+" of a launch")
		l.Grid[i] = em.gridSize(pos, c.grid[i], "Grid."+name)
		cluster[i] = em.staticInt(pos, c.cluster[i], "Cluster."+name+" of a launch")
	}
	threads := block[0] * block[1] * block[2]
	em.Must(threads <= 1024, pos, "a block of %d x %d x %d is %d threads: it may have 1024", block[0], block[1], block[2], threads)
	if cluster != [3]int{} {
		n := cluster[0] * cluster[1] * cluster[2]
		em.Must(n > 0 && n <= 16, pos, "a cluster of %d x %d x %d blocks: each extent must be positive, and there may be 16 blocks", cluster[0], cluster[1], cluster[2])
	}
	f := &simt.Func{
		Name: fmt.Sprintf("kernel_%s_%d", em.mod.Name, len(em.mod.Kernels)), Block: block, Cluster: cluster,
		MinBlocks: em.staticInt(pos, c.minBlocks, "MinBlocksPerSM"),
	}
	l.Kernel = f.Name
	args, used := em.kernel(f, k, pos)
	for i, a := range args { // a truth value that the host function computes is a predicate, its parameter a number
		if a.Kind == simt.Register && em.b.Func.Regs[a.Reg] == simt.Pred {
			args[i] = em.b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), a)
		}
	}
	em.sharedMemory(l, f, c.smem, used, pos)
	if !isStatic(c.stream) {
		l.Stream = em.inReg(c.stream, u64Elem)
	}
	for _, t := range c.after {
		l.After = append(l.After, em.inReg(t, u64Elem))
	}
	l.Async = l.Stream.Kind != simt.None || len(l.After) > 0
	in := em.b.Emit(simt.OpLaunch, nil, args...)
	in.Launch = l
	if !l.Async {
		return constant.MakeInt64(0)
	}
	token := em.newNum(u64Elem)
	in.Dst = []simt.Operand{token.op()}
	return token
}

func (em *emitter) positive(pos token.Pos, v value, what string) int {
	if _, ok := v.(*num); ok {
		em.Fail(pos, "%s must be known when the function is compiled, as it becomes part of the kernel, but it is dynamic", what)
	}
	n := em.staticInt(pos, v, what)
	em.Must(n > 0, pos, "%s is %d: it must be at least 1", what, n)
	return n
}

// gridSize is an extent of the grid in 32 bits.
func (em *emitter) gridSize(pos token.Pos, v value, what string) simt.Operand {
	if c, ok := intConst(v); ok {
		em.Must(c >= 0 && c <= math.MaxInt32, pos, "%s of a launch is %d: it must be in 0 to 2147483647", what, c)
	}
	if n, ok := v.(*num); ok && n.class() == simt.B64 {
		return em.resize(n, intElem, false).op()
	}
	return em.regOf(v, i32Elem, false)
}

// sharedMemory is what is asked for, else what the kernel's allocator took.
func (em *emitter) sharedMemory(l *simt.Launch, f *simt.Func, given value, used int, pos token.Pos) {
	f.Shared = used
	n, static := intConst(given)
	switch {
	case static && n == 0:
		l.Shared = simt.I(int64(used))
		return
	case static:
		if int(n) < used {
			em.warn(pos, "the launch gives %d bytes of shared memory, but the kernel's allocator takes %d", n, used)
		}
		if int(n) > used {
			f.SharedPos = em.position(pos)
		}
		f.Shared = max(used, int(n))
		l.Shared = simt.I(n)
		return
	}
	l.Shared = em.gridSize(pos, given, "Smem")
}

// warn notes what is likely wrong.
func (em *emitter) warn(pos token.Pos, format string, args ...any) {
	if em.opts.Strict {
		em.Fail(pos, format, args...)
	}
	em.out = append(em.out, "warning: "+em.position(pos).String()+": "+fmt.Sprintf(format, args...)+"\n")
}

// kernel evaluates a kernel's body as a function of its own. It gives the host's operands for its parameters, and the
// shared memory that it takes.
func (em *emitter) kernel(f *simt.Func, k *bound, pos token.Pos) ([]simt.Operand, int) {
	b, fn, cur, loop := em.b, em.fn, em.cur, em.loop
	defer func() { em.b, em.fn, em.cur, em.loop = b, fn, cur, loop }()
	em.fn = &funcState{name: f.Name}
	em.b = em.builder(f, b.Pos)
	em.cur = &region{fn: em.fn}
	em.mod.Kernels = append(em.mod.Kernels, f)
	host := &passing{emitter: em, params: map[simt.Reg]*num{}, cells: map[*cell]*cell{}}
	vals := make([]value, len(k.args))
	for i, a := range k.args {
		vals[i] = host.argument(k.params[i], a)
		em.Must(!holdsRegs(vals[i]), pos, "a tensor in registers cannot be an argument of a kernel")
	}
	k.body(pos, vals)
	em.b.Emit("ret", nil)
	f.SharedPos = em.fn.at
	return host.args, em.fn.smem
}

func holdsRegs(v value) bool {
	t, ok := v.(*tensor)
	return ok && t.space == rmem
}
