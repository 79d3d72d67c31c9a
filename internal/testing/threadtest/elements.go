package threadtest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// special are bits that operations make exceptions for, by width.
func special(t vec.Type) []uint64 {
	top := uint64(1) << (8*t.Bytes() - 1)
	s := []uint64{0, 1, 2, 7, 8, 9, 15, 31, 32, 63, 64, top, top - 1, top + 1, top>>1 - 1, ^uint64(0)}
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -2.5, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 65504, 1e-320, 3e38, 1e300} {
		switch t {
		case vec.F32:
			s = append(s, uint64(math.Float32bits(float32(f))))
		case vec.F64:
			s = append(s, math.Float64bits(f))
		}
	}
	return s
}

// operand gives bits that an operation takes in a place.
func operand(r *rand.Rand, in *vec.Instr, place int, t vec.Type) (bits uint64) {
	defer func() {
		if n := 8 * t.Bytes(); n < 64 {
			bits &= 1<<n - 1
		}
	}()
	switch {
	case in.Op == vec.FScale && place == 1:
		most := map[vec.Type]int{vec.F32: vec.MaxScale32, vec.F64: vec.MaxScale64}[in.Type]
		return uint64(r.IntN(2*most+1) - most)
	case in.Op == vec.FScale || in.Op == vec.ToInt:
		x := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 1, -1}[r.IntN(6)]
		if in.Op == vec.ToInt || r.IntN(2) == 0 {
			x = math.Ldexp(2*r.Float64()-1, r.IntN(31))
		}
		if t == vec.F32 {
			return uint64(math.Float32bits(float32(x)))
		}
		return math.Float64bits(x)
	case r.IntN(3) == 0:
		s := special(t)
		return s[r.IntN(len(s))]
	case t.Float() && r.IntN(2) == 0:
		x := math.Ldexp(r.NormFloat64(), r.IntN(40)-20)
		if t == vec.F32 {
			return uint64(math.Float32bits(float32(x)))
		} else if t == vec.F64 {
			return math.Float64bits(x)
		}
	}
	return r.Uint64()
}

// lanes is the number of lanes of the kernels.
const lanes = 64

// isNaN reports whether bits are no number of a type.
func isNaN(t vec.Type, bits uint64) bool {
	switch t {
	case vec.F16:
		return bits&0x7fff > 0x7c00
	case vec.F32:
		return bits&0x7fffffff > 0x7f800000
	case vec.F64:
		return bits&(1<<63-1) > 0x7ff<<52
	}
	return false
}

// RunKernel runs a kernel of one block, whose only parameter is the address of data.
type RunKernel func(t testing.TB, b *ir.Builder, data []byte)

// Elements runs each element operation with each type: with operands in registers, and with constants in each place. Package vec says
// what comes out. skip, which may be nil, leaves operations out.
func Elements(t *testing.T, skip func(in *vec.Instr) bool, run RunKernel) {
	count := 0
	for op := range vec.Table {
		op := vec.Op(op)
		if !op.Alone() || op == vec.Const || op == vec.MConst || op == vec.Move || op == vec.MMove {
			continue
		}
		for _, typ := range op.Types() {
			for _, from := range op.Froms() {
				for _, cond := range op.Conds() {
					for _, imm := range op.SomeImms(typ) {
						in := vec.Instr{Op: op, Type: typ, From: from, Cond: cond, Imm: imm}
						if meaningless(&in) || skip != nil && skip(&in) {
							continue
						}
						for _, constant := range []int{-1, 0, 1, 2} {
							element(t, in, constant, run)
							count++
						}
					}
				}
			}
		}
	}
	if least := 900; count < least && skip == nil || count < least/5 {
		t.Errorf("%d operations only", count)
	}
}

// meaningless reports conversions to the same or in the wrong direction, and conditions that floats do not have.
func meaningless(in *vec.Instr) bool {
	switch in.Op {
	case vec.SignExtend, vec.ZeroExtend:
		return in.Type <= in.From
	case vec.Truncate:
		return in.Type >= in.From
	case vec.FConvert:
		return in.Type == in.From
	case vec.FCmp:
		return in.Cond >= vec.ULT && in.Cond <= vec.UGE
	}
	return false
}

func element(t *testing.T, in vec.Instr, constant int, run RunKernel) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(in.Op)<<8|uint64(in.Type), uint64(in.Imm)))
	srcs := in.SrcClasses()
	b := ir.NewBuilder("k", lanes, []vec.Type{vec.I64})
	lane := b.Special(ir.Thread, vec.I32, 0)
	at := b.Do(vec.Add, vec.I64, b.Param(0), b.Convert(vec.ZeroExtend, vec.I64, vec.I32, b.DoImm(vec.ShlImm, vec.I32, 5, lane)))
	data := make([]byte, 32*lanes)
	var x [lanes][3]uint64
	var args []ir.Value
	for i, c := range srcs {
		if c == vec.None {
			continue
		}
		ty := in.Type
		switch {
		case c == vec.Mask:
			ty = vec.I8
		case in.From != vec.NoType:
			ty = in.From
		case in.Op == vec.Select:
			ty = in.Type
		}
		for k := range lanes {
			x[k][i] = operand(r, &in, i, ty)
			if c == vec.Mask {
				x[k][i] &= 1
			}
			if i == constant {
				x[k][i] = x[0][i]
			}
			binary.LittleEndian.PutUint64(data[32*k+8*i:], x[k][i])
		}
		var v ir.Value
		switch {
		case i == constant && c == vec.Mask:
			v = b.Bool(x[0][i] != 0)
		case i == constant:
			v = b.Const(ty, x[0][i])
		default:
			v = b.Load(ty, 1, ir.Access{At: at, Disp: int64(8 * i)})[0]
			if c == vec.Mask {
				v = b.Compare(vec.I8, vec.NE, v, b.Const(vec.I8, 0))
			}
		}
		args = append(args, v)
	}
	if constant >= len(args) {
		return
	}
	y, out := b.Elem(in, args...), in.Type
	if in.DstClass() == vec.Mask {
		out = vec.I8
		y = b.Do(vec.Select, vec.I8, y, b.Const(vec.I8, 1), b.Const(vec.I8, 0))
	}
	b.Store(out, ir.Access{At: at, Disp: 24}, y)
	run(t, b, data)
	for k := range lanes {
		got := binary.LittleEndian.Uint64(data[32*k+24:])
		var want uint64
		if in.DstClass() == vec.Mask {
			if in.Holds(x[k][0], x[k][1]) {
				want = 1
			}
		} else {
			want = in.Element(x[k][0], x[k][1], x[k][2])
		}
		if got != want && !(isNaN(in.Type, got) && isNaN(in.Type, want)) {
			t.Errorf("%s %v %v %v #%d of %#x: got %#x, want %#x\n%v", in.Op, in.Type, in.From, in.Cond, in.Imm, x[k][:len(args)], got, want, &b.Kernel)
			return
		}
	}
}
