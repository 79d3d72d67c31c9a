package eval_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

// TestGo compares functions of Go on the host with what is compiled from them.
func TestGo(t *testing.T) {
	for name, f := range map[string]func(x, y int) int{
		"arith": goArith, "divide": goDivide, "narrow": goNarrow, "unsigned": goUnsigned, "loop": goLoop, "nested": goNested,
		"returns": goReturns, "calls": goCalls, "structs": goStructs, "arrays": goArrays, "closures": goClosures, "logic": goLogic,
		"collatz": goCollatz, "unrolled": goUnrolled, "range": goRange, "interfaces": goInterfaces, "floats": goFloats,
		"generics": goGenerics, "shadow": goShadow, "swap": goSwap, "switch": goSwitch, "recursion": goRecursion, "variadic": goVariadic,
		"pointers": goPointers, "named": goNamed, "state": goState, "methodvalues": goMethodValues, "innerexit": goInnerExit,
		"types": goTypes, "bits": goBits, "mixed": goMixed,
	} {
		t.Run(name, func(t *testing.T) { compareGo(t, f) })
	}
}

func compareGo(t *testing.T, f func(x, y int) int) {
	m := evaluateWith(t, apply, []any{f}, func(w *world.World, fns []*world.Function) []eval.Arg {
		v := eval.TensorArg{Layout: dynLayout("(?):(1)"), Align: 16}
		return []eval.Arg{v, v, v, eval.StructArg{Fields: []eval.Arg{eval.Fn{F: fns[0]}}}}
	}).Module
	if err := simt.Verify(m, "sm_80"); err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	text, err := ptx.Write(m, "sm_80")
	if err != nil {
		t.Fatal(err)
	}
	back, err := ptx.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		var xs, ys [32]int
		for i := range xs {
			xs[i], ys[i] = r.IntN(200)-100, r.IntN(200)-100
			if i%5 == 0 {
				xs[i] = int(r.Int32())
			}
		}
		for _, m := range []*simt.Module{m, back} {
			got := runPairs(t, m, xs, ys)
			for i := range xs {
				if want := f(xs[i], ys[i]); int(got[i]) != want {
					t.Fatalf("f(%d, %d) is %d, want %d\n%v", xs[i], ys[i], got[i], want, m)
				}
			}
		}
	}
}

func runPairs(t *testing.T, m *simt.Module, xs, ys [32]int) [32]int64 {
	t.Helper()
	out, err := tryPairs(t, m, xs, ys)
	if err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	return out
}

func tryPairs(t *testing.T, m *simt.Module, xs, ys [32]int) (out [32]int64, err error) {
	t.Helper()
	p, err := emu.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	var mem emu.Memory
	bytes := func(v [32]int) []byte {
		var b []byte
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
		return b
	}
	res := make([]byte, 32*8)
	mem.Map(0x10000, bytes(xs), "x", true)
	mem.Map(0x20000, bytes(ys), "y", true)
	mem.Map(0x30000, res, "out", false)
	args := make([]uint64, len(m.Kernels[0].Params))
	bases := []uint64{0x10000, 0x20000, 0x30000}
	k := 0
	for i, p := range m.Kernels[0].Params {
		if p.Type == "u64" {
			args[i] = bases[k]
			k++
		} else {
			args[i] = 32
		}
	}
	if err := p.Run(t.Context(), emu.Launch{Kernel: m.Kernels[0].Name, Grid: [3]int{1, 1, 1}, Args: args, Shared: m.Kernels[0].Shared, Memory: &mem, Workers: 1}); err != nil {
		return out, err
	}
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(res[8*i:]))
	}
	return out, nil
}

// TestAddressesAfterRollback: what a first attempt at a call found out about a tensor goes with its code.
func TestAddressesAfterRollback(t *testing.T) {
	m := evaluate(t, picks, func(*world.World) []eval.Arg {
		v := eval.TensorArg{Layout: dynLayout("(?):(1)"), Align: 16}
		return []eval.Arg{v, v, v}
	}).Module
	if err := simt.Verify(m, "sm_80"); err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	var xs, ys [32]int
	for i := range xs {
		xs[i], ys[i] = (i*i*7)%90-20, i
	}
	pick := func(i, limit int) int {
		if xs[i] > limit {
			return xs[i]
		}
		return 2 * xs[i+1]
	}
	got := runPairs(t, m, xs, ys)
	for i := range got {
		skips := 0
		for k := range 3 {
			if xs[k+i/2] <= i {
				skips += xs[i/2+k+1]
			}
		}
		if want := pick(i/2, 10) + 1000*pick(i/2, 30) + skips + i; int(got[i]) != want {
			t.Errorf("thread %d: %d, want %d", i, got[i], want)
		}
	}
}
