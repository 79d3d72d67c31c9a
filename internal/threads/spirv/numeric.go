package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// Numeric is an operation that devices may compute in a way of their own: one on floats, or [vec.Const] of integers of 16, 32 or 64 bits,
// which stands for all constants of the width.
type Numeric struct {
	Do         vec.Op
	Type, From vec.Type
}

// String is "fadd f32" or "fconvert f16 f32".
func (n Numeric) String() string {
	s := n.Do.String() + " " + n.Type.String()
	if n.From != vec.NoType {
		s += " " + n.From.String()
	}
	return s
}

// Numerics lists the operations that compute with floats.
func Numerics() []Numeric {
	var out []Numeric
	for op := range vec.Table {
		op := vec.Op(op)
		if elems[op].soft == nil {
			continue
		}
		types := op.Types()
		if op == vec.Const {
			types = []vec.Type{vec.I16, vec.I32, vec.I64}
		}
		for _, t := range types {
			for _, from := range op.Froms() {
				if t != from {
					out = append(out, Numeric{op, t, from})
				}
			}
		}
	}
	return out
}

// Soft reports whether the operation is computed in integers on every device.
func (n Numeric) Soft() bool {
	f := elems[n.Do]
	return f.write == nil || f.wide && n.Type == vec.F64
}

// Takes reports whether kernels for the target may have an operation: those with numbers of 16 bits need integers of as many.
func (t *Target) Takes(n Numeric) bool {
	return n.Type.Bytes() != 2 && (n.From == vec.NoType || n.From.Bytes() != 2) || t.Has[spirv.CapabilityInt16]
}

// soft reports whether an operation is computed in integers on the target.
func (t *Target) soft(n Numeric) bool {
	switch {
	case elems[n.Do].soft == nil:
		return false
	case n.Do == vec.Const:
		return t.Soft[Numeric{Do: n.Do, Type: vec.IntOf(n.Type.Bytes())}]
	}
	has := func(f vec.Type, c spirv.Capability) bool { return n.Type != f && n.From != f || t.Has[c] }
	return n.Soft() || t.Soft[n] || !has(vec.F64, spirv.CapabilityFloat64) || !has(vec.F16, spirv.CapabilityFloat16) ||
		!has(vec.I64, spirv.CapabilityInt64) || elems[n.Do].wide && !t.Has[spirv.CapabilityFloat64]
}

// Length is about how many instructions of SPIR-V an instruction becomes.
func (t *Target) Length(in *ir.Instr) int {
	switch in.Op {
	case ir.Elem:
	case ir.MultiplySums: // each thread has so many sums of a matrix, and software writes out the products of each
		n := len(in.Steps) * max(1, in.Sums.Unit.M*in.Sums.Unit.N/t.Lanes)
		if t.Software {
			n *= softwareProducts * in.Sums.Unit.K
		}
		return n
	default:
		return 1
	}
	long, soft := elems[in.Do].long, t.soft(Numeric{in.Do, in.Type, in.From})
	n := max(1, long[0])
	if soft {
		n = max(1, long[1])
	}
	if !t.Has[spirv.CapabilityInt64] && (soft || in.Type.Bytes() == 8) {
		n *= pairLength
	}
	return n
}

// softwareProducts is about how many instructions a product of two elements of cooperative matrices becomes on Mesa's software driver.
const softwareProducts = 8

// pairLength is about how many instructions one on integers of 64 bits becomes where the device has none.
const pairLength = 4

// signature tells functions of element operations apart.
type signature struct {
	Numeric
	cond vec.Cond
	imm  int64
}

func signatureOf(in *ir.Instr) signature {
	return signature{Numeric{in.Do, in.Type, in.From}, in.Cond, in.Imm}
}

// elem writes an element operation.
func (w *writer) elem(in *ir.Instr, x []spirv.ID) spirv.ID {
	f, ok := elems[in.Do]
	if !ok {
		panic("BUG: threads: SPIR-V has no " + in.Do.String())
	}
	if s := signatureOf(in); w.isFunction(s) {
		return w.b.Call(w.funcs[s], x...)
	} else if f.soft != nil && w.t.soft(s.Numeric) {
		return f.soft(w, in, x)
	}
	return f.write(w, in, x)
}

// hidden is a constant that is -1 or -0 if it is a float, made of a push constant that is 0, so that drivers do not know it.
func (w *writer) hidden(in *ir.Instr, _ []spirv.ID) spirv.ID {
	o, l := words{w, in.Type}, layouts[map[int]vec.Type{2: vec.F16, 4: vec.F32, 8: vec.F64}[in.Type.Bytes()]]
	sign := int64(-1) << (8*in.Type.Bytes() - 1)
	for _, bits := range []int64{sign, sign | l.bias<<l.mantissa} {
		if uint64(bits^in.Imm)<<(64-8*in.Type.Bytes()) == 0 {
			zero := w.b.Convert(spirv.OpUConvert, w.typ(in.Type), w.b.PushConstant(pushZero))
			return o.xor(o.n(in.Imm), zero)
		}
	}
	return w.num(in.Type, in.Imm)
}

// isFunction reports whether an operation is a function.
func (w *writer) isFunction(s signature) bool {
	f := elems[s.Do]
	return f.soft != nil && !f.plain && (f.apart || w.t.soft(s.Numeric))
}

// functions writes the functions that the kernel calls.
func (w *writer) functions() {
	w.funcs = map[signature]spirv.ID{}
	w.k.Body.All(func(in *ir.Instr) {
		divides := in.Op == ir.Elem && in.Do == vec.FDiv || (in.Op == ir.Quotient || in.Op == ir.Remainder) && in.Type == vec.I64
		if divides && w.b.pairs && w.b.divide == 0 {
			w.b.dividePairs()
		}
	})
	w.k.Body.All(func(in *ir.Instr) {
		w.at(in.Loc)
		switch {
		case in.Op == ir.Elem:
			w.function(in)
		case in.Op == ir.Update && in.Change.Mode == tileir.AtomicAddF:
			for _, part := range sums[in.Change.Elem] {
				w.function(part.instr())
			}
		}
	})
}

// function writes the function of an operation, if it is one.
func (w *writer) function(in *ir.Instr) {
	s := signatureOf(in)
	if w.funcs[s] != 0 || !w.isFunction(s) {
		return
	}
	v := vec.Instr{Op: in.Do, Type: in.Type, From: in.From, Cond: in.Cond, Imm: in.Imm}
	var params []spirv.ID
	for _, c := range v.SrcClasses() {
		if c != vec.None {
			params = append(params, w.class(c))
		}
	}
	id, x := w.b.Function(s.String(), w.class(v.DstClass()), params...)
	write := elems[in.Do].write
	if w.t.soft(s.Numeric) {
		write = elems[in.Do].soft
	}
	w.b.Return(write(w, in, x))
	w.b.End()
	w.funcs[s] = id
}

// instr is an operation on values that the instruction does not name.
func (n Numeric) instr() *ir.Instr {
	return &ir.Instr{Op: ir.Elem, Do: n.Do, Type: n.Type, From: n.From}
}

// do writes an operation on values.
func (w *writer) do(n Numeric, x ...spirv.ID) spirv.ID { return w.elem(n.instr(), x) }
