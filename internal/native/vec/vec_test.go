package vec_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
)

// addr is the address of a slice's first element as a frame's word.
func addr[T any](s []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }

// TestSum runs a loop with a carried vector, a branch and a fold of lanes.
func TestSum(t *testing.T) {
	b := vec.NewBuilder("sum")
	src, dst, n := b.Arg(0), b.Arg(1), b.Arg(2)
	acc := b.Bits(vec.F32, 0)
	zero := b.Int(0)
	i := b.For(zero, n, vec.Lanes)
	left := b.Do(vec.SSub, vec.NoType, n, i)
	x := b.Load(vec.F32, vec.Mem{Base: src, Index: i, Scale: 4}, b.Do(vec.MFirst, vec.NoType, left))
	b.Set(acc, b.Do(vec.FAdd, vec.F32, acc, x))
	b.End()
	for d := int64(8); d > 0; d /= 2 {
		b.Set(acc, b.Do(vec.FAdd, vec.F32, acc, b.DoImm(vec.Down, vec.F32, d, acc)))
	}
	b.If(vec.GT, n, zero)
	b.Emit(vec.Instr{Op: vec.StoreOne, Type: vec.F32, Src: [3]vec.Reg{acc}, Mem: vec.Mem{Base: dst}})
	b.Else()
	b.Emit(vec.Instr{Op: vec.Return, Imm: 7})
	b.End()
	f := b.Finish()
	in, out := make([]float32, 100), make([]float32, 1)
	want := float32(0)
	for i := range in {
		in[i] = float32(i)
		want += in[i]
	}
	if status := vec.Eval(f, []uint64{addr(in), addr(out), uint64(len(in))}); status != 0 || out[0] != want {
		t.Errorf("status %d, sum %g, want %g\n%s", status, out[0], want, f)
	}
	if status := vec.Eval(f, []uint64{addr(in), addr(out), 0}); status != 7 {
		t.Errorf("status of an empty sum is %d", status)
	}
}

// TestFMA32 compares with exact arithmetic, also where two roundings would differ from one.
func TestFMA32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	exact := func(a, b, c float32) float32 {
		x := new(big.Float).SetPrec(1000).SetFloat64(float64(a))
		x.Mul(x, big.NewFloat(float64(b)))
		x.Add(x, new(big.Float).SetPrec(1000).SetFloat64(float64(c)))
		f, _ := x.Float32()
		return f
	}
	for range 200000 {
		a, b := math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		if r.IntN(2) == 0 { // products in the middle of two floats, and sums that tip them
			a, b = 1+float32(r.IntN(1<<12))/(1<<12), 1+float32(2*r.IntN(1<<11)+1)/(1<<12)
		}
		p := float64(a) * float64(b)
		c := float32(math.Ldexp(r.NormFloat64(), r.IntN(60)-30) * p)
		if a != a || b != b || c != c || math.IsInf(float64(a), 0) || math.IsInf(float64(b), 0) || math.IsInf(float64(c), 0) {
			continue
		}
		if got, want := vec.FMA32(a, b, c), exact(a, b, c); got != want {
			t.Fatalf("FMA32(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
	}
}

// TestVerify shows that each kind of mistake is found.
func TestVerify(t *testing.T) {
	for want, in := range map[string]vec.Instr{
		"is of class v32, not v64":       {Op: vec.FAdd, Type: vec.F64, Src: [3]vec.Reg{1, 1}, Dst: 2},
		"does not take the type f32":     {Op: vec.Add, Type: vec.F32, Src: [3]vec.Reg{1, 1}, Dst: 1},
		"register 1 has no value":        {Op: vec.FAdd, Type: vec.F32, Src: [3]vec.Reg{1, 1}, Dst: 1},
		"must be wider":                  {Op: vec.SignExtend, Type: vec.I8, From: vec.I32, Src: [3]vec.Reg{1}, Dst: 3},
		"has no region to end":           {Op: vec.End},
		"is never closed":                {Op: vec.IfAny, Src: [3]vec.Reg{4}},
		"does not take the condition":    {Op: vec.FCmp, Type: vec.F32, Cond: vec.ULT, Src: [3]vec.Reg{1, 1}, Dst: 4},
		"the count must be below":        {Op: vec.ShlImm, Type: vec.I32, Imm: 32, Src: [3]vec.Reg{1}, Dst: 1},
		"there is no register 99":        {Op: vec.FSqrt, Type: vec.F32, Src: [3]vec.Reg{99}, Dst: 1},
		"register 0 is of class none":    {Op: vec.FSqrt, Type: vec.F32, Dst: 1},
		"takes no immediate or mask":     {Op: vec.FSqrt, Type: vec.F32, Src: [3]vec.Reg{1}, Dst: 1, Imm: 3},
		"it takes no memory":             {Op: vec.FSqrt, Type: vec.F32, Src: [3]vec.Reg{1}, Dst: 1, Mem: vec.Mem{Base: 5}},
		"the factor of an index must be": {Op: vec.Load, Type: vec.F32, Dst: 1, Mem: vec.Mem{Base: 5, Index: 5, Scale: 3}},
	} {
		f := &vec.Func{Name: "f", Regs: []vec.Class{vec.None, vec.V32, vec.V64, vec.V8, vec.Mask, vec.Scalar}}
		f.Body = []vec.Instr{{Op: vec.MConst, Dst: 4}, {Op: vec.SConst, Dst: 5}, in}
		if !strings.Contains(want, "no value") {
			f.Body = append([]vec.Instr{{Op: vec.Const, Type: vec.F32, Dst: 1}}, f.Body...)
		}
		if err := f.Verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %q", in, err, want)
		}
	}
}

// TestEveryOperation evaluates each operation with each type that it has, and prints it.
func TestEveryOperation(t *testing.T) {
	names := map[string]bool{}
	for op := range vec.Table {
		op := vec.Op(op)
		if op.String() == "" || names[op.String()] {
			t.Errorf("operation %d has no name of its own: %q", op, op)
		}
		names[op.String()] = true
		if op.Controls() {
			continue
		}
		list := vectest.Instrs(op)
		if len(list) == 0 {
			t.Errorf("%s has no instruction", op)
		}
		for _, in := range list {
			f, err := vectest.Around(in)
			if err != nil {
				t.Fatal(err)
			}
			room := make([]uint64, 256)
			vec.Eval(f, []uint64{addr(room), addr(room[64:]), addr(room[128:])})
			if text := f.String(); !strings.Contains(text, op.String()+" ") && !strings.Contains(text, op.String()+".") {
				t.Errorf("%s is printed as\n%s", op, text)
			}
		}
	}
}

// Example shows a function as text.
func Example() {
	b := vec.NewBuilder("axpy")
	y, x, a, n := b.Arg(0), b.Arg(1), b.Arg(2), b.Arg(3)
	f := b.Emit(vec.Instr{Op: vec.LoadFirst, Type: vec.F32, Mem: vec.Mem{Base: a}})
	i := b.For(b.Int(0), n, vec.Lanes)
	at := func(base vec.Reg) vec.Mem { return vec.Mem{Base: base, Index: i, Scale: 4} }
	b.Store(vec.F32, at(y), b.Do(vec.FMulAdd, vec.F32, f, b.Load(vec.F32, at(x), 0), b.Load(vec.F32, at(y), 0)), 0)
	b.End()
	fmt.Print(b.Finish())
	// Output:
	// func axpy {
	//   s1 = arg 0
	//   s2 = arg 1
	//   s3 = arg 2
	//   s4 = arg 3
	//   v5 = loadfirst.f32 [s3]
	//   s6 = sconst 0
	//   s7 = loop s6, s4, 16
	//     v8 = load.f32 [s2 + s7*4]
	//     v9 = load.f32 [s1 + s7*4]
	//     v10 = fmuladd.f32 v5, v8, v9
	//     store.f32 v10, [s1 + s7*4]
	//   end
	// }
}
