package conformance

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/cutile-go/cutile/dtype"
)

// floats are the cases of what only floats have.
func floats() []Case {
	var all []Case
	all = append(all, exactFloats[dtype.Float16](inst("magnitude", "F16T1[D16]"), inst("rounded", "F16T1[D16]"), inst("quiet", "F16T1[D16]"), inst("special", "F16T1[D16]"), inst("roots", "F16T1[D16]"), inst("fused", "F16T1[D16]"), inst("modulo", "F16T1[D16]"))...)
	all = append(all, exactFloats[dtype.BFloat16](inst("magnitude", "BF16T1[D16]"), inst("rounded", "BF16T1[D16]"), inst("quiet", "BF16T1[D16]"), inst("special", "BF16T1[D16]"), inst("roots", "BF16T1[D16]"), inst("fused", "BF16T1[D16]"), inst("modulo", "BF16T1[D16]"))...)
	all = append(all, exactFloats[float32](inst("magnitude", "F32T1[D16]"), inst("rounded", "F32T1[D16]"), inst("quiet", "F32T1[D16]"), inst("special", "F32T1[D16]"), inst("roots", "F32T1[D16]"), inst("fused", "F32T1[D16]"), inst("modulo", "F32T1[D16]"))...)
	all = append(all, exactFloats[float64](inst("magnitude", "F64T1[D16]"), inst("rounded", "F64T1[D16]"), inst("quiet", "F64T1[D16]"), inst("special", "F64T1[D16]"), inst("roots", "F64T1[D16]"), inst("fused", "F64T1[D16]"), inst("modulo", "F64T1[D16]"))...)
	all = append(all, nearFloats[dtype.Float16](inst("exps", "F16T1[D16]"), inst("sigmoid", "F16T1[D16]"), inst("errorFunction", "F16T1[D16]"), inst("hyperbolic", "F16T1[D16]"), inst("logs", "F16T1[D16]"), inst("circular", "F16T1[D16]"), inst("powers", "F16T1[D16]"), inst("angles", "F16T1[D16]"))...)
	all = append(all, nearFloats[dtype.BFloat16](inst("exps", "BF16T1[D16]"), inst("sigmoid", "BF16T1[D16]"), inst("errorFunction", "BF16T1[D16]"), inst("hyperbolic", "BF16T1[D16]"), inst("logs", "BF16T1[D16]"), inst("circular", "BF16T1[D16]"), inst("powers", "BF16T1[D16]"), inst("angles", "BF16T1[D16]"))...)
	all = append(all, nearFloats[float32](inst("exps", "F32T1[D16]"), inst("sigmoid", "F32T1[D16]"), inst("errorFunction", "F32T1[D16]"), inst("hyperbolic", "F32T1[D16]"), inst("logs", "F32T1[D16]"), inst("circular", "F32T1[D16]"), inst("powers", "F32T1[D16]"), inst("angles", "F32T1[D16]"))...)
	all = append(all, nearFloats[float64](inst("exps", "F64T1[D16]"), inst("sigmoid", "F64T1[D16]"), inst("errorFunction", "F64T1[D16]"), inst("hyperbolic", "F64T1[D16]"), inst("logs", "F64T1[D16]"), inst("circular", "F64T1[D16]"), inst("powers", "F64T1[D16]"), inst("angles", "F64T1[D16]"))...)
	return all
}

// once1 is once for one operand.
func once1[E floatElem](f func(x float64) float64) func(x E) E {
	return func(x E) E { return fromF64[E](f(toF64(x))) }
}

func isNaN(x float64) bool { return x != x }

func exactFloats[E floatElem](magnitude, rounded, quiet, special, roots, fused, modulo any) []Case {
	data := func(r *rand.Rand) []E { return edged[E](r, 45) }
	data2 := func(r *rand.Rand) (x, y []E) { return pairs[E](r, 45) }
	pick := func(f func(x, y float64) float64) func(x, y E) E {
		return once[E](func(x, y float64) float64 {
			if isNaN(x) {
				return y
			} else if isNaN(y) {
				return x
			}
			return f(x, y)
		})
	}
	return []Case{
		exact1("math/abs", magnitude, data, once1[E](math.Abs)),
		exact1("math/round", rounded, data, once1[E](math.Ceil), once1[E](math.Floor)),
		exact2("math/maxnum", quiet, data2, pick(math.Max), pick(math.Min)),
		exact1("math/special", special, data,
			func(x E) E { return flags[E](isNaN(toF64(x))) },
			once1[E](func(x float64) float64 {
				if x > 0 {
					return math.Inf(1)
				}
				return math.Inf(-1)
			}),
			once1[E](func(float64) float64 { return math.NaN() })),
		exact1("math/sqrt", roots, data, once1[E](math.Sqrt)),
		fusedCase[E](fused),
		exact2("math/mod", modulo, data2, once[E](math.Mod)),
	}
}

// fusedCase multiplies and adds every triple of edges, with exact arithmetic and one rounding as the reference.
func fusedCase[E floatElem](kernel any) Case {
	return Case{Name: label[E]("math/fma"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		px, py := pairs[E](r, 60)
		var x, y, z []E
		for _, c := range append(edges[E](), random[E](r, 5)...) {
			for i := range px {
				x, y, z = append(x, px[i]), append(y, py[i]), append(z, c)
			}
		}
		want := make([]E, len(x))
		for i := range want {
			a, b, c := toF64(x[i]), toF64(y[i]), toF64(z[i])
			finite := !isNaN(a-a) && !isNaN(b-b) && !isNaN(c-c)
			switch {
			case !isNaN(a-a) && !isNaN(b-b) && !finite: // the product is finite, though float64 may not hold it
				want[i] = z[i]
				continue
			case !finite || a == 0 || b == 0:
				want[i] = fromF64[E](a*b + c)
				continue
			}
			sum := new(big.Float).SetPrec(5000).Mul(big.NewFloat(a), big.NewFloat(b))
			sum.Add(sum, big.NewFloat(c))
			want[i] = roundBig[E](sum)
		}
		w := blank[E](len(x))
		return Setup{Args: []any{arr(x), arr(y), arr(z), w}, Want: []Want{exactly(w, want)}}
	}}
}

// near1 is the case of a kernel over one input and one output for each function, which gives its elements up to a number
// of units in the last place.
func near1[E floatElem](name string, kernel any, ulps float64, data func(r *rand.Rand) []E, want ...func(x float64) float64) Case {
	return Case{Name: label[E](name), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x := data(r)
		s := Setup{Args: []any{arr(x)}}
		for _, f := range want {
			z := blank[E](len(x))
			s.Args = append(s.Args, z)
			s.Want = append(s.Want, within(z, mapped(func(v E) float64 { return inRange[E](f(toF64(v))) }, x), ulps))
		}
		return s
	}}
}

// near2 is near1 for two inputs.
func near2[E floatElem](name string, kernel any, ulps float64, data func(r *rand.Rand) (x, y []E), want func(x, y float64) float64) Case {
	return Case{Name: label[E](name), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x, y := data(r)
		z := blank[E](len(x))
		ref := mapped2(func(a, b E) float64 { return inRange[E](want(toF64(a), toF64(b))) }, x, y)
		return Setup{Args: []any{arr(x), arr(y), z}, Want: []Want{within(z, ref, ulps)}}
	}}
}

// inRange makes an infinity of what E cannot hold.
func inRange[E floatElem](v float64) float64 {
	if r := toF64(fromF64[E](v)); math.IsInf(r, 0) {
		return r
	}
	return v
}

// tolerance is the bound of functions that no format defines exactly, in units in the last place: half for the rounding
// of the 16-bit formats, whose functions are computed in float32, and what CUDA promises of float32 and float64.
func tolerance[E floatElem]() float64 {
	if dtype.Of[E]().Size() == 2 {
		return 1
	}
	return 4
}

func nearFloats[E floatElem](exps, sigmoid, errors, hyperbolic, logs, circular, powers, angles any) []Case {
	tol := tolerance[E]()
	moderate := func(lo, hi float64) func(r *rand.Rand) []E {
		return func(r *rand.Rand) []E {
			x := uniform[E](r, 200, lo, hi)
			return append(x, mapped(fromF64[E], []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1)})...)
		}
	}
	positive := func(r *rand.Rand) []E {
		x := mapped(fromF64[E], []float64{0, 1, 2, 0.5, math.NaN(), math.Inf(1), -1, math.Inf(-1)})
		for range 200 {
			x = append(x, fromF64[E](math.Exp(18*r.Float64()-9)))
		}
		return x
	}
	return []Case{
		near1("math/exp", exps, tol, moderate(-9, 9), math.Exp, math.Exp2, math.Tanh),
		near1("math/sigmoid", sigmoid, 4*tol, moderate(-9, 9), func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }), // three steps
		near1("math/erf", errors, 2*tol, moderate(-7, 7), math.Erf),
		near1("math/hyperbolic", hyperbolic, tol, moderate(-9, 9), math.Sinh, math.Cosh),
		near1("math/log", logs, tol, positive, math.Log, math.Log2, func(x float64) float64 { return 1 / math.Sqrt(x) }),
		near1("math/circular", circular, tol, moderate(-3, 3), math.Sin, math.Cos, math.Tan),
		near2("math/pow", powers, 2*tol, func(r *rand.Rand) (x, y []E) {
			x, y = uniform[E](r, 200, 0.1, 4), uniform[E](r, 200, -4, 4)
			for _, p := range [][2]float64{{0, 0}, {0, 2}, {-2, 3}, {-2, 2}, {-8, 0.5}, {1, math.NaN()}, {math.NaN(), 0}, {math.Inf(1), -1}, {2, math.Inf(-1)}, {0, -1}} {
				x, y = append(x, fromF64[E](p[0])), append(y, fromF64[E](p[1]))
			}
			return x, y
		}, math.Pow),
		near2("math/atan2", angles, tol, func(r *rand.Rand) (y, x []E) {
			y, x = random[E](r, 200), random[E](r, 200)
			for _, a := range []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN()} {
				for _, b := range []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN()} {
					y, x = append(y, fromF64[E](a)), append(x, fromF64[E](b))
				}
			}
			return y, x
		}, math.Atan2),
	}
}
