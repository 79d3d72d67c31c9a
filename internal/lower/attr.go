package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/check"
	"github.com/cutile-go/cutile/internal/directive"
	"github.com/cutile-go/cutile/tileir"
)

// attrs evaluates the attributes of an operation.
func (l *lowerer) attrs(pos token.Pos, b *bound, d *directive.Directive, groups [][]*tile, results []types.Type) []tileir.Attr {
	out := make([]tileir.Attr, len(d.Info.Attrs))
	for i := range d.Info.Attrs {
		a := &d.Info.Attrs[i]
		if e := d.Attrs.Field(a.Name); e != nil {
			out[i] = codings[a.Coding](&wanted{l, pos, b, a, e, groups, results})
		}
	}
	return out
}

// wanted is an attribute that is to be evaluated.
type wanted struct {
	l       *lowerer
	pos     token.Pos
	b       *bound
	info    *tileir.AttrInfo
	expr    *directive.Expr
	groups  [][]*tile // the operands
	results []types.Type
}

// codings say how each kind of attribute is evaluated; nil means not given.
var codings map[tileir.AttrCoding]func(*wanted) tileir.Attr

func init() { // a literal would refer to itself
	codings = map[tileir.AttrCoding]func(*wanted) tileir.Attr{
		tileir.EnumAttr:        (*wanted).number,
		tileir.VarintAttr:      (*wanted).number,
		tileir.BoolAttr:        (*wanted).flag,
		tileir.UnitAttr:        (*wanted).flag,
		tileir.StringAttr:      (*wanted).text,
		tileir.Int32ArrayAttr:  func(w *wanted) tileir.Attr { return tileir.Ints(w.l.integers(w.pos, w.b, w.expr)) },
		tileir.ConstantAttr:    (*wanted).constant,
		tileir.NumberArrayAttr: (*wanted).numbers,
		tileir.PredicateAttr:   (*wanted).predicate,
		tileir.HintsAttr:       func(w *wanted) tileir.Attr { return w.l.hints(w.pos, w.b, w.expr) },
	}
}

// fail reports a mistake of the directive.
func (w *wanted) fail(format string, args ...any) {
	w.l.fail(w.pos, "the directive of %s: "+format, append([]any{w.b.fv.name}, args...)...)
}

func (w *wanted) number() tileir.Attr {
	e := w.expr
	if e.Call {
		n, ok := w.l.w.Eval(e, w.b.env).(int)
		if !ok {
			w.fail("%s cannot be told", e.Name)
		}
		return tileir.Int(n)
	}
	if w.info.Enum != nil && w.b.index(e.Name) < 0 {
		for _, v := range w.info.Enum.Values {
			if v.Text == e.Name {
				return tileir.Int(v.Value)
			}
		}
	}
	n := w.l.integer(w.pos, w.b, e)
	if n < 0 && w.info.Optional {
		return nil
	}
	if n < 0 {
		w.l.fail(w.pos, "%s of %s is %d", w.info.Name, w.b.fv.name, n)
	}
	return tileir.Int(n)
}

func (w *wanted) flag() tileir.Attr {
	on := w.l.integer(w.pos, w.b, w.expr) != 0
	if !on && w.info.Coding == tileir.UnitAttr {
		return nil
	}
	return tileir.Bool(on)
}

func (w *wanted) text() tileir.Attr {
	k, ok := w.l.known(w.pos, w.b, w.expr).(constant.Value)
	if !ok || k.Kind() != constant.String {
		w.l.fail(w.pos, "%s of %s must be a constant text", w.expr.Name, w.b.fv.name)
	}
	return tileir.String(constant.StringVal(k))
}

func (w *wanted) constant() tileir.Attr {
	d := w.l.tileDesc(w.results[0])
	if d == nil || d.Pointer {
		w.l.fail(w.pos, "there are no constants of type %s", w.results[0])
	}
	bits, ok := w.l.bits(w.pos, w.l.known(w.pos, w.b, w.expr), d.Elem)
	if !ok {
		w.l.fail(w.pos, "a text cannot live on the device")
	}
	return &tileir.Constant{Type: d.Tile(), Data: data(bits, d.Elem.IR)}
}

// numbers are one for each operand, of its element.
func (w *wanted) numbers() tileir.Attr {
	var all []*tile
	for _, g := range w.groups {
		all = append(all, g...)
	}
	if len(all) != len(w.expr.Args) {
		w.fail("%d operands, %d %s", len(all), len(w.expr.Args), w.info.Name)
	}
	out := make(tileir.Numbers, len(all))
	for i, e := range w.expr.Args {
		bits, _ := w.l.bits(w.pos, w.l.known(w.pos, w.b, e), all[i].desc.Elem)
		out[i] = tileir.Number{Elem: all[i].desc.Elem.IR, Bits: bits}
	}
	return out
}

func (w *wanted) predicate() tileir.Attr {
	switch e := w.expr; e.Name {
	case "div_by":
		return tileir.DivBy{Divisor: uint64(w.l.integer(w.pos, w.b, e.Args[0]))}
	case "bounded":
		lo := w.l.integer(w.pos, w.b, e.Args[0])
		out := tileir.Bounded{Lower: &lo}
		if len(e.Args) > 1 {
			hi := w.l.integer(w.pos, w.b, e.Args[1])
			out.Upper = &hi
		}
		return out
	}
	w.fail("no predicate %s", w.expr.Name)
	return nil
}

// known evaluates an expression that must be known when the kernel is compiled.
func (l *lowerer) known(pos token.Pos, b *bound, e *directive.Expr) value {
	switch {
	case e.Int != nil:
		return constant.MakeInt64(*e.Int)
	case e.Text != nil:
		return constant.MakeString(*e.Text)
	}
	v, _ := l.get(pos, b, e.Name)
	switch v.(type) {
	case constant.Value, nonFinite, *listVal, noneVal:
		return v
	}
	l.fail(pos, "argument %s of %s must be known when the kernel is compiled", e.Name, b.fv.name)
	return nil
}

// integer evaluates a known integer; a truth value counts as 0 or 1.
func (l *lowerer) integer(pos token.Pos, b *bound, e *directive.Expr) int64 {
	k, ok := l.known(pos, b, e).(constant.Value)
	if !ok {
		l.fail(pos, "%s of %s must be a constant", e.Name, b.fv.name)
	}
	if k.Kind() == constant.Bool {
		if constant.BoolVal(k) {
			return 1
		}
		return 0
	}
	n, ok := constant.Int64Val(constant.ToInt(k))
	if !ok {
		l.fail(pos, "%s of %s is %s, not an integer", e.Name, b.fv.name, k)
	}
	return n
}

// integers evaluates a list of known integers; one that is not given is nil.
func (l *lowerer) integers(pos token.Pos, b *bound, e *directive.Expr) []int {
	v, _ := l.get(pos, b, e.Name)
	list, ok := v.(*listVal)
	if !ok {
		return nil
	}
	out := make([]int, len(list.elems))
	for i, x := range list.elems {
		k, ok := x.(constant.Value)
		if !ok {
			l.fail(pos, "%s of %s must be known when the kernel is compiled", e.Name, b.fv.name)
		}
		n, _ := constant.Int64Val(constant.ToInt(k))
		out[i] = int(n)
	}
	return out
}

// hints gives the hints that are not zero, for every architecture.
func (l *lowerer) hints(pos token.Pos, b *bound, e *directive.Expr) tileir.Attr {
	var hs []tileir.Hint
	for i, k := range e.Keys {
		x := e.Args[i]
		negate := x.Name == "not"
		if negate {
			x = x.Args[0]
		}
		n := l.integer(pos, b, x)
		if n == 0 {
			continue
		}
		v := tileir.HintValue{Elem: tileir.I32, Int: n}
		if negate {
			v = tileir.HintValue{Bool: false}
		}
		hs = append(hs, tileir.Hint{Name: k, Value: v})
	}
	if hs == nil {
		return nil
	}
	return tileir.Hints{{Arch: "default", Hints: hs}}
}

// viewType completes a view type from its constructor's arguments.
func (l *lowerer) viewType(pos token.Pos, b *bound, d *check.Desc, result *directive.Expr) tileir.Type {
	field := func(name string) *directive.Expr {
		e := result.Field(name)
		if !(e != nil) {
			l.fail(pos, "the directive of %s does not give %s", b.fv.name, name)
		}
		return e
	}
	if d.Kind == check.TensorViewKind {
		return &tileir.TensorViewType{Elem: d.Elem.IR, Shape: l.static(pos, b, field("shape")), Strides: l.static(pos, b, field("strides"))}
	}
	v, _ := l.get(pos, b, field("tensor_view").Name)
	dims := l.integers(pos, b, field("dim_map"))
	if dims == nil {
		for i := range d.Shape {
			dims = append(dims, i)
		}
	}
	return &tileir.PartitionViewType{
		Tile: d.Shape, Tensor: v.(*tile).v.Type.(*tileir.TensorViewType), DimMap: dims,
		Padding: tileir.Padding(l.integer(pos, b, field("padding_value"))),
	}
}

// static gives the constants of a list, and Dynamic for the rest.
func (l *lowerer) static(pos token.Pos, b *bound, e *directive.Expr) []int64 {
	v, _ := l.get(pos, b, e.Args[0].Name)
	out := []int64{}
	for _, x := range v.(*listVal).elems {
		n := int64(tileir.Dynamic)
		if k, ok := x.(constant.Value); ok {
			n, _ = constant.Int64Val(constant.ToInt(k))
		}
		out = append(out, n)
	}
	return out
}
