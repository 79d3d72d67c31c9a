package emit

import (
	"math"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
)

// call applies a function of elements to tiles.
func (e *emitter) call(name string, args ...value) value {
	var dims uint64
	for _, a := range args {
		dims |= a.dims
	}
	t := args[len(args)-1].elem
	tiles := make([]*tileir.Value, len(args))
	for i, a := range args {
		tiles[i] = e.expand(a, dims).v
	}
	out := value{e.apply(name, t, tiles...), t, dims}
	if out.v.Type.(*tileir.TileType).Elem == tileir.I1 {
		out.elem = dtype.Bool
	}
	return out
}

// apply applies a function to tiles of the same shape, with elements of type t.
func (e *emitter) apply(name string, t dtype.Type, args ...*tileir.Value) *tileir.Value {
	return funcs[name](&scope{e.Builder, t}, args)
}

// scope is a builder with the element type of a function's operands.
type scope struct {
	*tileir.Builder
	t dtype.Type
}

// funcs writes the functions of package ir, by name.
var funcs map[string]func(s *scope, x []*tileir.Value) *tileir.Value

func init() { // functions use each other
	funcs = map[string]func(*scope, []*tileir.Value) *tileir.Value{
		"neg": numeric(func(s *scope, x []*tileir.Value) *tileir.Value { return s.NegF(x[0]) },
			func(s *scope, x []*tileir.Value) *tileir.Value { return s.NegI(x[0]) }),
		"abs": numeric(func(s *scope, x []*tileir.Value) *tileir.Value { return s.AbsF(x[0]) }, absInt),
		"add": numeric(rounded((*tileir.Builder).AddF), wrapping((*tileir.Builder).AddI)),
		"sub": numeric(rounded((*tileir.Builder).SubF), wrapping((*tileir.Builder).SubI)),
		"mul": numeric(rounded((*tileir.Builder).MulF), wrapping((*tileir.Builder).MulI)),
		"div": numeric(rounded((*tileir.Builder).DivF), divInt),
		"rem": numeric(func(s *scope, x []*tileir.Value) *tileir.Value { return s.RemF(x[0], x[1]) }, remInt),
		"max": numeric(propagating((*tileir.Builder).MaxF), signed((*tileir.Builder).MaxI)),
		"min": numeric(propagating((*tileir.Builder).MinF), signed((*tileir.Builder).MinI)),
		"pow": numeric(func(s *scope, x []*tileir.Value) *tileir.Value { return s.FPowF(x[0], x[1]) }, powInt),

		"sign": signFunc, "mod": modFunc,
		"exp":   func(s *scope, x []*tileir.Value) *tileir.Value { return s.Exp(x[0]) },
		"exp2":  func(s *scope, x []*tileir.Value) *tileir.Value { return s.Exp2(x[0]) },
		"log":   unary((*tileir.Builder).Log),
		"log2":  unary((*tileir.Builder).Log2),
		"sqrt":  func(s *scope, x []*tileir.Value) *tileir.Value { return s.Sqrt(x[0], tileir.RoundingNearestEven) },
		"rsqrt": func(s *scope, x []*tileir.Value) *tileir.Value { return s.Rsqrt(x[0]) },
		"sin":   unary((*tileir.Builder).Sin),
		"cos":   unary((*tileir.Builder).Cos),
		"tan":   unary((*tileir.Builder).Tan),
		"sinh":  unary((*tileir.Builder).SinH),
		"cosh":  unary((*tileir.Builder).CosH),
		"tanh":  func(s *scope, x []*tileir.Value) *tileir.Value { return s.TanH(x[0]) },
		"floor": unary((*tileir.Builder).Floor),
		"ceil":  unary((*tileir.Builder).Ceil),
		"atan2": func(s *scope, x []*tileir.Value) *tileir.Value { return s.Atan2(x[0], x[1]) },

		"expm1": expm1, "log1p": log1p, "asin": asin, "acos": acos, "atan": atan,
		"asinh": asinh, "acosh": acosh, "atanh": atanh, "erf": inFloat32(erf), "logistic": logistic,
		"trunc": trunc, "round_even": roundEven, "round_away": roundAway,
		"is_nan": func(s *scope, x []*tileir.Value) *tileir.Value { return s.test(tileir.CompareNotEqual, x[0], x[0]) },
		"is_inf": isInf,
		"is_finite": func(s *scope, x []*tileir.Value) *tileir.Value {
			return s.test(tileir.CompareLessThan, s.AbsF(x[0]), s.float(x[0], math.Inf(1)))
		},

		"not": func(s *scope, x []*tileir.Value) *tileir.Value { return s.not(x[0]) },
		"and": plain((*tileir.Builder).AndI), "or": plain((*tileir.Builder).OrI), "xor": plain((*tileir.Builder).XOrI),
		"shl": shifted(func(s *scope, x, n *tileir.Value) *tileir.Value { return s.ShLI(x, n) }, false),
		"shr": shifted(func(s *scope, x, n *tileir.Value) *tileir.Value { return s.ShRI(x, n, tileir.Unsigned) }, false),
		"sar": shifted(func(s *scope, x, n *tileir.Value) *tileir.Value { return s.ShRI(x, n, tileir.Signed) }, true),
		"clz": clz, "popcount": popcount, "mulhi": mulHigh,

		"eq": compared(tileir.CompareEqual), "ne": compared(tileir.CompareNotEqual), "lt": compared(tileir.CompareLessThan),
		"le": compared(tileir.CompareLessThanOrEqual), "gt": compared(tileir.CompareGreaterThan), "ge": compared(tileir.CompareGreaterThanOrEqual),
		"select": func(s *scope, x []*tileir.Value) *tileir.Value { return s.Select(x[0], x[1], x[2]) },
	}
}

type function = func(s *scope, x []*tileir.Value) *tileir.Value

// numeric chooses by the element type.
func numeric(float, integer function) function {
	return func(s *scope, x []*tileir.Value) *tileir.Value {
		if s.t.IsFloat() {
			return float(s, x)
		}
		return integer(s, x)
	}
}

func unary(f func(*tileir.Builder, *tileir.Value) *tileir.Value) function {
	return func(s *scope, x []*tileir.Value) *tileir.Value { return f(s.Builder, x[0]) }
}

func plain(f func(b *tileir.Builder, x, y *tileir.Value) *tileir.Value) function {
	return func(s *scope, x []*tileir.Value) *tileir.Value { return f(s.Builder, x[0], x[1]) }
}

func rounded(f func(b *tileir.Builder, x, y *tileir.Value, mode tileir.Int, opts ...tileir.Option) *tileir.Value) function {
	return func(s *scope, x []*tileir.Value) *tileir.Value {
		return f(s.Builder, x[0], x[1], tileir.RoundingNearestEven)
	}
}

func wrapping(f func(b *tileir.Builder, x, y *tileir.Value, opts ...tileir.Option) *tileir.Value) function {
	return func(s *scope, x []*tileir.Value) *tileir.Value { return f(s.Builder, x[0], x[1]) }
}

func propagating(f func(b *tileir.Builder, x, y *tileir.Value, opts ...tileir.Option) *tileir.Value) function {
	return func(s *scope, x []*tileir.Value) *tileir.Value {
		return f(s.Builder, x[0], x[1], tileir.WithPropagateNaN())
	}
}

func signed(f func(b *tileir.Builder, x, y *tileir.Value, sign tileir.Int) *tileir.Value) function {
	return func(s *scope, x []*tileir.Value) *tileir.Value { return f(s.Builder, x[0], x[1], signOf(s.t)) }
}

func compared(p tileir.Int) function {
	return func(s *scope, x []*tileir.Value) *tileir.Value { return s.test(p, x[0], x[1]) }
}

// test compares elements; of floats, only != holds for a NaN.
func (s *scope) test(p tileir.Int, x, y *tileir.Value) *tileir.Value {
	if !s.t.IsFloat() {
		return s.CmpI(x, y, p, signOf(s.t))
	}
	order := tileir.CompareOrdered
	if p == tileir.CompareNotEqual {
		order = tileir.CompareUnordered
	}
	return s.CmpF(x, y, p, order)
}

// typeOf gives the type of a tile.
func typeOf(x *tileir.Value) *tileir.TileType { return x.Type.(*tileir.TileType) }

// float is a tile like x of one number.
func (s *scope) float(x *tileir.Value, f float64) *tileir.Value {
	return s.Constant(tileir.FloatConstant(typeOf(x), f))
}

// int is a tile like x of one integer.
func (s *scope) int(x *tileir.Value, n int64) *tileir.Value {
	return s.Constant(tileir.IntConstant(typeOf(x), n))
}

// not inverts all bits.
func (e *emitter) not(x *tileir.Value) *tileir.Value { return (&scope{e.Builder, dtype.Bool}).not(x) }

func (s *scope) not(x *tileir.Value) *tileir.Value { return s.XOrI(x, s.int(x, -1)) }

// call applies another function of the table to elements of the same type.
func (s *scope) call(name string, x ...*tileir.Value) *tileir.Value { return funcs[name](s, x) }
