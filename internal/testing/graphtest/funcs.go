package graphtest

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

func pointwise(n *ir.Node, in []*Array, out *Array) {
	name := n.Attr.(ir.FuncAttr).Func.Name
	t := in[len(in)-1].Elem
	args := make([]Num, len(in))
	each(n.Shape, func(i int, _ []int) {
		for j, a := range in {
			args[j] = a.Get(i)
		}
		out.Set(i, Apply(name, t, args...))
	})
}

// Apply computes a function of elements of type t.
func Apply(name string, t dtype.Type, x ...Num) Num {
	switch name {
	case "select":
		if x[0].I != 0 {
			return x[1]
		}
		return x[2]
	case "eq":
		return Num{I: truth(x[0] == x[1])}
	case "ne":
		return Num{I: truth(x[0] != x[1])}
	}
	if f := floatTests[name]; f != nil && t.IsFloat() {
		return Num{I: truth(f(x[0].F, append(x, Num{})[1].F))}
	}
	if f := floatFuncs[name]; f != nil && t.IsFloat() {
		return Num{F: f(x[0].F)}
	}
	if f := floatPairs[name]; f != nil && t.IsFloat() {
		return Num{F: f(x[0].F, x[1].F)}
	}
	if f := intFuncs[name]; f != nil {
		var y int64
		if len(x) > 1 {
			y = x[1].I
		}
		return Num{I: f(t, x[0].I, y)}
	}
	panic("BUG: graphtest has no function " + name + " of " + t.String())
}

var floatTests = map[string]func(x, y float64) bool{
	"lt": func(x, y float64) bool { return x < y }, "le": func(x, y float64) bool { return x <= y },
	"gt": func(x, y float64) bool { return x > y }, "ge": func(x, y float64) bool { return x >= y },
	"is_nan":    func(x, _ float64) bool { return math.IsNaN(x) },
	"is_inf":    func(x, _ float64) bool { return math.IsInf(x, 0) },
	"is_finite": func(x, _ float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) },
}

var floatFuncs = map[string]func(float64) float64{
	"neg": func(x float64) float64 { return -x }, "abs": math.Abs, "exp": math.Exp, "exp2": math.Exp2, "expm1": math.Expm1,
	"log": math.Log, "log2": math.Log2, "log1p": math.Log1p, "sqrt": math.Sqrt, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	"erf": math.Erf, "logistic": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc, "round_even": math.RoundToEven, "round_away": math.Round,
	"sign": func(x float64) float64 {
		if x > 0 || x < 0 {
			return math.Copysign(1, x)
		}
		return x
	},
}

var floatPairs = map[string]func(x, y float64) float64{
	"add": func(x, y float64) float64 { return x + y }, "sub": func(x, y float64) float64 { return x - y },
	"mul": func(x, y float64) float64 { return x * y }, "div": func(x, y float64) float64 { return x / y },
	"rem": math.Mod, "pow": math.Pow, "atan2": math.Atan2,
	"max": func(x, y float64) float64 { return propagate(x, y, math.Max(x, y)) },
	"min": func(x, y float64) float64 { return propagate(x, y, math.Min(x, y)) },
	"mod": func(x, y float64) float64 {
		r := math.Mod(x, y)
		if r != 0 && (r < 0) != (y < 0) {
			r += y
		}
		return r
	},
}

// propagate gives a NaN if an operand is one, and z else.
func propagate(x, y, z float64) float64 {
	if math.IsNaN(x) || math.IsNaN(y) {
		return math.NaN()
	}
	return z
}

// compare orders integers of a type.
func compare(t dtype.Type, x, y int64) int {
	if t == dtype.U64 {
		return cmp.Compare(uint64(x), uint64(y))
	}
	return cmp.Compare(x, y)
}

var intFuncs = map[string]func(t dtype.Type, x, y int64) int64{
	"neg": func(_ dtype.Type, x, _ int64) int64 { return -x },
	"abs": func(t dtype.Type, x, _ int64) int64 {
		if t.IsSigned() && x < 0 {
			return -x
		}
		return x
	},
	"sign":     func(t dtype.Type, x, _ int64) int64 { return int64(compare(t, x, 0)) },
	"not":      func(_ dtype.Type, x, _ int64) int64 { return ^x },
	"clz":      func(t dtype.Type, x, _ int64) int64 { return int64(bits.LeadingZeros64(low(t, x)) - 64 + 8*t.Size()) },
	"popcount": func(t dtype.Type, x, _ int64) int64 { return int64(bits.OnesCount64(low(t, x))) },
	"add":      func(_ dtype.Type, x, y int64) int64 { return x + y },
	"sub":      func(_ dtype.Type, x, y int64) int64 { return x - y },
	"mul":      func(_ dtype.Type, x, y int64) int64 { return x * y },
	"div": func(t dtype.Type, x, y int64) int64 {
		switch {
		case y == 0:
			return -1
		case t == dtype.U64:
			return int64(uint64(x) / uint64(y))
		}
		return x / y
	},
	"rem": remainder,
	"mod": func(t dtype.Type, x, y int64) int64 {
		r := remainder(t, x, y)
		if t.IsSigned() && r != 0 && y != 0 && (r < 0) != (y < 0) {
			r += y
		}
		return r
	},
	"pow": func(t dtype.Type, x, y int64) int64 {
		if t.IsSigned() && y < 0 {
			switch x {
			case 0:
				return -1
			case 1:
				return 1
			case -1:
				return 1 - 2*(y&1)
			}
			return 0
		}
		p := int64(1)
		for n := uint64(y); n > 0; n >>= 1 {
			if n&1 != 0 {
				p *= x
			}
			x *= x
		}
		return p
	},
	"max": func(t dtype.Type, x, y int64) int64 {
		if compare(t, x, y) > 0 {
			return x
		}
		return y
	},
	"min": func(t dtype.Type, x, y int64) int64 {
		if compare(t, x, y) < 0 {
			return x
		}
		return y
	},
	"and": func(_ dtype.Type, x, y int64) int64 { return x & y },
	"or":  func(_ dtype.Type, x, y int64) int64 { return x | y },
	"xor": func(_ dtype.Type, x, y int64) int64 { return x ^ y },
	"shl": func(t dtype.Type, x, y int64) int64 { return int64(low(t, x) << distance(t, y)) },
	"shr": func(t dtype.Type, x, y int64) int64 { return int64(low(t, x) >> distance(t, y)) },
	"sar": func(t dtype.Type, x, y int64) int64 {
		shift := 64 - 8*t.Size()
		return x << shift >> shift >> distance(t, y)
	},
	"mulhi": func(t dtype.Type, x, y int64) int64 {
		p := new(big.Int).Mul(whole(t, x), whole(t, y))
		p.Rsh(p, uint(8*t.Size()))
		return int64(new(big.Int).And(p, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
	},
	"lt": func(t dtype.Type, x, y int64) int64 { return truth(compare(t, x, y) < 0) },
	"le": func(t dtype.Type, x, y int64) int64 { return truth(compare(t, x, y) <= 0) },
	"gt": func(t dtype.Type, x, y int64) int64 { return truth(compare(t, x, y) > 0) },
	"ge": func(t dtype.Type, x, y int64) int64 { return truth(compare(t, x, y) >= 0) },
}

func remainder(t dtype.Type, x, y int64) int64 {
	switch {
	case y == 0:
		return x
	case t == dtype.U64:
		return int64(uint64(x) % uint64(y))
	}
	return x % y
}

// low gives the bits of an integer of a type.
func low(t dtype.Type, x int64) uint64 { return uint64(x) & (1<<(8*t.Size()-1)<<1 - 1) }

// distance gives how far to shift: 64 for anything that is too far.
func distance(t dtype.Type, y int64) uint64 {
	if d := low(t, y); d < uint64(8*t.Size()) {
		return d
	}
	return 64
}

func whole(t dtype.Type, x int64) *big.Int {
	if t == dtype.U64 {
		return new(big.Int).SetUint64(uint64(x))
	}
	return big.NewInt(x)
}
