package lower

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/tileir"
)

// attrs evaluates the attributes of an operation.
func (l *lowerer) attrs(pos token.Pos, b *bound, d *decl.Directive, groups [][]*tile, results []types.Type) []tileir.Attr {
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
	expr    *decl.Expr
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
		tileir.BoolArrayAttr:   (*wanted).flags,
		tileir.ConstantAttr:    (*wanted).constant,
		tileir.NumberArrayAttr: (*wanted).numbers,
		tileir.PredicateAttr:   (*wanted).predicate,
		tileir.HintsAttr:       (*wanted).hints,
	}
}

// fail reports a mistake of the directive.
func (w *wanted) fail(format string, args ...any) {
	w.l.Fail(w.pos, "the directive of %s: "+format, append([]any{w.b.fv.name}, args...)...)
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
		w.l.Fail(w.pos, "%s of %s is %d", w.info.Name, w.b.fv.name, n)
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

// flags are a list of truth values; an empty one is not given.
func (w *wanted) flags() tileir.Attr {
	var out tileir.Bools
	for _, n := range w.l.integers(w.pos, w.b, w.expr) {
		out = append(out, n != 0)
	}
	if out == nil {
		return nil
	}
	return out
}

func (w *wanted) text() tileir.Attr {
	if w.expr.Call {
		return w.global()
	}
	k, ok := w.l.known(w.pos, w.b, w.expr).(constant.Value)
	if !ok || k.Kind() != constant.String {
		w.l.Fail(w.pos, "%s of %s must be a constant text", w.expr.Name, w.b.fv.name)
	}
	return tileir.String(constant.StringVal(k))
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

// known evaluates an expression that must be known when the kernel is compiled.
func (l *lowerer) known(pos token.Pos, b *bound, e *decl.Expr) value {
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
	l.unknown(pos, fmt.Sprintf("argument %s of %s", e.Name, b.fv.name), ofNumber)
	return nil
}

// integer evaluates a known integer; a truth value counts as 0 or 1.
func (l *lowerer) integer(pos token.Pos, b *bound, e *decl.Expr) int64 {
	k, ok := l.known(pos, b, e).(constant.Value)
	if !ok {
		l.Fail(pos, "%s of %s must be a constant", e.Name, b.fv.name)
	}
	if k.Kind() == constant.Bool {
		return whole(k)
	}
	n, ok := constant.Int64Val(constant.ToInt(k))
	if !ok {
		l.Fail(pos, "%s of %s is %s, not an integer", e.Name, b.fv.name, k)
	}
	return n
}

// integers evaluates a list of known integers; one that is not given is nil.
func (l *lowerer) integers(pos token.Pos, b *bound, e *decl.Expr) []int {
	v, _ := l.get(pos, b, e.Name)
	list, ok := v.(*listVal)
	if !ok {
		return nil
	}
	out := make([]int, len(list.elems))
	for i, x := range list.elems {
		k, ok := x.(constant.Value)
		if !ok {
			l.unknown(pos, fmt.Sprintf("%s of %s", e.Name, b.fv.name), ofNumber)
		}
		out[i] = int(whole(k))
	}
	return out
}

// whole is a constant as an integer; a truth value counts as 0 or 1.
func whole(k constant.Value) int64 {
	if k.Kind() == constant.Bool {
		if constant.BoolVal(k) {
			return 1
		}
		return 0
	}
	n, _ := constant.Int64Val(constant.ToInt(k))
	return n
}
