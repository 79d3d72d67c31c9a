package emit

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// eval computes an expression, unless that is done already.
func (e *emitter) eval(x *loops.Expr) value {
	for _, s := range e.scopes {
		if v, ok := s[x.ID]; ok && e.current(x, v) {
			return v.value
		}
	}
	v := e.compute(x)
	e.know(x, v)
	return v
}

func (e *emitter) know(x *loops.Expr, v value) { e.scopes[len(e.scopes)-1][x.ID] = known{v, e.bound} }

// current reports whether the axes of an expression have the tiles for which its value was computed.
func (e *emitter) current(x *loops.Expr, v known) bool {
	for i, b := range v.bound {
		if b != e.bound[i] && x.Uses.Has(i) {
			return false
		}
	}
	return true
}

func (e *emitter) compute(x *loops.Expr) value {
	switch x.Kind {
	case loops.Const:
		return e.splat(x.Elem, x.Bits)
	case loops.Load:
		return e.load(x)
	case loops.Number:
		return e.convert(e.index(x.At), x.Elem)
	case loops.Convert:
		return e.convert(e.eval(x.Args[0]), x.Elem)
	case loops.Bitcast:
		v := e.eval(x.Args[0])
		if irElem(v.elem) != irElem(x.Elem) {
			v.v = e.Bitcast(v.v, irElem(x.Elem))
		}
		v.elem = x.Elem
		return v
	case loops.Guard:
		return e.choose(e.conditions(x.Where), e.eval(x.Args[0]), e.eval(x.Args[1]))
	case loops.Reduce:
		return e.reduce(x)
	case loops.ArgReduce:
		return e.argReduce(x)
	case loops.Scan:
		return e.scan(x)
	case loops.ArgSort:
		return e.argSort(x)
	case loops.Dot:
		return e.dot(x)
	case loops.Attention:
		return e.attention(x)
	}
	args := make([]value, len(x.Args))
	for i, a := range x.Args {
		args[i] = e.eval(a)
	}
	return e.call(x.Func.Name, args...)
}

// choose selects between two tiles.
func (e *emitter) choose(cond, a, b value) value {
	dims := cond.dims | a.dims | b.dims
	return value{e.Select(e.expand(cond, dims).v, e.expand(a, dims).v, e.expand(b, dims).v), a.elem, dims}
}

// convert converts elements as ir.Graph.Convert says.
func (e *emitter) convert(x value, to dtype.Type) value {
	from := x.elem
	if from == to {
		return x
	}
	out := value{elem: to, dims: x.dims}
	zero := func() *tileir.Value { return e.expand(e.splat(from, 0), x.dims).v }
	switch {
	case to == dtype.Bool && from.IsFloat() && !mathFloat(from):
		return e.convert(e.convert(x, dtype.F32), to)
	case to == dtype.Bool && from.IsFloat():
		out.v = e.CmpF(x.v, zero(), tileir.CompareNotEqual, tileir.CompareUnordered)
	case to == dtype.Bool:
		out.v = e.CmpI(x.v, zero(), tileir.CompareNotEqual, tileir.Unsigned)
	case from.IsFloat() && to.IsFloat():
		out.v = e.FToF(x.v, irElem(to))
	case from.IsFloat():
		out.v = e.FToI(x.v, signOf(to), tileir.RoundingNearestIntToZero, irElem(to), tileir.WithSaturation())
	case to.IsFloat() && !mathFloat(to):
		return e.convert(e.convert(x, dtype.F32), to)
	case to.IsFloat():
		out.v = e.IToF(x.v, signOf(from), tileir.RoundingNearestEven, irElem(to))
	default:
		out.v = e.resized(x, to)
	}
	return out
}

// resized widens or narrows an integer.
func (e *emitter) resized(x value, to dtype.Type) *tileir.Value {
	switch a, b := irElem(x.elem).Bits(), irElem(to).Bits(); {
	case a < b:
		return e.ExtI(x.v, signOf(x.elem), irElem(to))
	case a > b:
		return e.TruncI(x.v, irElem(to))
	}
	return x.v
}

// mathFloat reports whether Tile IR computes with a float type, and not only stores it.
func mathFloat(t dtype.Type) bool {
	return t == dtype.F16 || t == dtype.BF16 || t == dtype.F32 || t == dtype.F64
}
