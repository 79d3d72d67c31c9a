package cute_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

// TestMathOnKnownNumbers: functions that round once or not at all give the same for numbers that are known when a kernel is
// compiled, where the compiler computes them, as they do on the host.
func TestMathOnKnownNumbers(t *testing.T) {
	knownBesideHost(t, cute.Jit(runKnown[float64]), math.Float64bits)
	knownBesideHost(t, cute.Jit(runKnown[float32]), func(x float32) uint64 { return uint64(math.Float32bits(x)) })
}

func knownBesideHost[T interface {
	cute.Float
	dtype.Elem
}](t *testing.T, run func(cute.Constexpr[triple[T]], cute.Tensor[T]) error, bits func(T) uint64) {
	dev, _ := open(t)
	out := must(cutile.NewTensor[T](dev, 14))(t)
	r := rand.New(rand.NewPCG(8, 9))
	random := func() T { return T(math.Ldexp(r.Float64()+0.5, r.IntN(9)-4)) * T(1-2*r.IntN(2)) }
	for range 40 {
		v := triple[T]{random(), random(), random()}
		check(t, run(cute.C(v), cute.Of[T](out)))
		got := must(out.Slice())(t)
		for k, host := range exacts(v.X, v.Y, v.Z) {
			if g := got[k]; bits(g) != bits(host) && (g == g || host == host) {
				t.Fatalf("function %d of exacts of %+v: %v on the host, %v where the compiler computes it", k, v, host, g)
			}
		}
	}
}
