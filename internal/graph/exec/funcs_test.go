package exec_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/internal/graph/exec"
	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/testing/graphtest"
)

var numbers = []dtype.Type{dtype.Bool, dtype.I8, dtype.I16, dtype.I32, dtype.I64, dtype.U8, dtype.U16, dtype.U32, dtype.U64, dtype.F16, dtype.BF16, dtype.F32, dtype.F64}

// ulps says how far functions may be from the exact result, in units in the last place: others give the nearest number. Those of
// float16 and bfloat16 are rounded once from float32.
var ulps = map[string]float64{"exp": 2, "exp2": 2, "expm1": 4, "log": 2, "log2": 2, "log1p": 4, "rsqrt": 2, "sin": 2, "cos": 2, "tan": 3,
	"asin": 3, "acos": 4, "atan": 2, "sinh": 3, "cosh": 3, "tanh": 3, "asinh": 5, "acosh": 5, "atanh": 5, "erf": 4, "logistic": 4, "pow": 4, "atan2": 3, "mod": 2}

// TestFuncs compares each function for each element type with Go's, for special numbers and random ones.
func TestFuncs(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, f := range ir.Funcs {
		for _, elem := range numbers {
			if !f.Takes.Has(elem) {
				continue
			}
			t.Run(f.Name+"/"+elem.String(), func(t *testing.T) { testFunc(t, dev, f, elem) })
		}
	}
}

func testFunc(t *testing.T, dev *device.Device, f *ir.Func, elem dtype.Type) {
	values := specials(elem)
	n := len(values)
	args := make([]*graphtest.Array, f.In)
	for i := range args {
		et := elem
		if f.Name == "select" && i == 0 {
			et = dtype.Bool
		}
		args[i] = graphtest.New(et, []int{n * n})
		for j := range n * n {
			args[i].Set(j, values[[]int{j % n, j / n, (j*7 + 3) % n}[i]])
		}
	}
	g := &ir.Graph{}
	params := make([]*ir.Node, f.In)
	tensors := make([]*core.Tensor, f.In)
	for i, a := range args {
		params[i] = must(g.Parameter("x", a.Elem, a.Shape))
		var err error
		if tensors[i], err = upload(dev, a); err != nil {
			t.Fatal(err)
		}
	}
	out := must(g.Pointwise(f.Name, params...))
	p, err := exec.Compile(t.Context(), dev.Internal(), params, []*ir.Node{out}, emit.DefaultSizes)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Run(t.Context(), dev.Internal().Main(), tensors)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, n*n*out.Elem.Size())
	if err := got[0].Memory.Read(t.Context(), data, 0); err != nil {
		t.Fatal(err)
	}
	result := graphtest.FromBytes(out.Elem, []int{n * n}, data)
	wrong := 0
	for j := range n * n {
		x := make([]graphtest.Num, f.In)
		for i, a := range args {
			x[i] = a.Get(j)
		}
		want := graphtest.Apply(f.Name, elem, x...)
		bound := ulps[f.Name]
		if elem == dtype.F64 && bound > 0 {
			bound = map[bool]float64{false: 100, true: 10000}[f.Name == "pow"] // Go's own functions are as far as that from the exact result: acos(0.999), tan(1e-7), pow(0.999, 65504)
		}
		if !near(out.Elem, result.Get(j), graphtest.Rounded(out.Elem, want), bound) {
			t.Errorf("%s%v is %v, expected %v", f.Name, x, result.Get(j), want)
			if wrong++; wrong == 4 {
				return
			}
		}
	}
}

// near reports whether two elements are equal, or floats that are at most so many units in the last place apart.
func near(t dtype.Type, got, want graphtest.Num, ulps float64) bool {
	if !t.IsFloat() {
		return got == want
	}
	switch {
	case got == want || math.IsNaN(got.F) && math.IsNaN(want.F):
		return true
	case math.IsNaN(got.F) || math.IsInf(got.F, 0) != math.IsInf(want.F, 0) && ulps == 0:
		return false
	}
	digits := map[dtype.Type]int{dtype.F16: 11, dtype.BF16: 8, dtype.F32: 24, dtype.F64: 53}[t]
	least := map[dtype.Type]float64{dtype.F16: 0x1p-24, dtype.BF16: 0x1p-133, dtype.F32: 0x1p-149, dtype.F64: 0x1p-1074}[t]
	if digits < 24 && ulps > 0 {
		ulps = 1
	}
	_, exp := math.Frexp(want.F)
	ulp := max(math.Ldexp(1, exp-digits), least)
	return math.Abs(got.F-want.F) <= ulps*ulp
}

// specials are numbers at the edges of a type, and some random ones.
func specials(t dtype.Type) []graphtest.Num {
	r := rand.New(rand.NewPCG(3, 4))
	var out []graphtest.Num
	if t.IsFloat() {
		for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, 2, -2, 3, 100, -100, 1e-3, -1e-3, 0.999, 1e-7, 20, 65504, math.Inf(1), math.Inf(-1), math.NaN(), math.Pi} {
			out = append(out, graphtest.Rounded(t, graphtest.Num{F: x}))
		}
		for range 24 {
			out = append(out, graphtest.Rounded(t, graphtest.Num{F: math.Ldexp(2*r.Float64()-1, r.IntN(10)-4)}))
		}
		return out
	}
	bits := 8 * t.Size()
	for _, x := range []int64{0, 1, -1, 2, -2, 3, 5, 7, 8, 9, 15, 16, 31, 32, 63, 64, 100, 1 << (bits - 1), 1<<(bits-1) - 1, 1<<(bits-1) + 1} {
		out = append(out, graphtest.Rounded(t, graphtest.Num{I: x}))
	}
	for range 20 {
		out = append(out, graphtest.Rounded(t, graphtest.Num{I: int64(r.Uint64())}))
	}
	return out
}

func must(n *ir.Node, err error) *ir.Node {
	if err != nil {
		panic(err)
	}
	return n
}
