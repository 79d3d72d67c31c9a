package access

import (
	"slices"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// Form gives the form of an integer, or of each element of a tile of integers. There always is one: what no rule explains is
// an atom of its own.
func (in *Info) Form(v *tileir.Value) Form {
	l := in.layer(v)
	if f, ok := l.forms[v]; ok {
		return f
	}
	f, ok := in.explain(v)
	if !ok {
		f = in.opaque(v)
	}
	l.forms[v] = f
	return f
}

// tileOf is the type of a tile of integers other than truth values; nil for other values.
func tileOf(v *tileir.Value) *tileir.TileType {
	t, ok := v.Type.(*tileir.TileType)
	if !ok || t.Pointer || !t.Elem.IsInt() || t.Elem == tileir.I1 {
		return nil
	}
	return t
}

func (in *Info) explain(v *tileir.Value) (Form, bool) {
	switch {
	case tileOf(v) == nil:
		return Form{}, false
	case v.Def == nil:
		return in.carried(v)
	}
	rule := rules[v.Def.Info.Opcode]
	if rule == nil {
		return Form{}, false
	}
	return rule(in, v, v.Def)
}

// opaque makes an atom of a value.
func (in *Info) opaque(v *tileir.Value) Form {
	n := in.values[v]
	a := Atom{Kind: Scalar, Value: v, seq: n.seq}
	t, _ := v.Type.(*tileir.TileType)
	switch {
	case n.param >= 0:
		a.Kind, a.Axis = Param, int(n.param)
	case in.spans.Counter(v) != nil:
		a.Kind = Counter
	case t != nil && t.Size() > 1:
		a.Kind = Element
		for d, extent := range t.Shape {
			if extent > 1 {
				a.along |= uint64(d+1) << (4 * d)
			}
		}
	}
	return one(a)
}

// rule gives the form of an operation's result; it reports false where the result is no sum that cannot wrap around.
type rule func(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool)

// rules has the operations that are understood.
var rules [128]rule

func init() { // a literal would refer to itself
	for code, r := range map[int]rule{
		tileir.OpConstant: constantForm, tileir.OpIota: iotaForm, tileir.OpAssume: sameForm,
		tileir.OpAddI: sum(1), tileir.OpSubI: sum(-1), tileir.OpMulI: product, tileir.OpShLI: shifted, tileir.OpNegI: negated,
		tileir.OpDivI: divided, tileir.OpRemI: divided, tileir.OpMinI: chosen, tileir.OpMaxI: chosen, tileir.OpSelect: selected,
		tileir.OpExtI: extended, tileir.OpTruncI: truncated,
		tileir.OpReshape: movedForm, tileir.OpBroadcast: movedForm, tileir.OpPermute: movedForm,
		tileir.OpGetTileBlockId: blockForm, tileir.OpGetNumTileBlocks: blockForm,
		tileir.OpGetTensorShape: shapeForm, tileir.OpGetIndexSpaceShape: tilesForm,
	} {
		rules[code] = r
	}
}

func constantForm(_ *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
	c, _ := o.Attr("value").(*tileir.Constant)
	if c == nil {
		return Form{}, false
	}
	bits, same := c.Splat()
	shift := 64 - tileOf(v).Elem.Bits()
	return number(int64(bits<<shift) >> shift), same
}

func iotaForm(in *Info, v *tileir.Value, _ *tileir.Op) (Form, bool) {
	t := tileOf(v)
	if !interval.Ints(0, int64(t.Size())-1).Within(ranges.Signed(t).Range()) {
		return Form{}, false // wraps around
	}
	return in.index(0, t.Size()), true
}

// index is the form of an index along a dimension of a tile.
func (in *Info) index(dim, size int) Form {
	if size == 1 {
		return number(0)
	}
	return one(Atom{Kind: Index, Axis: dim, Size: size})
}

func sameForm(in *Info, _ *tileir.Value, o *tileir.Op) (Form, bool) {
	return in.Form(o.Operands[0]), true
}

// fits reports whether a form stays in the type of the value that it is to stand for: by a promise of the operation, by the
// form itself, or by the ranges of two operands.
func (in *Info) fits(f Form, v *tileir.Value, o *tileir.Op) bool {
	if o.Info.AttrIndex("overflow") >= 0 {
		if p := tileir.Int(o.Int("overflow")); p == tileir.OverflowNoSignedWrap || p == tileir.OverflowNoWrap {
			return true
		}
	}
	t := ranges.Signed(tileOf(v))
	if s, ok := in.spanOf(f); ok && s.Within(t.Range()) {
		return true
	}
	a, ok := ranges.ArithmeticOf(o)
	if !ok {
		return false
	}
	_, exact := a.Op.Range(t, in.Span(o.Operands[0]), in.Span(o.Operands[1]))
	return exact
}

// sum is the rule of x + n*y.
func sum(n int64) rule {
	return func(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
		f, ok := in.Form(o.Operands[0]).plusTimes(n, in.Form(o.Operands[1]))
		return f, ok && in.fits(f, v, o)
	}
}

func product(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
	f, ok := in.Form(o.Operands[0]).times(in.Form(o.Operands[1]))
	return f, ok && in.fits(f, v, o)
}

func shifted(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
	n, ok := in.Form(o.Operands[1]).Number()
	if !ok || n < 0 || n >= int64(tileOf(v).Elem.Bits())-1 {
		return Form{}, false
	}
	f, ok := number(0).plusTimes(1<<n, in.Form(o.Operands[0]))
	return f, ok && in.fits(f, v, o)
}

func negated(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
	f, ok := number(0).minus(in.Form(o.Operands[0]))
	return f, ok && in.fits(f, v, o)
}

// divided is the rule of quotients and remainders by a number: x is n*q + r with r from 0 to n-1.
func divided(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
	x := in.Form(o.Operands[0])
	n, ok := in.Form(o.Operands[1]).Number()
	if !ok || n < 1 {
		return Form{}, false
	}
	rest := x.part(func(t Term) bool { return t.Coef%n != 0 })
	rest.Const = (x.Const%n + n) % n
	whole, ok := x.minus(rest)
	if s, exact := in.spanOf(rest); !ok || !exact || !s.Within(interval.Ints(0, n-1)) {
		return Form{}, false
	}
	remainder, _ := rest.Number()
	if exactly := remainder == 0 && len(rest.Terms) == 0; !in.Span(o.Operands[0]).NonNegative() && (!exactly || !ranges.Reads(o).Signed) {
		return Form{}, false // rounds in another direction, or is read as another number
	} else if o.Info.Opcode == tileir.OpRemI {
		return rest, true
	} else if tileir.Int(o.Int("rounding")) == tileir.RoundingPositiveInf && !exactly {
		return Form{}, false
	}
	q := Form{Const: whole.Const / n, Terms: slices.Clone(whole.Terms)}
	for i := range q.Terms {
		q.Terms[i].Coef /= n
	}
	return q, true
}

// chosen is the rule of the least and the greatest of two integers, where ranges decide.
func chosen(in *Info, _ *tileir.Value, o *tileir.Op) (Form, bool) {
	x, y := o.Operands[0], o.Operands[1]
	a, b := in.Span(x), in.Span(y)
	if !ranges.Reads(o).Signed && !(a.NonNegative() && b.NonNegative()) {
		return Form{}, false
	}
	if o.Info.Opcode == tileir.OpMaxI {
		a, b = b, a
	}
	switch {
	case a.Hi.Cmp(b.Lo) <= 0:
		return in.Form(x), true
	case b.Hi.Cmp(a.Lo) <= 0:
		return in.Form(y), true
	}
	return Form{}, false
}

func selected(in *Info, _ *tileir.Value, o *tileir.Op) (Form, bool) {
	switch s := in.spans.Span(o.Operands[0]); {
	case !s.Single():
		return Form{}, false
	case s.NonNegative():
		return in.Form(o.Operands[2]), true
	}
	return in.Form(o.Operands[1]), true
}

func extended(in *Info, _ *tileir.Value, o *tileir.Op) (Form, bool) {
	x := o.Operands[0]
	if tileOf(x) == nil {
		return Form{}, false
	}
	return in.Form(x), ranges.Reads(o).Signed || in.Span(x).NonNegative()
}

func truncated(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
	f := in.Form(o.Operands[0])
	return f, in.fits(f, v, o) || in.Span(o.Operands[0]).Within(ranges.Signed(tileOf(v)).Range())
}

// blockForm is the rule of the numbers of blocks and the sizes of the grid, which all operations that ask for them share.
func blockForm(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
	axis := slices.Index(o.Results, v)
	a := Atom{Kind: BlockID, Axis: axis, Value: in.blocks[axis]}
	if o.Info.Opcode == tileir.OpGetNumTileBlocks {
		a.Kind, a.Value = GridSize, in.grid[axis]
	}
	return in.single(v, one(a))
}

// single replaces a form by the number that the ranges leave.
func (in *Info) single(v *tileir.Value, f Form) (Form, bool) {
	if s := in.Span(v); s.Single() {
		if n, ok := s.Lo.Int64(); ok {
			return number(n), true
		}
	}
	return f, true
}

// shapeForm is the rule of a tensor's extent.
func shapeForm(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
	axis := slices.Index(o.Results, v)
	if d := o.Operands[0].Def; d != nil && d.Info.Opcode == tileir.OpMakeTensorView {
		f := in.given(d, "dynamicShape", d.Results[0].Type.(*tileir.TensorViewType).Shape, axis)
		if s, ok := in.spanOf(f); ok && s.Within(ranges.Signed(tileOf(v)).Range()) {
			return f, true
		}
	}
	return one(Atom{Kind: Extent, Axis: axis, Value: v, seq: in.values[v].seq}), true
}

// tilesForm is the rule of a view's number of tiles along an axis.
func tilesForm(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
	axis := slices.Index(o.Results, v)
	return in.single(v, one(Atom{Kind: Extent, Axis: axis, Value: v, seq: in.values[v].seq}))
}

// given is an extent or a stride of a tensor view, from its type or the operand that gives it.
func (in *Info) given(tensor *tileir.Op, operand string, list []int64, axis int) Form {
	if n := list[axis]; n != tileir.Dynamic {
		return number(n)
	}
	return in.Form(ranges.Dynamic(tensor, operand, list, axis))
}
