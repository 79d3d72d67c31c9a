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
			out[i] = codings[a.Coding](l, pos, b, a, e, groups, results)
		}
	}
	return out
}

type coding func(l *lowerer, pos token.Pos, b *bound, a *tileir.AttrInfo, e *directive.Expr, groups [][]*tile, results []types.Type) tileir.Attr

// codings say how each kind of attribute is evaluated; nil means not given.
var codings map[tileir.AttrCoding]coding

func init() { // a literal would refer to itself
	codings = map[tileir.AttrCoding]coding{
		tileir.EnumAttr:   numberAttr,
		tileir.VarintAttr: numberAttr,
		tileir.BoolAttr:   flagAttr,
		tileir.UnitAttr:   flagAttr,
		tileir.StringAttr: func(l *lowerer, pos token.Pos, b *bound, a *tileir.AttrInfo, e *directive.Expr, _ [][]*tile, _ []types.Type) tileir.Attr {
			k, ok := l.known(pos, b, e).(constant.Value)
			if !(ok && k.Kind() == constant.String) {
				l.fail(pos, "%s of %s must be a constant text", e.Name, b.fv.name)
			}
			return tileir.String(constant.StringVal(k))
		},
		tileir.Int32ArrayAttr: func(l *lowerer, pos token.Pos, b *bound, a *tileir.AttrInfo, e *directive.Expr, _ [][]*tile, _ []types.Type) tileir.Attr {
			return tileir.Ints(l.integers(pos, b, e))
		},
		tileir.ConstantAttr: func(l *lowerer, pos token.Pos, b *bound, a *tileir.AttrInfo, e *directive.Expr, _ [][]*tile, results []types.Type) tileir.Attr {
			d := l.tileDesc(results[0])
			if !(d != nil && !d.Pointer) {
				l.fail(pos, "there are no constants of type %s", results[0])
			}
			bits, ok := l.bits(pos, l.known(pos, b, e), d.Elem)
			l.must(ok, pos, "a text cannot live on the device")
			return &tileir.Constant{Type: d.Tile(), Data: data(bits, d.Elem.IR)}
		},
		tileir.NumberArrayAttr: func(l *lowerer, pos token.Pos, b *bound, a *tileir.AttrInfo, e *directive.Expr, groups [][]*tile, _ []types.Type) tileir.Attr {
			var all []*tile
			for _, g := range groups {
				all = append(all, g...)
			}
			if !(len(all) == len(e.Args)) {
				l.fail(pos, "%s: %d operands, %d %s", b.fv.name, len(all), len(e.Args), a.Name)
			}
			var out tileir.Numbers
			for i, x := range e.Args {
				bits, _ := l.bits(pos, l.known(pos, b, x), all[i].desc.Elem)
				out = append(out, tileir.Number{Elem: all[i].desc.Elem.IR, Bits: bits})
			}
			return out
		},
		tileir.PredicateAttr: func(l *lowerer, pos token.Pos, b *bound, a *tileir.AttrInfo, e *directive.Expr, _ [][]*tile, _ []types.Type) tileir.Attr {
			switch e.Name {
			case "div_by":
				return tileir.DivBy{Divisor: uint64(l.integer(pos, b, e.Args[0]))}
			case "bounded":
				lo := l.integer(pos, b, e.Args[0])
				out := tileir.Bounded{Lower: &lo}
				if len(e.Args) > 1 {
					hi := l.integer(pos, b, e.Args[1])
					out.Upper = &hi
				}
				return out
			}
			l.fail(pos, "the directive of %s: no predicate %s", b.fv.name, e.Name)
			return nil
		},
		tileir.HintsAttr: func(l *lowerer, pos token.Pos, b *bound, a *tileir.AttrInfo, e *directive.Expr, _ [][]*tile, _ []types.Type) tileir.Attr {
			return l.hints(pos, b, e)
		},
	}
}

func numberAttr(l *lowerer, pos token.Pos, b *bound, a *tileir.AttrInfo, e *directive.Expr, _ [][]*tile, _ []types.Type) tileir.Attr {
	if e.Call {
		n, ok := l.w.Eval(e, b.env).(int)
		if !ok {
			l.fail(pos, "the directive of %s: %s cannot be told", b.fv.name, e.Name)
		}
		return tileir.Int(n)
	}
	if a.Enum != nil {
		if b.index(e.Name) < 0 {
			for _, v := range a.Enum.Values {
				if v.Text == e.Name {
					return tileir.Int(v.Value)
				}
			}
		}
	}
	n := l.integer(pos, b, e)
	if n < 0 && a.Optional {
		return nil
	}
	if !(n >= 0) {
		l.fail(pos, "%s of %s is %d", a.Name, b.fv.name, n)
	}
	return tileir.Int(n)
}

func flagAttr(l *lowerer, pos token.Pos, b *bound, a *tileir.AttrInfo, e *directive.Expr, _ [][]*tile, _ []types.Type) tileir.Attr {
	on := l.integer(pos, b, e) != 0
	if !on && a.Coding == tileir.UnitAttr {
		return nil
	}
	return tileir.Bool(on)
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
