package cute_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// TestMathOnTheHost: what rounds once gives the same bits on the host as in a kernel, for numbers at each edge; what
// approximates is near. No function of math.go is left out.
func TestMathOnTheHost(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		edges := []float32{0, 0.5, 1, 1.5, 2.5, 1 << 23, 1<<24 - 1, 3e38, 0x1p-149, 0x1p-126, 1e-40, 0.49999997, float32(math.Inf(1)), float32(math.NaN())}
		hostBesideKernel(t, cute.Jit(runExacts[float32]), edges, func(x float32) uint64 { return uint64(math.Float32bits(x)) })
	})
	t.Run("float64", func(t *testing.T) {
		edges := []float64{0, 0.5, 1, 1.5, 2.5, 1 << 52, 1<<53 - 1, 1e308, 0x1p-1074, 0x1p-1022, 0.49999999999999994, math.Inf(1), math.NaN()}
		hostBesideKernel(t, cute.Jit(runExacts[float64]), edges, math.Float64bits)
	})
	t.Run("approximate", approximatesBesideKernel)

	text, err := os.ReadFile("math_kernels_test.go")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "math.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && !strings.Contains(string(text), "cute."+f.Name.Name+"(") {
			t.Errorf("%s is not among the functions above", f.Name.Name)
		}
	}
}

func hostBesideKernel[T float32 | float64](t *testing.T, run func(x, y, z, out cute.Tensor[T]) error, edges []T, bits func(T) uint64) {
	for _, e := range edges {
		edges = append(edges, -e)
	}
	var x, y, z []T
	for _, a := range edges {
		for _, b := range edges {
			for _, c := range edges {
				x, y, z = append(x, a), append(y, b), append(z, c)
			}
		}
	}
	dev, _ := open(t)
	out := must(cutile.NewTensor[T](dev, 14*len(x)))(t)
	tensor := func(v []T) cute.Tensor[T] { return cute.Of[T](must(cutile.FromSlice(dev, v))(t)) }
	if err := run(tensor(x), tensor(y), tensor(z), cute.Of[T](out)); err != nil {
		t.Fatal(err)
	}
	got := must(out.Slice())(t)
	for i := range x {
		for k, host := range exacts(x[i], y[i], z[i]) {
			if g := got[i*14+k]; bits(g) != bits(host) && (g == g || host == host) {
				t.Fatalf("function %d of exacts of %v, %v, %v: %v on the host, %v in a kernel", k, x[i], y[i], z[i], host, g)
			}
		}
	}
}

func approximatesBesideKernel(t *testing.T) {
	var x, y []float32
	for i := range 256 {
		x, y = append(x, float32(i-128)/41), append(y, float32((i*37)%256-128)/53)
	}
	dev, _ := open(t)
	out := must(cutile.NewTensor[float32](dev, 13*len(x)))(t)
	tensor := func(v []float32) cute.Tensor[float32] { return cute.Of[float32](must(cutile.FromSlice(dev, v))(t)) }
	if err := cute.Jit(runApproximates)(tensor(x), tensor(y), cute.Of[float32](out)); err != nil {
		t.Fatal(err)
	}
	got := must(out.Slice())(t)
	for i := range x {
		for k, host := range approximates(x[i], y[i]) {
			if g := float64(got[i*13+k]); !(math.Abs(g-float64(host)) <= 1e-3*math.Max(1, math.Abs(float64(host)))) {
				t.Fatalf("function %d of approximates of %v, %v: %v on the host, %v in a kernel", k, x[i], y[i], host, g)
			}
		}
	}
}

// TestFMAOnTheHost: a product and a sum are rounded once, judged by exact numbers. Many of the sums lie a little beside
// the middle of two float32, where rounding to float64 first gives the wrong one.
func TestFMAOnTheHost(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() float32 {
		return float32(math.Ldexp(float64(1<<23+r.IntN(1<<23))*float64(1-2*r.IntN(2)), r.IntN(60)-53))
	}
	for i := range 200_000 {
		x, y, z := random(), random(), random()
		if i%2 == 0 { // x*y has one bit below half a unit of z
			x, y = float32(1+math.Ldexp(1, -r.IntN(24))), float32(math.Ldexp(1+math.Ldexp(1, -23), -24))
			z = float32(1<<23+r.IntN(1<<23)) * 0x1p-23
		}
		p := new(big.Float).SetPrec(600).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
		want, _ := p.Add(p, big.NewFloat(float64(z))).Float32()
		if got := cute.FMA(x, y, z); got != want {
			t.Fatalf("FMA(%v, %v, %v) = %v, want %v", x, y, z, got, want)
		}
	}
}
