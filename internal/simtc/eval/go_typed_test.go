package eval_test

import (
	"encoding/binary"
	"go/constant"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/opt"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

// TestTypes compares programs at the borders of types with Go, dynamic and folded.
func TestTypes(t *testing.T) {
	for name, f := range typedPrograms {
		t.Run(name, func(t *testing.T) { compareForms(t, f, f) })
	}
}

// TestValues does so with programs that copy arrays and structs, and share variables by slices and pointers.
func TestValues(t *testing.T) {
	for name, f := range valueGames {
		t.Run(name, func(t *testing.T) { compareForms(t, f, f) })
	}
}

// TestSaturation converts floats to integers that may not hold them.
func TestSaturation(t *testing.T) {
	for name, c := range saturations {
		t.Run(name, func(t *testing.T) {
			compareForms(t, c.f, func(x, _ int) int {
				v := special(x & 31)
				if c.single {
					v = float64(float32(v))
				}
				r := new(big.Float)
				if v == v {
					r.SetFloat64(v)
				}
				n, _ := r.Int(nil)
				switch limit := new(big.Int).Lsh(big.NewInt(1), uint(c.bits)); {
				case v >= math.Ldexp(1, c.bits):
					n = limit.Sub(limit, big.NewInt(1))
				case c.unsigned && v < 0:
					n = new(big.Int)
				case v < -math.Ldexp(1, c.bits):
					n = limit.Neg(limit)
				}
				return int(new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
			})
		})
	}
}

// TestDivisionByZero: the emulator says which thread divides by zero, and where.
func TestDivisionByZero(t *testing.T) {
	m := evaluateWith(t, apply, []any{quotient}, func(w *world.World, fns []*world.Function) []eval.Arg {
		v := eval.TensorArg{Layout: dynLayout("(?):(1)"), Align: 16}
		return []eval.Arg{v, v, v, eval.StructArg{Fields: []eval.Arg{eval.Fn{F: fns[0]}}}}
	}).Module
	var xs, ys [32]int
	for i := range ys {
		ys[i] = i
	}
	_, err := tryPairs(t, m, xs, ys)
	for _, want := range []string{"go_typed_kernels_test.go:", "block (0,0,0)", "thread (5,0,0)", "division by zero"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %q is missing", err, want)
		}
	}
}

// borders are where types end, and what lies around.
var borders = []int{
	0, 1, -1, 2, 3, 5, 7, 8, 63, 64, 65, 100, 127, 128, -128, -129, 255, 256, -256, 1000, 32767, -32768, 65535, 1<<31 - 1, -1 << 31, 1 << 31, 1<<32 - 1,
	1 << 32, -1<<32 - 1, 1<<53 + 1, 1<<63 - 1, -1 << 63,
}

// compareForms runs a function with numbers that are dynamic, static, and one of each. want is what it gives on the host.
func compareForms(t *testing.T, f, want func(x, y int) int) {
	m := evaluateWith(t, apply, []any{f}, func(w *world.World, fns []*world.Function) []eval.Arg {
		v := eval.TensorArg{Layout: dynLayout("(?):(1)"), Align: 16}
		return []eval.Arg{v, v, v, eval.StructArg{Fields: []eval.Arg{eval.Fn{F: fns[0]}}}}
	}).Module
	verified(t, m)
	for shift := range len(borders) {
		if testing.Short() && shift%4 != 1 {
			continue
		}
		var xs, ys [32]int
		for i := range xs {
			xs[i], ys[i] = borders[i%len(borders)], borders[(i+shift)%len(borders)]
		}
		for i, got := range runPairs(t, m, xs, ys) {
			if w := want(xs[i], ys[i]); int(got) != w {
				t.Fatalf("f(%d, %d) is %d, want %d\n%v", xs[i], ys[i], got, w, m)
			}
		}
		if shift%4 != 1 {
			continue
		}
		for i := shift / 4 % 2 * 8; i+8 <= len(xs); i += 16 {
			compareFolded(t, f, want, pairs{{xs[i], ys[i]}, {xs[i+1], ys[i+1]}, {xs[i+2], ys[i+2]}, {xs[i+3], ys[i+3]}, {xs[i+4], ys[i+4]}, {xs[i+5], ys[i+5]},
				{xs[i+6], ys[i+6]}, {xs[i+7], ys[i+7]}})
		}
	}
}

func verified(t *testing.T, m *simt.Module) {
	t.Helper()
	if err := simt.Verify(m, "sm_90"); err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	opt.Module(t.Context(), m)
}

func compareFolded(t *testing.T, f, host func(x, y int) int, p pairs) {
	t.Helper()
	m := evaluateWith(t, fold, []any{f}, func(w *world.World, fns []*world.Function) []eval.Arg {
		v := eval.TensorArg{Layout: dynLayout("(?):(1)"), Align: 16}
		var known []eval.Arg
		for _, xy := range p {
			known = append(known, eval.ArrayArg{Elems: []eval.Arg{eval.Known{V: constant.MakeInt64(int64(xy[0]))}, eval.Known{V: constant.MakeInt64(int64(xy[1]))}}})
		}
		return []eval.Arg{v, v, v, eval.StructArg{Fields: []eval.Arg{eval.Fn{F: fns[0]}}}, eval.StructArg{Fields: []eval.Arg{eval.ArrayArg{Elems: known}}}}
	}).Module
	verified(t, m)
	var ys []byte
	for _, xy := range p {
		ys = binary.LittleEndian.AppendUint64(ys, uint64(xy[1]))
	}
	both, one := make([]byte, 64), make([]byte, 64)
	prog, err := emu.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	var mem emu.Memory
	mem.Map(0x10000, ys, "ys", true)
	mem.Map(0x20000, both, "both", false)
	mem.Map(0x30000, one, "one", false)
	args := map[string]uint64{"u64": 0x10000}
	var in []uint64
	for _, param := range m.Kernels[0].Params {
		in = append(in, map[bool]uint64{true: args["u64"], false: 32}[param.Type == "u64"])
		if param.Type == "u64" {
			args["u64"] += 0x10000
		}
	}
	if err := prog.Run(t.Context(), emu.Launch{Kernel: m.Kernels[0].Name, Grid: [3]int{1, 1, 1}, Args: in, Shared: m.Kernels[0].Shared, Memory: &mem, Workers: 1}); err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	for k, xy := range p {
		want := host(xy[0], xy[1])
		for what, got := range map[string][]byte{"both static": both, "one static": one} {
			if n := int(binary.LittleEndian.Uint64(got[8*k:])); n != want {
				t.Fatalf("%s: f(%d, %d) is %d, want %d", what, xy[0], xy[1], n, want)
			}
		}
	}
}

// TestNarrowFloats: a wide number is rounded to a narrow float once, folded and at run time.
func TestNarrowFloats(t *testing.T) {
	types := map[string]dtype.Type{"f16": dtype.F16, "bf16": dtype.BF16, "tf32": dtype.TF32, "f8e4m3": dtype.F8E4M3FN, "f8e5m2": dtype.F8E5M2}
	for name, c := range narrowings {
		round := func(f float64) int { return floatBits(types[name].FloatFromBits(types[name].FloatBits(f))) }
		if name == "tf32" { // as PTX rounds on every target
			round = func(f float64) int { return floatBits(toTF32(f)) }
		}
		t.Run(name+" of float64", func(t *testing.T) {
			compareForms(t, c.ofFloat, func(x, y int) int { return round(wideFloat(x, y)) })
		})
		t.Run(name+" of int", func(t *testing.T) {
			compareForms(t, c.ofInt, func(x, y int) int { return round(toOdd(wideInt(x, y))) })
		})
	}
}

// toTF32 rounds to 11 bits, and away from zero in the middle.
func toTF32(f float64) float64 {
	r, _ := new(big.Float).SetMode(big.ToNearestAway).SetPrec(11).SetFloat64(f).Float64()
	return r
}

// TestTF32: arithmetic rounds to tf32, folded and at run time.
func TestTF32(t *testing.T) {
	compareForms(t, ofTF32, func(x, y int) int {
		a := toTF32(toOdd(wideInt(x, y)))
		return floatBits(toTF32(a/3)) + floatBits(toTF32(a*3))*5
	})
}

// toOdd is an integer as a float64 that rounds to any narrower float as the integer itself: what is lost sets the last bit.
func toOdd(n int) float64 {
	f, _ := new(big.Float).SetMode(big.ToZero).SetPrec(52).SetInt64(int64(n)).Float64()
	if new(big.Float).SetInt64(int64(n)).Cmp(big.NewFloat(f)) != 0 {
		f = math.Float64frombits(math.Float64bits(f) | 1)
	}
	return f
}

// TestLanguage compares every form of Go's statements and expressions on the host with what is compiled from it.
func TestLanguage(t *testing.T) {
	for name, f := range languageGames {
		t.Run(name, func(t *testing.T) { compareForms(t, f, f) })
	}
}
