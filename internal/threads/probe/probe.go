// Package probe finds out how a device computes with floats: whether its instructions round to the nearest and keep subnormal numbers, NaN
// and the signs of zeros, where its driver promises that and where it does not. It cannot prove that all results are right; what no
// promise covers, and a test of some numbers does not show, package spirv leaves to no device. It also looks for what drivers are known to
// do wrong with constants and loops, and multiplies by cooperative matrices.
package probe

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/spirv"
)

// Version changes whenever the cases do, or what kernels take for right.
const Version = "1"

const (
	cases  = 512 // of each instruction
	stride = 32  // bytes of a case: three operands and the result
	turns  = 70000
)

// Loops stands for loops, which old versions of Mesa end after 65,535 turns.
var Loops = spirv.Numeric{Do: vec.Add, Type: vec.I32}

// Kernel is a kernel of one parameter, the address of its data, with as many threads and blocks.
type Kernel struct {
	Code            *spirv.Code
	Threads, Blocks int
}

// Probe is a kernel that computes by single operations.
type Probe struct {
	Kernel
	instrs []vec.Instr
}

// Entry is the name of the kernel.
const Entry = "probe"

// New makes the kernel for a target: each operation in the form that kernels for the target have.
func New(t spirv.Target) (*Probe, error) {
	threads := max(t.Lanes, 1)
	p := &Probe{Kernel: Kernel{Threads: threads, Blocks: cases / threads}}
	for _, n := range spirv.Numerics() {
		if t.Takes(n) {
			p.instrs = append(p.instrs, Instructions(n)...)
		}
	}
	b := ir.NewBuilder(Entry, threads, []vec.Type{vec.I64})
	n := b.Do(vec.Add, vec.I32, b.Do(vec.Mul, vec.I32, b.Special(ir.BlockID, vec.I32, 0), b.Int(threads)), b.Special(ir.Thread, vec.I32, 0))
	at := b.Do(vec.Add, vec.I64, b.Param(0), b.Convert(vec.ZeroExtend, vec.I64, vec.I32, b.Do(vec.Mul, vec.I32, n, b.Int(stride))))
	for i, in := range p.instrs {
		Case(b, in, at, int64(i*cases*stride))
	}
	count := b.NewVar(vec.V32)
	b.Set([]ir.Var{count}, []ir.Value{b.Int(0)})
	b.If(b.Compare(vec.I32, vec.ULT, n, b.Int(threads)), true, func() {
		b.Loop(func() {
			b.Set([]ir.Var{count}, []ir.Value{b.Do(vec.Add, vec.I32, b.Get(count), b.Int(1))})
			b.Break(0, b.Compare(vec.I32, vec.GE, b.Get(count), b.Int(turns)))
		})
		b.Store(vec.I32, ir.Access{At: at, Disp: int64(len(p.instrs) * cases * stride)}, b.Get(count))
	}, nil)
	b.Place()
	b.Synchronise()
	var err error
	p.Code, err = spirv.Write(&b.Kernel, t, nil)
	return p, err
}

// Instructions lists the instructions of an operation. Those of [vec.Const] are choices between two constants, which pairs has.
func Instructions(n spirv.Numeric) []vec.Instr {
	var out []vec.Instr
	if n.Do == vec.Const {
		for i := range pairs {
			out = append(out, vec.Instr{Op: n.Do, Type: n.Type, Imm: int64(i)})
		}
		return out
	}
	for _, cond := range n.Do.Conds() {
		for _, imm := range n.Do.SomeImms(n.Type) {
			if n.Do != vec.FCmp || cond < vec.ULT || cond > vec.UGE {
				out = append(out, vec.Instr{Op: n.Do, Type: n.Type, From: n.From, Cond: cond, Imm: imm})
			}
		}
	}
	return out
}

// pairs are floats between whose bits kernels choose.
var pairs = [][2]float64{{-1, 0}, {0, -1}, {1, math.Copysign(0, -1)}, {math.Copysign(0, -1), 1}, {1, 0}, {-1, math.Copysign(0, -1)}, {1, -1}}

// pair gives the bits of a pair.
func pair(in *vec.Instr) (x, y uint64) {
	t := map[vec.Type]vec.Type{vec.I16: vec.F16, vec.I32: vec.F32, vec.I64: vec.F64}[in.Type]
	p := pairs[in.Imm]
	return Bits(t, p[0]), Bits(t, p[1])
}

// Case writes an instruction on the operands of a case, and stores the result behind them.
func Case(b *ir.Builder, in vec.Instr, at ir.Value, disp int64) {
	var x []ir.Value
	for i, c := range in.SrcClasses() {
		if c == vec.None {
			continue
		}
		t := in.Type
		if in.From != vec.NoType {
			t = in.From
		}
		x = append(x, load(b, t, ir.Access{At: at, Disp: disp + int64(8*i)}))
	}
	y, t := ir.Value(0), in.Type
	if in.Op == vec.Const {
		first, second := pair(&in)
		which := b.Compare(vec.I32, vec.NE, b.Load(vec.I32, 1, ir.Access{At: at, Disp: disp})[0], b.Int(0))
		y = b.Do(vec.Select, t, which, b.Const(t, first), b.Const(t, second))
	} else {
		y = b.Elem(in, x...)
	}
	if in.DstClass() == vec.Mask {
		t = vec.I32
		y = b.Do(vec.Select, t, y, b.Int(1), b.Int(0))
	}
	if t.Bytes() < 4 {
		y, t = b.Convert(vec.ZeroExtend, vec.I32, vec.IntOf(t.Bytes()), y), vec.I32
	}
	b.Store(t, ir.Access{At: at, Disp: disp + 24}, y)
}

// load reads an operand, a narrow one as a part of a word: a device may have numbers of 16 bits, but no memory of them.
func load(b *ir.Builder, t vec.Type, m ir.Access) ir.Value {
	if t.Bytes() < 4 {
		return b.Convert(vec.Truncate, vec.IntOf(t.Bytes()), vec.I32, b.Load(vec.I32, 1, m)[0])
	}
	return b.Load(t, 1, m)[0]
}

// Data gives the operands.
func (p *Probe) Data() []byte {
	data := make([]byte, (len(p.instrs)+1)*cases*stride)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range p.instrs {
		for k := range cases {
			for j, v := range Operands(r, &p.instrs[i]) {
				binary.LittleEndian.PutUint64(data[(i*cases+k)*stride+8*j:], v)
			}
		}
	}
	return data
}

// Result is the place of the first result of an operation in the data.
func (p *Probe) Result(n spirv.Numeric) int {
	if n == Loops {
		return len(p.instrs) * cases * stride
	}
	i := slices.IndexFunc(p.instrs, func(in vec.Instr) bool { return in.Op == n.Do && in.Type == n.Type && in.From == n.From })
	return i*cases*stride + 24
}

// Wrong gives the operations that the kernel has computed wrong, each with an example.
func (p *Probe) Wrong(data []byte) map[spirv.Numeric]string {
	wrong := map[spirv.Numeric]string{}
	if n := binary.LittleEndian.Uint32(data[len(p.instrs)*cases*stride:]); n != turns {
		wrong[Loops] = fmt.Sprintf("a loop of %d turns has ended after %d", turns, n)
	}
	for i := range p.instrs {
		in := &p.instrs[i]
		n := spirv.Numeric{Do: in.Op, Type: in.Type, From: in.From}
		for k := range cases {
			var x [4]uint64
			for j := range x {
				x[j] = binary.LittleEndian.Uint64(data[(i*cases+k)*stride+8*j:])
			}
			if want := Want(in, [3]uint64(x[:3])); wrong[n] == "" && !Same(in, x[3], want) {
				wrong[n] = fmt.Sprintf("%v of %#x is %#x, but should be %#x", n, x[:operands(in)], x[3], want)
			}
		}
	}
	return wrong
}

func operands(in *vec.Instr) (n int) {
	if in.Op == vec.Const {
		return 1
	}
	for _, c := range in.SrcClasses() {
		if c != vec.None {
			n++
		}
	}
	return n
}

// Want gives the bits that an instruction makes, or 1 for true.
func Want(in *vec.Instr, x [3]uint64) uint64 {
	switch {
	case in.Op == vec.Const:
		first, second := pair(in)
		if x[0] == 0 {
			return second
		}
		return first
	case in.DstClass() != vec.Mask:
		return in.Element(x[0], x[1], x[2])
	case in.Holds(x[0], x[1]):
		return 1
	}
	return 0
}

// Same reports whether results are the same. All NaN are.
func Same(in *vec.Instr, got, want uint64) bool {
	if got == want || in.DstClass() == vec.Mask || !in.Type.Float() {
		return got == want
	}
	return isNaN(in.Type, got) && isNaN(in.Type, want)
}

func isNaN(t vec.Type, bits uint64) bool {
	x := Float(t, bits)
	return x != x
}
