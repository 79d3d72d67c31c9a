package vecmath_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/internal/native/vecmath/mathloops"
)

// bigUnary are the functions of one float64 where they are not zero, infinite or NaN.
var bigUnary = map[string]func(x float64) *big.Float{
	"Exp64":    func(x float64) *big.Float { return bigExp(newBig(x)) },
	"Exp2Of64": func(x float64) *big.Float { return bigExp(newBig(0).Mul(newBig(x), bigLn2)) },
	"Log64":    func(x float64) *big.Float { return bigLog(newBig(x)) },
	"Log2Of64": func(x float64) *big.Float { return quotient(bigLog(newBig(x)), bigLn2) },
	"Sin64":    func(x float64) *big.Float { return bigSin(x, 0) },
	"Cos64":    func(x float64) *big.Float { return bigSin(x, 1) },
	"Tan64":    func(x float64) *big.Float { return quotient(bigSin(x, 0), bigSin(x, 1)) },
	"Sinh64":   func(x float64) *big.Float { return bigHyperbolic(x, -1) },
	"Cosh64":   func(x float64) *big.Float { return bigHyperbolic(x, 1) },
	"Tanh64":   func(x float64) *big.Float { return quotient(bigHyperbolic(x, -1), bigHyperbolic(x, 1)) },
	"Rsqrt64":  func(x float64) *big.Float { return quotient(newBig(1), newBig(0).Sqrt(newBig(x))) },
}

// plain64 are the same functions of package math, which are right about zeros, infinities and NaN.
var plain64 = map[string]func(x float64) float64{
	"Exp64": math.Exp, "Exp2Of64": math.Exp2, "Log64": math.Log, "Log2Of64": math.Log2, "Sin64": math.Sin, "Cos64": math.Cos, "Tan64": math.Tan,
	"Sinh64": math.Sinh, "Cosh64": math.Cosh, "Tanh64": math.Tanh, "Rsqrt64": func(x float64) float64 { return 1 / math.Sqrt(x) },
}

// grows tells which functions are zero, infinite or one for great numbers.
var grows = map[string]bool{"Exp64": true, "Exp2Of64": true, "Sinh64": true, "Cosh64": true, "Tanh64": true}

// ulps64 is [ulps] for float64.
func ulps64(got float64, want *big.Float) float64 {
	if got != got || math.Signbit(got) != want.Signbit() {
		return math.Inf(1)
	}
	limit := newBig(0).SetMantExp(newBig(1), 1024) // what infinity counts as
	g, w := newBig(got).Abs(newBig(got)), newBig(0).Abs(want)
	for _, x := range []*big.Float{g, w} {
		if x.Cmp(limit) > 0 {
			x.Set(limit)
		}
	}
	exp := max(min(w.MantExp(nil), 1024)-1, -1022) - 52
	d := g.Sub(g, w)
	u, _ := d.SetMantExp(d, -exp).Float64()
	return math.Abs(u)
}

// sample64 gives arguments: hard ones, those of every magnitude, and usual ones.
func sample64(r *rand.Rand) (xs []float64) {
	xs = []float64{
		0, math.Inf(1), math.NaN(), 5e-324, 0x1p-1022, math.MaxFloat64, 0.1, math.Nextafter(0.1, 0), math.Sqrt2, math.Sqrt2 / 2, 1, math.Nextafter(1, 2),
		math.Nextafter(1, 0), 0.5, 2, 22, 709.782712893384, 709.7827128933841, 710.4758600739439, 710.475860073944, 745.1332191019411, 745.1332191019412, 744, 1022, 1023.9999, 1024,
		1074, 1074.9, 1075, 1 << 30, 1<<30 - 1, math.Pi / 4, math.Pi / 2, math.Pi, 1e22,
		math.Ldexp(6381956970095103, 797), // the float64 that is nearest to a multiple of a quarter of a turn
	}
	for range 200 {
		xs = append(xs, r.NormFloat64(), r.NormFloat64()*30, r.ExpFloat64()*300, math.Float64frombits(r.Uint64()), math.Exp(r.NormFloat64()/10),
			r.Float64()*0.35, 700+r.Float64()*50, 1000+r.Float64()*80, math.Round(r.ExpFloat64()*1000)*math.Pi/2, math.Round(r.Float64()*0x1p31)*math.Pi/2,
			math.Ldexp(r.Float64(), r.IntN(2000)-1000))
	}
	for _, x := range xs[:len(xs):len(xs)] {
		xs = append(xs, -x)
	}
	return xs
}

// TestUnary64 compares a sample of results with numbers of 200 bits.
func TestUnary64(t *testing.T) {
	xs := sample64(seeded())
	d := make([]float64, len(xs))
	for name, loop := range mathloops.Unary64 {
		loop(d, xs)
		most, bound, at := 0.0, vecmath.ByName(name).ULP, 0.0
		for i, x := range xs {
			plain, u := plain64[name](x), 0.0
			switch {
			case x == 0 || x-x != 0 || plain != plain || grows[name] && math.Abs(x) > 1100:
				if math.Float64bits(d[i]) != math.Float64bits(plain) && (d[i] == d[i] || plain == plain) {
					u = math.Inf(1)
				}
			default:
				u = ulps64(d[i], bigUnary[name](x))
			}
			if u > most {
				most, at = u, x
			}
			if !(u <= bound) {
				t.Errorf("%s(%v) = %v, which is %.4f ulp away; the bound is %g", name, x, d[i], u, bound)
				break
			}
		}
		t.Logf("%s: the greatest error of %d results is %.4f ulp, at %v", name, len(d), most, at)
	}
}

// pairs64 are all pairs of some arguments, and others.
func pairs64() (a, b []float64) {
	r := seeded()
	ends := []float64{0, math.Copysign(0, -1), 5e-324, 0x1p-1022, 0.5, -0.5, 1, -1, 2, -2, 3, -3, 1<<53 - 1, -1<<53 + 1, math.MaxFloat64, -math.MaxFloat64,
		math.Inf(1), math.Inf(-1), math.NaN()}
	for _, x := range ends {
		for _, y := range ends {
			a, b = append(a, x), append(b, y)
		}
	}
	xs := sample64(r)
	for i := range 1600 {
		x, p := xs[r.IntN(len(xs))], math.Exp(r.NormFloat64()*5)
		a = append(a, x, x, p, r.NormFloat64(), r.NormFloat64())
		b = append(b, xs[r.IntN(len(xs))], x*math.Exp(r.NormFloat64()*3), (r.Float64()*2120-1080)/math.Log2(p), r.NormFloat64(), math.Ldexp(r.NormFloat64(), i%80-40))
	}
	return a, b
}

// TestBinary64 compares functions of two float64 with package math, and with numbers of 200 bits where these are needed.
func TestBinary64(t *testing.T) {
	a, b := pairs64()
	d := make([]float64, len(a))
	exact := map[string]func(x, y float64) *big.Float{
		"Atan2Of64": bigAtan2,
		"PowF64": func(x, y float64) *big.Float {
			p := bigExp(newBig(0).Mul(bigLog(newBig(math.Abs(x))), newBig(y)))
			if math.Pow(x, y) < 0 {
				p.Neg(p)
			}
			return p
		},
	}
	for name, plain := range map[string]func(x, y float64) float64{"Atan2Of64": math.Atan2, "PowF64": math.Pow, "RemF64": math.Mod} {
		mathloops.Binary64[name](d, a, b)
		most, bound := 0.0, vecmath.ByName(name).ULP
		for i := range d {
			want, u := plain(a[i], b[i]), 0.0
			switch {
			case math.Float64bits(want) == math.Float64bits(d[i]) && (exact[name] == nil || i%4 > 0) || want != want && d[i] != d[i]:
			case exact[name] == nil || a[i] == 0 || b[i] == 0 || want-want != 0 || a[i]-a[i] != 0 || b[i]-b[i] != 0 ||
				name == "PowF64" && math.Abs(b[i]*math.Log2(math.Abs(a[i]))) > 1100:
				if want != d[i] || math.Signbit(want) != math.Signbit(d[i]) {
					u = math.Inf(1)
				}
			default:
				u = ulps64(d[i], exact[name](a[i], b[i]))
			}
			most = max(most, u)
			if !(u <= bound) {
				t.Errorf("%s(%v, %v) = %v, want %v, which is %.4f ulp away; the bound is %g", name, a[i], b[i], d[i], want, u, bound)
				break
			}
		}
		t.Logf("%s: the greatest error of %d results is %.4f ulp", name, len(d), most)
	}
}
