package cpu_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

func exact(x float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(x) }

func newBig() *big.Float { return new(big.Float).SetPrec(5000) }

// arithmetic are the references of the operations with a rounding mode. The float64 result decides where an operand or
// the result is not finite; the exact one is rounded elsewhere.
var arithmetic = map[string]struct {
	args  int
	plain func(a, b, c float64) float64
	exact func(a, b, c float64) *big.Float
}{
	"addf": {2, func(a, b, _ float64) float64 { return a + b }, func(a, b, _ float64) *big.Float { return newBig().Add(exact(a), exact(b)) }},
	"subf": {2, func(a, b, _ float64) float64 { return a - b }, func(a, b, _ float64) *big.Float { return newBig().Sub(exact(a), exact(b)) }},
	"mulf": {2, func(a, b, _ float64) float64 { return a * b }, func(a, b, _ float64) *big.Float { return newBig().Mul(exact(a), exact(b)) }},
	"divf": {2, func(a, b, _ float64) float64 { return a / b }, func(a, b, _ float64) *big.Float {
		if b == 0 {
			return nil
		}
		return newBig().Quo(exact(a), exact(b))
	}},
	"sqrt": {1, func(a, _, _ float64) float64 { return math.Sqrt(a) }, func(a, _, _ float64) *big.Float {
		if a < 0 {
			return nil
		}
		return newBig().Sqrt(exact(a))
	}},
	"fma": {3, func(a, b, c float64) float64 { return math.FMA(a, b, c) }, func(a, b, c float64) *big.Float {
		return newBig().Add(newBig().Mul(exact(a), exact(b)), exact(c))
	}},
}

var modes = map[string]tileir.Int{
	"nearest": tileir.RoundingNearestEven, "zero": tileir.RoundingZero,
	"down": tileir.RoundingNegativeInf, "up": tileir.RoundingPositiveInf,
}

func finite(x ...float64) bool {
	for _, v := range x {
		if math.IsInf(v, 0) || v != v {
			return false
		}
	}
	return true
}

// zeroIsNegative gives the sign of an exact zero result.
func zeroIsNegative(op string, a, b, c float64, mode tileir.Int) bool {
	down := mode == tileir.RoundingNegativeInf
	cancel := func(x, y float64) bool { // of the sum x + y = 0
		if math.Signbit(x) == math.Signbit(y) {
			return math.Signbit(x)
		}
		return down
	}
	switch op {
	case "addf":
		return cancel(a, b)
	case "subf":
		return cancel(a, -b)
	case "fma":
		p := math.Copysign(1, a) * math.Copysign(1, b)
		return cancel(math.Copysign(0, p), c)
	case "sqrt":
		return math.Signbit(a)
	}
	return math.Signbit(a) != math.Signbit(b)
}

func TestRounding(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for op, ref := range arithmetic {
		for name, mode := range modes {
			for _, f := range formats {
				t.Run(fmt.Sprintf("%s/%s/%s", op, f.elem, name), func(t *testing.T) {
					a, b := f.operands(generator(7))
					c := f.random(generator(11), len(a))
					for i := range c { // make sums near ties and cancellations
						switch i % 4 {
						case 0:
							c[i] = b[(i+1)%len(b)]
						case 1:
							c[i] = f.round(clampBig(a[i], b[i]), tileir.RoundingNearestEven, false) * -1
						}
					}
					in := []input{{f.elem, f.encode(a)}, {f.elem, f.encode(b)}, {f.elem, f.encode(c)}}[:ref.args]
					got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
						return k.one(op, args, attrs{"rounding_mode": mode}, args[0].Type)
					})
					if err != nil {
						t.Fatal(err)
					}
					for i, g := range f.decode(got) {
						want := ref.plain(a[i], b[i], c[i])
						used := []float64{a[i], b[i], c[i]}[:ref.args]
						if finite(used...) {
							if x := ref.exact(a[i], b[i], c[i]); x != nil {
								want = f.round(x, mode, zeroIsNegative(op, a[i], b[i], c[i], mode) || x.Sign() < 0)
							}
						}
						if !same(g, want) {
							t.Fatalf("%s(%v) is %v, want %v", op, used, g, want)
						}
					}
				})
			}
		}
	}
}

// clampBig is the exact product, or zero where it is not finite.
func clampBig(a, b float64) *big.Float {
	if !finite(a, b) {
		return newBig()
	}
	return newBig().Mul(exact(a), exact(b))
}

// mathOps are the references of the elementary functions; ulps is the error that is allowed in units of the last place
// of the element type, beyond the rounding of the reference itself.
var mathOps = []struct {
	op   string
	f    func(float64) float64
	ulps float64
}{
	{"exp", math.Exp, 1}, {"exp2", math.Exp2, 1}, {"log", math.Log, 1}, {"log2", math.Log2, 1}, {"sin", math.Sin, 1},
	{"cos", math.Cos, 1}, {"tan", math.Tan, 1}, {"sinh", math.Sinh, 1}, {"cosh", math.Cosh, 1}, {"tanh", math.Tanh, 1},
	{"ceil", math.Ceil, 0}, {"floor", math.Floor, 0}, {"rsqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }, 1},
	{"absf", math.Abs, 0}, {"negf", func(x float64) float64 { return -x }, 0},
}

// ulpsApart is the distance of two values in units of the last place of the format.
func (f format) ulpsApart(a, b float64) float64 {
	if same(a, b) || a == b {
		return 0
	}
	if !finite(a, b) {
		return math.Inf(1)
	}
	_, e := math.Frexp(b)
	return math.Abs(a-b) / math.Ldexp(1, max(e-1, f.emin)-f.prec+1)
}

func TestMath(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, m := range mathOps {
		for _, f := range formats {
			t.Run(m.op+"/"+f.elem.String(), func(t *testing.T) {
				a, _ := f.operands(generator(3))
				for i := len(a) / 2; i < len(a); i++ { // many in the range where functions are interesting
					a[i] = f.round(exact(float64(i-3*len(a)/4)/20), tileir.RoundingNearestEven, false)
				}
				got, err := runTiles(t, d, []input{{f.elem, f.encode(a)}}, func(k *kernel, args vals) *tileir.Value {
					as := attrs{}
					if k := tileir.Lookup(m.op); k.AttrIndex("rounding_mode") >= 0 {
						as["rounding_mode"] = tileir.RoundingFull
					}
					return k.one(m.op, args, as, args[0].Type)
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, g := range f.decode(got) {
					want := m.f(a[i])
					if finite(want) {
						want = f.round(exact(want), tileir.RoundingNearestEven, math.Signbit(want))
					}
					if u := f.ulpsApart(g, want); u > m.ulps {
						t.Fatalf("%s(%v) is %v, want %v: %g ulps", m.op, a[i], g, want, u)
					}
				}
			})
		}
	}
}

func TestExpClose(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	const n = 1 << 16
	a := make([]float32, n)
	for i := range a {
		a[i] = (float32(i) - n/2) * (110. / (n / 2))
	}
	for _, op := range []string{"exp", "exp2"} {
		as32 := attrs{}
		if op == "exp" {
			as32["rounding_mode"] = tileir.RoundingFull
		}
		got, err := runTiles(t, d, []input{{tileir.F32, bytesOf(a)}}, func(k *kernel, args vals) *tileir.Value {
			return k.one(op, args, as32, args[0].Type)
		})
		if err != nil {
			t.Fatal(err)
		}
		ref := map[string]func(float64) float64{"exp": math.Exp, "exp2": math.Exp2}[op]
		worst := 0.0
		for i, g := range as[float32](got) {
			want := ref(float64(a[i]))
			_, e := math.Frexp(want)
			if u := math.Abs(float64(g)-want) / math.Ldexp(1, max(e-1, -126)-23); want < math.MaxFloat32 {
				worst = max(worst, u)
			}
		}
		if worst > 0.51 {
			t.Errorf("%s is off by %.3f ulp", op, worst)
		}
	}
}

func TestMinMaxCompare(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, f := range formats {
		a, b := f.operands(generator(5))
		in := []input{{f.elem, f.encode(a)}, {f.elem, f.encode(b)}}
		for _, nan := range []bool{false, true} {
			for _, op := range []string{"maxf", "minf"} {
				got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
					return k.one(op, args, attrs{"propagate_nan": tileir.Bool(nan)}, args[0].Type)
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, g := range f.decode(got) {
					want := math.Max(a[i], b[i])
					if op == "minf" {
						want = math.Min(a[i], b[i])
					}
					switch aNaN, bNaN := a[i] != a[i], b[i] != b[i]; {
					case (aNaN || bNaN) && nan:
						want = math.NaN()
					case aNaN:
						want = b[i]
					case bNaN:
						want = a[i]
					}
					if !same(g, want) {
						t.Fatalf("%s/%s nan=%v (%v, %v) is %v, want %v", op, f.elem, nan, a[i], b[i], g, want)
					}
				}
			}
		}
		compareAll(t, d, f, a, b, in)
	}
}

func compareAll(t *testing.T, d *cpu.Device, f format, a, b []float64, in []input) {
	preds := []func(a, b float64) bool{
		func(a, b float64) bool { return a == b }, func(a, b float64) bool { return a < b || a > b },
		func(a, b float64) bool { return a < b }, func(a, b float64) bool { return a <= b },
		func(a, b float64) bool { return a > b }, func(a, b float64) bool { return a >= b },
	}
	for p, pred := range preds {
		for _, ord := range []tileir.Int{tileir.CompareOrdered, tileir.CompareUnordered} {
			got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
				return k.one("cmpf", args, attrs{"comparison_predicate": tileir.Int(p), "comparison_ordering": ord}, tileir.Tile(tileir.I1, len(a)))
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range got {
				want := pred(a[i], b[i]) || ord == tileir.CompareUnordered && (a[i] != a[i] || b[i] != b[i])
				if g > 1 || (g == 1) != want {
					t.Fatalf("cmpf %d %d of %s (%v, %v) is %d, want %v", p, ord, f.elem, a[i], b[i], g, want)
				}
			}
		}
	}
}

func TestBinaryMath(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for op, ref := range map[string]func(a, b float64) float64{"remf": math.Mod, "fpowf": math.Pow, "atan2": math.Atan2} {
		for _, f := range formats {
			a, b := f.operands(generator(9))
			got, err := runTiles(t, d, []input{{f.elem, f.encode(a)}, {f.elem, f.encode(b)}}, func(k *kernel, args vals) *tileir.Value {
				return k.one(op, args, nil, args[0].Type)
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range f.decode(got) {
				want := ref(a[i], b[i])
				if finite(want) {
					want = f.round(exact(want), tileir.RoundingNearestEven, math.Signbit(want))
				}
				if u := f.ulpsApart(g, want); u > 1 {
					t.Fatalf("%s/%s(%v, %v) is %v, want %v", op, f.elem, a[i], b[i], g, want)
				}
			}
		}
	}
}

func TestFlushToZero(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	tiny, normal := float32(math.Ldexp(1, -140)), float32(math.Ldexp(1, -126))
	a := []float32{tiny, -tiny, normal, normal, 1, -normal, 0, 2}
	b := []float32{1, 1, 0.5, 1, tiny, 0.25, tiny, 2}
	flush := func(x float32) float32 {
		if math.Abs(float64(x)) < float64(normal) {
			return float32(math.Copysign(0, float64(x)))
		}
		return x
	}
	for op, ref := range map[string]func(a, b float32) float32{
		"addf": func(a, b float32) float32 { return a + b }, "mulf": func(a, b float32) float32 { return a * b },
		"subf": func(a, b float32) float32 { return a - b }, "divf": func(a, b float32) float32 { return a / b },
	} {
		got, err := runTiles(t, d, []input{{tileir.F32, bytesOf(a)}, {tileir.F32, bytesOf(b)}}, func(k *kernel, args vals) *tileir.Value {
			return k.one(op, args, attrs{"rounding_mode": tileir.RoundingNearestEven, "flush_to_zero": tileir.Bool(true)}, args[0].Type)
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range as[float32](got) {
			if want := flush(ref(flush(a[i]), flush(b[i]))); !same(float64(g), float64(want)) {
				t.Errorf("%s(%g, %g) is %g, want %g", op, a[i], b[i], g, want)
			}
		}
	}
}
