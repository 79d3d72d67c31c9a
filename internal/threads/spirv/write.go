package spirv

import (
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// Write makes a module of a kernel, whose buffers must have their places. Variables of the module lie in one piece of memory, in which
// each has its place: where there are any, its address follows the parameters as one more. What the target cannot do is a [*ir.Refusal].
func Write(k *ir.Kernel, t Target, places map[string]int64) (c *Code, err error) {
	w := &writer{k: k, t: t, places: places, params: len(k.Params), vals: make([]spirv.ID, len(k.Classes)), vars: make([]spirv.ID, len(k.Vars)),
		matrices: map[*ir.Sums][]spirv.ID{}, c: &Code{}}
	defer func() {
		if r := recover(); r != nil {
			refusal, ok := r.(*ir.Refusal)
			if !ok {
				panic(r)
			}
			c, err = nil, refusal
		}
	}()
	w.b = newCode(spirv.New(spirv.Options{Version: t.Version, Vulkan: t.Vulkan, Exact: true}), !t.Has[spirv.CapabilityInt64])
	w.kernel()
	w.c.Module = w.b.Finish()
	w.c.Length = length(w.c.Module)
	return w.c, t.check(w.c.Module)
}

// writer writes one kernel.
type writer struct {
	k      *ir.Kernel
	t      Target
	b      *code
	c      *Code
	places map[string]int64
	params int // with the address of variables

	vals     []spirv.ID // by value
	vars     []spirv.ID // by variable, its pointer
	loops    []*loop
	exit     spirv.ID // the variable that says which loop is left, where a jump leaves more than one; 0 for none
	arrays   map[*ir.Buffer]*array
	windows  map[*ir.Buffer]int64    // by buffer in scratch memory, its place
	matrices map[*ir.Sums][]spirv.ID // the variables of cooperative matrices
	lane     spirv.ID                // the thread's number in its warp
	thread   spirv.ID
	control  spirv.ID // the address of the control block
	swap     spirv.ID // the array through which threads exchange values; 0 for none
	funcs    map[signature]spirv.ID
	loc      tileir.Loc
}

// The push constants, by their number.
const (
	pushBase    = 0
	pushKernel  = 3
	pushGrid    = 4
	pushZero    = 7
	pushControl = 8
	pushScratch = 9
	pushParams  = 10
)

func (w *writer) kernel() {
	b, u32, u64 := w.b, w.b.Uint(32), w.b.Uint(64)
	for _, m := range w.t.Modes {
		b.FloatMode(m.Mode, m.Width)
	}
	push := []spirv.ID{u32, u32, u32, u32, u32, u32, u32, u32, u64, u64}
	if len(w.places) > 0 {
		w.params++
	}
	if w.params > w.t.Inline {
		push = append(push, u64)
	} else {
		push = append(push, slices.Repeat([]spirv.ID{u64}, w.params)...)
	}
	b.PushConstants(push...)
	w.functions()
	w.memory()
	b.Kernel(w.k.Name, w.k.Threads, 1, 1)
	w.control = b.PushConstant(pushControl)
	w.number()
	w.stopped()
	for i, c := range w.k.Vars[1:] {
		w.vars[i+1] = b.Local(w.class(c))
	}
	w.k.Body.All(func(in *ir.Instr) {
		if (in.Op == ir.Break || in.Op == ir.Continue) && in.Imm > 0 && w.exit == 0 {
			w.exit = b.Local(u32)
			b.Store(w.exit, b.ConstUint(0))
		}
	})
	w.block(w.k.Body)
	b.End()
}

// number gives threads their numbers: as a subgroup has them, where the writer uses those.
func (w *writer) number() {
	b := w.b
	if !w.t.Subgroups {
		w.thread = b.BuiltIn(spirv.BuiltInLocalInvocationIndex)
		w.lane = b.Binary(spirv.OpBitwiseAnd, w.thread, b.ConstUint(uint32(w.t.Lanes-1)))
		return
	}
	w.lane = b.BuiltIn(spirv.BuiltInSubgroupLocalInvocationId)
	w.thread = w.lane
	if w.k.Threads > w.t.Lanes {
		first := b.Binary(spirv.OpIMul, b.BuiltIn(spirv.BuiltInSubgroupId), b.ConstUint(uint32(w.t.Lanes)))
		w.thread = b.Binary(spirv.OpIAdd, first, w.lane)
	}
}

// class is the type that holds values of a class.
func (w *writer) class(c vec.Class) spirv.ID {
	if c == vec.Mask {
		return w.b.Bool()
	}
	width := 8 * c.Bytes()
	if need, ok := map[int]spirv.Capability{8: spirv.CapabilityInt8, 16: spirv.CapabilityInt16}[width]; ok {
		w.b.Capability(need) // conversions alone would not need it
	}
	return w.b.Uint(width)
}

// typ is the type that holds values of a type: integers for floats, too.
func (w *writer) typ(t vec.Type) spirv.ID {
	if t == vec.NoType {
		return w.b.Bool()
	}
	return w.class(t.Class())
}

// num is a constant of a type.
func (w *writer) num(t vec.Type, n int64) spirv.ID { return w.b.Const(w.typ(t), uint64(n)) }

func log2(n int) int { return bits.TrailingZeros(uint(n)) }

func (w *writer) values(vs []ir.Value) []spirv.ID {
	out := make([]spirv.ID, len(vs))
	for i, v := range vs {
		out[i] = w.vals[v]
	}
	return out
}

func (w *writer) block(b *ir.Block) {
	for _, in := range b.Instrs {
		w.at(in.Loc)
		w.instr(in)
	}
}

// at notes the position of what comes.
func (w *writer) at(l *tileir.Loc) {
	w.loc = tileir.Loc{}
	if l != nil {
		w.loc = *l
	}
}

func (w *writer) instr(in *ir.Instr) {
	if in.Op == ir.Elem {
		w.vals[in.Dst[0]] = w.elem(in, w.values(in.Src))
		return
	}
	f := writers[in.Op]
	if f == nil {
		panic("BUG: threads: SPIR-V has no " + in.Op.String())
	}
	f(w, in)
}

// writers write the instructions that are no element operations.
var writers map[ir.Op]func(w *writer, in *ir.Instr)

func init() {
	one := func(f func(w *writer, in *ir.Instr) spirv.ID) func(w *writer, in *ir.Instr) {
		return func(w *writer, in *ir.Instr) { w.vals[in.Dst[0]] = f(w, in) }
	}
	writers = map[ir.Op]func(w *writer, in *ir.Instr){
		ir.Thread: one(func(w *writer, _ *ir.Instr) spirv.ID { return w.thread }),
		ir.BlockID: one(func(w *writer, in *ir.Instr) spirv.ID {
			here := w.b.Extract(w.b.BuiltIn(spirv.BuiltInWorkgroupId), int(in.Imm))
			return w.b.Binary(spirv.OpIAdd, here, w.b.PushConstant(pushBase+int(in.Imm)))
		}),
		ir.Grid:  one(func(w *writer, in *ir.Instr) spirv.ID { return w.b.PushConstant(pushGrid + int(in.Imm)) }),
		ir.Param: one((*writer).param), ir.Address: one((*writer).variable), ir.Window: one((*writer).window),
		ir.Quotient: one((*writer).divide), ir.Remainder: one((*writer).divide),
		ir.MaxNum: one((*writer).extremum), ir.MinNum: one((*writer).extremum), ir.Pack: one((*writer).pack), ir.Unpack: (*writer).unpack,
		ir.Get:  one(func(w *writer, in *ir.Instr) spirv.ID { return w.b.Load(w.vars[in.Vars[0]]) }),
		ir.Set:  (*writer).set,
		ir.Load: (*writer).load, ir.Store: (*writer).store, ir.Update: (*writer).update, ir.Swap: (*writer).exchange,
		ir.ZeroSums: (*writer).zeroSums, ir.LoadSum: (*writer).loadSum, ir.StoreSum: (*writer).storeSum, ir.MultiplySums: (*writer).multiplySums,
		ir.Shuffle: (*writer).shuffle, ir.From: (*writer).shuffle,
		ir.Barrier: (*writer).meet, ir.Fence: (*writer).fence,
		ir.If: (*writer).branch, ir.Loop: (*writer).loop, ir.Break: (*writer).jump, ir.Continue: (*writer).jump,
		ir.Return: func(w *writer, _ *ir.Instr) { w.b.Return() },
		ir.Print:  (*writer).print, ir.Assert: (*writer).assert,
	}
}

// argument reads the 64 bits of a parameter.
func (w *writer) argument(i int) spirv.ID {
	b := w.b
	if w.params <= w.t.Inline {
		return b.PushConstant(pushParams + i)
	}
	return b.LoadAt(b.Uint(64), b.Binary(spirv.OpIAdd, b.PushConstant(pushParams), b.Const(b.Uint(64), uint64(8*i))), 8)
}

// variable is the address of a variable of the module.
func (w *writer) variable(in *ir.Instr) spirv.ID {
	place, ok := w.places[in.Text]
	if !ok {
		panic("BUG: threads: the variable " + in.Text + " has no place")
	}
	return w.b.Binary(spirv.OpIAdd, w.argument(len(w.k.Params)), w.num(vec.I64, place))
}

func (w *writer) param(in *ir.Instr) spirv.ID {
	b, x := w.b, w.argument(int(in.Imm))
	if in.Type == vec.NoType {
		x = b.Binary(spirv.OpBitwiseAnd, x, b.Const(b.Uint(64), 1))
		return b.Compare(spirv.OpINotEqual, x, b.Const(b.Uint(64), 0))
	}
	return b.Convert(spirv.OpUConvert, w.typ(in.Type), x)
}

func (w *writer) set(in *ir.Instr) {
	for i, v := range in.Vars {
		w.b.Store(w.vars[v], w.vals[in.Src[i]])
	}
}
