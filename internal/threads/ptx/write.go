package ptx

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// Write makes a kernel of the SIMT IR for an architecture, for debuggers with functions and variables of the source. Buffers must have their places.
func Write(k *ir.Kernel, arch simt.Arch, debug bool) *simt.Func {
	w := &writer{k: k, arch: arch, regs: make([]simt.Reg, len(k.Classes)), consts: map[ir.Value]simt.Operand{}}
	if debug {
		w.scopes = newCallScopes(k)
	}
	w.f = &simt.Func{Name: k.Name, Source: k.Name, Block: [3]int{blockSize(k), 1, 1}, Shared: (k.Shared + 15) / 16 * 16}
	for i := range w.regs {
		w.regs[i] = simt.NoReg
	}
	for i, t := range k.Params {
		w.f.Params = append(w.f.Params, simt.Param{Name: paramName(i), Type: fmt.Sprintf("u%d", max(8, 8*t.Bytes()))})
	}
	w.tensors()
	w.vars = make([]simt.Reg, len(k.Vars))
	for i, c := range k.Vars[1:] {
		w.vars[i+1] = w.newReg(classes[c])
	}
	w.shared = make([]map[ir.Value]simt.Operand, 1)
	w.coalesce()
	w.b.Func = w.f
	count := 0
	k.Body.All(func(in *ir.Instr) {
		count++
		w.groups = w.groups || in.Op == ir.MultiplyGroup
	})
	room := make([]simt.Instr, headRoom, headRoom+count+count/4)
	w.f.Body = room[headRoom:]
	w.block(k.Body)
	w.emit("ret", nil)
	w.f.Body = before(w.head, w.f.Body, room)
	if multiplies(k) { // else ptxas may give threads few registers, and save others, so that more blocks run at a time
		w.f.MinBlocks = 1
	}
	return w.f
}

// warpLanes is the number of lanes of a warp.
const warpLanes = 32

// blockSize is the number of threads of a block, with the producer's.
func blockSize(k *ir.Kernel) int {
	if k.Producer {
		return k.Threads + warpLanes
	}
	return k.Threads
}

// headRoom is room for the constants in front of a body.
const headRoom = 64

// before puts instructions in front of a body, which begins behind the room for them unless it grew out of its own.
func before(head, body, room []simt.Instr) []simt.Instr {
	whole := room[:cap(room)]
	if len(head) > headRoom || headRoom+len(body) > len(whole) || &whole[headRoom] != &body[0] {
		return append(head, body...)
	}
	first := headRoom - len(head)
	copy(whole[first:], head)
	return whole[first : headRoom+len(body) : headRoom+len(body)]
}

// multiplies reports whether a kernel has matrix instructions.
func multiplies(k *ir.Kernel) (yes bool) {
	k.Body.All(func(in *ir.Instr) { yes = yes || in.Unit != nil })
	return yes
}

func paramName(i int) string { return fmt.Sprintf("arg%d", i) }

var classes = [...]simt.Class{vec.Mask: simt.Pred, vec.V8: simt.B16, vec.V16: simt.B16, vec.V32: simt.B32, vec.V64: simt.B64}

// writer writes one kernel.
type writer struct {
	k    *ir.Kernel
	f    *simt.Func
	b    simt.Builder
	arch simt.Arch

	regs   []simt.Reg                // by value
	vars   []simt.Reg                // by variable
	consts map[ir.Value]simt.Operand // of constants, their bits
	head   []simt.Instr              // constants in registers, before all else
	held   map[ir.Value]simt.Operand // by constant that needs a register
	shared []map[ir.Value]simt.Operand
	loops  []labels
	home   []ir.Var       // by value: the variable in whose register it lies, or 0
	true   *simt.Operand  // a predicate
	one    simt.Operand   // a predicate that one thread of the block has, where products are in tensor memory
	leader simt.Operand   // a predicate that the first lane of each warp has, where there is a producer
	maps   []simt.Operand // by tensor: the address of its parameter
	groups bool           // there are products of warp groups
	pos    token.Position
	scope  *simt.Scope
	scopes *callScopes    // nil if nobody wants to know the functions
	room   []simt.Operand // for operands to come
}

// labels are those of a loop.
type labels struct{ next, end int }

func (w *writer) newReg(c simt.Class) simt.Reg {
	w.f.Regs = append(w.f.Regs, c)
	return simt.Reg(len(w.f.Regs) - 1)
}

func (w *writer) temp(c simt.Class) simt.Operand { return simt.R(w.newReg(c)) }

func (w *writer) emit(op string, dst []simt.Operand, src ...simt.Operand) *simt.Instr {
	w.at()
	return w.b.Emit(op, w.list(dst), w.list(src)...)
}

// list gives operands room of their own, many at once.
func (w *writer) list(ops []simt.Operand) []simt.Operand {
	n := len(ops)
	if n == 0 {
		return nil
	}
	if n > len(w.room) {
		w.room = make([]simt.Operand, max(n, 256))
	}
	out := w.room[:n:n]
	w.room = w.room[n:]
	copy(out, ops)
	return out
}

// to emits an instruction with one result.
func (w *writer) to(dst simt.Operand, op string, src ...simt.Operand) simt.Operand {
	w.emit(op, []simt.Operand{dst}, src...)
	return dst
}

// make emits an instruction with one result in a new register.
func (w *writer) make(c simt.Class, op string, src ...simt.Operand) simt.Operand {
	return w.to(w.temp(c), op, src...)
}

// result is the register of a value that is assigned now.
func (w *writer) result(v ir.Value) simt.Operand {
	if home := w.home[v]; home != 0 {
		w.regs[v] = w.vars[home]
	} else if w.regs[v] == simt.NoReg {
		w.regs[v] = w.newReg(classes[w.k.Class(v)])
	}
	return simt.R(w.regs[v])
}

// use is a value as an operand that may be an immediate.
func (w *writer) use(v ir.Value) simt.Operand {
	if c, ok := w.consts[v]; ok {
		return c
	}
	return simt.R(w.regs[v])
}

// reg is a value as an operand that must be a register.
func (w *writer) reg(v ir.Value) simt.Operand {
	c, ok := w.consts[v]
	if !ok {
		return simt.R(w.regs[v])
	}
	if r, ok := w.held[v]; ok {
		return r
	}
	class := classes[w.k.Class(v)]
	r := w.temp(class)
	w.head = append(w.head, simt.Instr{Op: "mov." + class.String(), Dst: []simt.Operand{r}, Src: []simt.Operand{c}, Guard: simt.NoReg})
	if w.held == nil {
		w.held = map[ir.Value]simt.Operand{}
	}
	w.held[v] = r
	return r
}

func (w *writer) block(b *ir.Block) {
	w.shared = append(w.shared, map[ir.Value]simt.Operand{})
	for i, in := range b.Instrs {
		w.pos, w.scope = position(in.Loc), w.scopes.of(in.Loc)
		w.instr(in, i == len(b.Instrs)-1)
	}
	w.shared = w.shared[:len(w.shared)-1]
}

// at gives what follows the position of the present instruction.
func (w *writer) at() { w.b.Pos, w.b.Scope = w.pos, w.scope }

func position(l *tileir.Loc) token.Position {
	if l == nil {
		return token.Position{}
	}
	return token.Position{Filename: l.File, Line: l.Line, Column: l.Col}
}

// instr writes an instruction; last says that its block ends behind it.
func (w *writer) instr(in *ir.Instr, last bool) {
	switch in.Op {
	case ir.Elem:
		w.elem(in)
	case ir.If:
		w.branch(in)
	case ir.Part:
		w.part(in)
	case ir.Loop:
		w.loop(in)
	case ir.Break, ir.Continue:
		w.jump(in)
	default:
		f := writers[in.Op]
		if f == nil {
			panic("BUG: threads: PTX has no " + in.Op.String())
		}
		f(w, in)
	}
}

// writers write the instructions that are neither element operations nor control flow.
var writers map[ir.Op]func(w *writer, in *ir.Instr)

func init() {
	special := func(name string) func(w *writer, in *ir.Instr) {
		return func(w *writer, in *ir.Instr) {
			r := name
			if in.Op != ir.Thread {
				r += "." + string("xyz"[in.Imm])
			}
			w.to(w.result(in.Dst[0]), "mov.u32", simt.S(r))
		}
	}
	writers = map[ir.Op]func(w *writer, in *ir.Instr){
		ir.Thread: special("%tid.x"), ir.BlockID: special("%ctaid"), ir.Grid: special("%nctaid"),
		ir.Address: func(w *writer, in *ir.Instr) { w.to(w.result(in.Dst[0]), "mov.u64", simt.Sym(in.Text)) },
		ir.Window:  (*writer).window,
		ir.Param:   (*writer).param, ir.Quotient: (*writer).divide, ir.Remainder: (*writer).divide,
		ir.MaxNum: (*writer).extremum, ir.MinNum: (*writer).extremum, ir.Pack: (*writer).pack, ir.Unpack: (*writer).unpack,
		ir.MulWide: (*writer).wide, ir.MadWide: (*writer).wide,
		ir.BFloat: narrow("cvt.rn.bf16.f32"), ir.BFloats: narrow("cvt.rn.bf16x2.f32"), ir.Halves: narrow("cvt.rn.f16x2.f32"),
		ir.Widen: (*writer).widen, ir.Float8: (*writer).float8, ir.Floats8: (*writer).float8,
		ir.Get: (*writer).get, ir.Set: (*writer).set,
		ir.Load: (*writer).load, ir.Store: (*writer).store, ir.Update: (*writer).update, ir.Swap: (*writer).swap,
		ir.Shuffle: (*writer).shuffle, ir.From: (*writer).from,
		ir.Barrier:  (*writer).barrier,
		ir.Fence:    (*writer).fence,
		ir.Return:   func(w *writer, in *ir.Instr) { w.emit("ret", nil) },
		ir.Multiply: (*writer).multiply, ir.LoadMatrix: (*writer).loadMatrix, ir.CopyAsync: (*writer).copyAsync,
		ir.Commit:       func(w *writer, in *ir.Instr) { w.emit("cp.async.commit_group", nil) },
		ir.WaitGroup:    func(w *writer, in *ir.Instr) { w.emit("cp.async.wait_group", nil, simt.I(in.Imm)) },
		ir.InitCounters: (*writer).counters, ir.DropCounters: (*writer).counters, ir.ExpectBytes: (*writer).expectBytes,
		ir.CopyBox: (*writer).copyBox, ir.AwaitBytes: (*writer).awaitBytes, ir.Arrive: (*writer).arrive,
		ir.MultiplyGroup: (*writer).multiplyGroup,
		ir.WaitMultiply:  func(w *writer, in *ir.Instr) { w.emit("wgmma.wait_group.sync.aligned", nil, simt.I(in.Imm)) },
		ir.FenceAsync:    (*writer).fenceAsync,
		ir.StoreBox:      (*writer).storeBox, ir.WaitBoxes: (*writer).waitBoxes,
		ir.CommitBoxes: func(w *writer, in *ir.Instr) { w.emit("cp.async.bulk.commit_group", nil) },
		ir.TensorInit:  (*writer).tensorInit, ir.TensorFree: (*writer).tensorFree,
		ir.MultiplyTensor: (*writer).multiplyTensor, ir.CommitTensor: (*writer).commitTensor, ir.WaitTensor: (*writer).awaitBytes,
		ir.TensorLoad: (*writer).tensorLoad, ir.TensorStore: (*writer).tensorStore,
		ir.Observe: (*writer).observe,
		ir.Print:   (*writer).print, ir.Assert: (*writer).assert,
	}
}

// barrier writes a barrier of the block or of the warp.
func (w *writer) barrier(in *ir.Instr) {
	if in.Imm != 0 {
		w.emit("bar.warp.sync", nil, simt.I(-1))
		return
	}
	if w.k.Producer { // which takes no part
		w.emit("bar.sync", nil, simt.I(0), simt.I(int64(w.k.Threads)))
		return
	}
	w.emit("bar.sync", nil, simt.I(0))
}

func (w *writer) param(in *ir.Instr) {
	t := in.Type
	if t == vec.NoType { // a truth value is a byte
		x := w.make(simt.B16, "ld.param.b8", simt.AtName(paramName(int(in.Imm)), 0))
		x = w.make(simt.B16, "and.b16", x, simt.I(1))
		w.to(w.result(in.Dst[0]), "setp.ne.s16", x, simt.I(0))
		return
	}
	w.to(w.result(in.Dst[0]), fmt.Sprintf("ld.param.b%d", 8*t.Bytes()), simt.AtName(paramName(int(in.Imm)), 0))
}

func (w *writer) print(in *ir.Instr) {
	var src []simt.Operand
	for _, v := range in.Src {
		src = append(src, w.reg(v))
	}
	w.emit(simt.OpPrintf, nil, src...).Text = in.Text
}

// assert calls the driver's function, whose name for a number that is divided by zero is not worth what a call costs in a kernel with products
// of warp groups: ptxas lets these overlap with nothing then (its advisory C7510). Such a kernel traps.
func (w *writer) assert(in *ir.Instr) {
	if w.groups && in.Text == ir.DivisionByZero {
		trap := w.emit("trap", nil)
		trap.Guard, trap.Unless = w.reg(in.Src[0]).Reg, true
		return
	}
	w.emit(simt.OpAssert, nil, w.reg(in.Src[0])).Text = strings.TrimPrefix(in.Text, "assertion failed: ") // which drivers say themselves
}
