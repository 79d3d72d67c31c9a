package emit

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"

	"github.com/cutile-go/cutile/internal/simt"
)

// Bound is a kernel with its arguments, ready to be launched. A receiver is the first of the
// arguments.
type Bound struct {
	Name   string
	Params []string // the names of the parameters
	Args   []Value
	Body   func(pos token.Pos, args []Value) // evaluates the kernel's statements
}

// Describe implements [Described].
func (b *Bound) Describe() string { return "a call of the kernel " + b.Name }

// launchConfig holds the fields of a cute.Launch.
type launchConfig struct {
	grid, block, cluster [3]Value
	smem, stream         Value
	minBlocks            Value
	cooperative, pdl     Value
	after                []Value
}

// config takes a cute.Launch apart.
func (em *Emitter) config(v Value) (c launchConfig) {
	s := v.(*Struct)
	field := map[string]Value{}
	for i := range s.Type.NumFields() {
		field[s.Type.Field(i).Name()] = s.Fields[i]
	}
	dims := func(name string) (d [3]Value) {
		copy(d[:], field[name].(*Struct).Fields)
		return d
	}
	orOne := func(d [3]Value) [3]Value { // an extent that is not given is 1
		for _, v := range d {
			if n, ok := IntConst(v); !ok || n != 0 {
				return d
			}
		}
		return [3]Value{Number(1), Number(1), Number(1)}
	}
	c = launchConfig{grid: orOne(dims("Grid")), block: orOne(dims("Block")), cluster: dims("Cluster"), smem: field["Smem"], stream: field["Stream"], minBlocks: field["MinBlocksPerSM"],
		cooperative: field["Cooperative"], pdl: field["PDL"]}
	c.after = em.SliceElems(field["After"])
	return c
}

// Launch evaluates a kernel as a function of its own and writes its launch.
//
// The block and the cluster become part of the kernel's code, so they must be static. The grid need
// not be.
func (em *Emitter) Launch(k *Bound, v Value, pos token.Pos) Value {
	em.Must(em.B.Host, pos, "this launches a kernel from a kernel: only a host function can launch kernels")
	c := em.config(v)
	l := &simt.Launch{}
	var block, cluster [3]int
	for i, name := range [3]string{"X", "Y", "Z"} {
		block[i] = em.positive(pos, c.block[i], "Block."+name+" of a launch")
		l.Grid[i] = em.size(pos, c.grid[i], "Grid."+name, simt.MaxGrid[i])
		cluster[i] = em.StaticInt(pos, c.cluster[i], "Cluster."+name+" of a launch")
	}
	minBlocks := em.StaticInt(pos, c.minBlocks, "MinBlocksPerSM")
	em.allowed(pos, simt.CheckBlock(block))
	if cluster != [3]int{} {
		em.allowed(pos, simt.CheckCluster(cluster))
	}
	em.allowed(pos, simt.CheckResident(minBlocks))
	f := &simt.Func{
		Name: fmt.Sprintf("kernel_%s_%d", em.mod.Name, len(em.mod.Kernels)), Source: k.Name, Block: block, Cluster: cluster, MinBlocks: minBlocks,
		LaunchPos: em.position(pos),
	}
	l.Kernel = f.Name
	l.Cooperative = em.StaticBool(pos, c.cooperative, "Cooperative of a launch")
	l.PDL = em.StaticBool(pos, c.pdl, "PDL of a launch")
	// Each launch evaluates the kernel again, as its static arguments may be others.
	args, used := em.kernel(f, k, l.Cooperative, pos)
	em.Must(!l.PDL || simt.WaitsForGrid(f), pos, "the launch may start %s before the kernel before it has ended (PDL), so %[1]s must call cute.GridWait on every path, but does not", k.Name)
	// A truth value that the host function computes is in a predicate, but PTX has no parameters of
	// predicates: the parameter is a number.
	for i, a := range args {
		if a.Kind == simt.Register && em.B.Func.Regs[a.Reg] == simt.Pred {
			args[i] = em.B.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), a)
		}
	}
	em.sharedMemory(l, f, c.smem, used, pos)
	if !IsStatic(c.stream) {
		l.Stream = em.InReg(c.stream, U64)
	}
	for _, t := range c.after {
		l.After = append(l.After, em.InReg(t, U64))
	}
	// A launch with a stream or with tokens gives a token itself.
	l.Async = l.Stream.Kind != simt.None || len(l.After) > 0
	in := em.B.Emit(simt.OpLaunch, nil, args...)
	in.Launch = l
	if !l.Async {
		return constant.MakeInt64(0)
	}
	token := em.NewNum(U64)
	in.Dst = []simt.Operand{token.Op()}
	return token
}

// allowed fails with what a launch cannot be, if it is that.
func (em *Emitter) allowed(pos token.Pos, err error) {
	if err != nil {
		em.Fail(pos, "%v", err)
	}
}

// positive gives a number of a launch that must be static and at least 1.
func (em *Emitter) positive(pos token.Pos, v Value, what string) int {
	if _, ok := v.(*Num); ok {
		em.Fail(pos, "%s must be known when the function is compiled, as it becomes part of the kernel, but it is dynamic", what)
	}
	n := em.StaticInt(pos, v, what)
	em.Must(n > 0, pos, "%s is %d: it must be at least 1", what, n)
	return n
}

// size is an extent of the grid, or a number of bytes, of at most limit. All of its bits are kept, so that the launch can look at
// what is not known here.
func (em *Emitter) size(pos token.Pos, v Value, what string, limit int64) simt.Operand {
	if c, ok := IntConst(v); ok {
		em.Must(c >= 0 && c <= limit, pos, "%s of a launch is %d: it must be in 0 to %d", what, c, limit)
	}
	n, ok := v.(*Num)
	if ok && n.Class() == simt.B64 {
		return n.Op()
	}
	if ok && n.Elem != Int {
		v = em.Convert(n, n.Elem, Int)
	}
	return em.RegOf(v, Int, true)
}

// sharedMemory sets the bytes of shared memory of a launch: those which the launch asks for, else
// those which the kernel's allocator took. The kernel is compiled for the larger number of the two.
func (em *Emitter) sharedMemory(l *simt.Launch, f *simt.Func, given Value, used int, pos token.Pos) {
	f.Shared = used
	n, static := IntConst(given)
	switch {
	case static && n == 0:
		l.Shared = simt.I(int64(used))
		return
	case static:
		em.Must(n > 0, pos, "Smem of a launch is %d: it must be the bytes of dynamic shared memory, or 0 for the %d that the kernel's allocator takes", n, used)
		if int(n) < used {
			em.warn(pos, "the launch gives %d bytes of shared memory, but the kernel's allocator takes %d", n, used)
		}
		if int(n) > used {
			// The launch asks for more than the allocator took, so a message about shared memory
			// names the launch.
			f.SharedPos = em.position(pos)
		}
		f.Shared = max(used, int(n))
		l.Shared = simt.I(n)
		return
	}
	l.Shared = em.size(pos, given, "Smem", math.MaxInt32)
}

// warn adds a warning to what the compiler prints. It is a mistake if the options are strict.
func (em *Emitter) warn(pos token.Pos, format string, args ...any) {
	if em.Opts.Strict {
		em.Fail(pos, format, args...)
	}
	em.out = append(em.out, "warning: "+em.position(pos).String()+": "+fmt.Sprintf(format, args...)+"\n")
}

// kernel evaluates a kernel's body as a function of its own. It returns the operands of the host
// function for the kernel's parameters, and the bytes of shared memory that the kernel takes. The
// state of the host function is put aside meanwhile.
func (em *Emitter) kernel(f *simt.Func, k *Bound, cooperative bool, pos token.Pos) ([]simt.Operand, int) {
	b, fn, cur, loop := em.B, em.Fn, em.Cur, em.Loop
	defer func() { em.B, em.Fn, em.Cur, em.Loop = b, fn, cur, loop }()
	em.Fn = &FuncState{name: f.Name, Cooperative: cooperative}
	em.B = em.builder(f, b.Pos)
	em.Cur = &Region{Fn: em.Fn}
	// The kernel belongs to the module before its body is evaluated, as a rollback takes kernels
	// back by their number.
	em.mod.Kernels = append(em.mod.Kernels, f)
	// Arguments are passed before the body is evaluated, so that the parameters have the order of
	// the arguments.
	host := &passing{Emitter: em, params: map[simt.Reg]*Num{}, cells: map[*Cell]*Cell{}}
	vals := make([]Value, len(k.Args))
	for i, a := range k.Args {
		vals[i] = host.argument(k.Params[i], a)
		em.Must(!holdsRegs(vals[i]), pos, "a tensor in registers cannot be an argument of a kernel")
	}
	k.Body(pos, vals)
	em.B.Emit("ret", nil)
	// A mistake about shared memory names the largest tensor in it.
	f.SharedPos = em.Fn.At
	return host.args, em.Fn.Smem
}

// holdsRegs reports whether a value is a tensor in registers, which belong to one function.
func holdsRegs(v Value) bool {
	t, ok := v.(*Tensor)
	return ok && t.Space == Rmem
}
