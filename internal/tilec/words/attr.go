package words

import (
	"fmt"
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// attrs evaluates the attributes of an operation.
func (c *call) attrs(d *decl.Directive, groups [][]*emit.Tile, results []types.Type) []tileir.Attr {
	out := make([]tileir.Attr, len(d.Info.Attrs))
	for i := range d.Info.Attrs {
		a := &d.Info.Attrs[i]
		if e := d.Attrs.Field(a.Name); e != nil {
			out[i] = codings[a.Coding](&wanted{c, a, e, groups, results})
		}
	}
	return out
}

// wanted is an attribute that is to be evaluated.
type wanted struct {
	*call
	info    *tileir.AttrInfo
	expr    *decl.Expr
	groups  [][]*emit.Tile // the operands
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
		tileir.Int32ArrayAttr:  func(w *wanted) tileir.Attr { return tileir.Ints(w.integers(w.expr)) },
		tileir.BoolArrayAttr:   (*wanted).flags,
		tileir.ConstantAttr:    (*wanted).constant,
		tileir.NumberArrayAttr: (*wanted).numbers,
		tileir.PredicateAttr:   (*wanted).predicate,
		tileir.HintsAttr:       (*wanted).hints,
	}
}

// fail reports a mistake of the directive.
func (w *wanted) fail(format string, args ...any) {
	w.Fail(w.pos, "the directive of %s: "+format, append([]any{w.fn.Name()}, args...)...)
}

func (w *wanted) number() tileir.Attr {
	e := w.expr
	if e.Call {
		n, ok := w.World.Eval(e, w.fn.TypeArgs()).(int)
		if !ok {
			w.fail("%s cannot be told", e.Name)
		}
		return tileir.Int(n)
	}
	if w.info.Enum != nil && w.index(e.Name) < 0 {
		for _, v := range w.info.Enum.Values {
			if v.Text == e.Name {
				return tileir.Int(v.Value)
			}
		}
	}
	n := w.integer(e)
	if n < 0 && w.info.Optional {
		return nil
	}
	if n < 0 {
		w.Fail(w.pos, "%s of %s is %d", w.info.Name, w.fn.Name(), n)
	}
	return tileir.Int(n)
}

func (w *wanted) flag() tileir.Attr {
	on := w.integer(w.expr) != 0
	if !on && w.info.Coding == tileir.UnitAttr {
		return nil
	}
	return tileir.Bool(on)
}

// flags are a list of truth values; an empty one is not given.
func (w *wanted) flags() tileir.Attr {
	var out tileir.Bools
	for _, n := range w.integers(w.expr) {
		out = append(out, n != 0)
	}
	if out == nil {
		return nil
	}
	return out
}

func (w *wanted) text() tileir.Attr {
	if w.expr.Call {
		return w.symbol()
	}
	k, ok := w.known(w.expr).(constant.Value)
	if !ok || k.Kind() != constant.String {
		w.Fail(w.pos, "%s of %s must be a constant text", w.expr.Name, w.fn.Name())
	}
	return tileir.String(constant.StringVal(k))
}

// numbers are one for each operand, of its element.
func (w *wanted) numbers() tileir.Attr {
	var all []*emit.Tile
	for _, g := range w.groups {
		all = append(all, g...)
	}
	if len(all) != len(w.expr.Args) {
		w.fail("%d operands, %d %s", len(all), len(w.expr.Args), w.info.Name)
	}
	out := make(tileir.Numbers, len(all))
	for i, e := range w.expr.Args {
		bits, _ := w.Bits(w.pos, w.known(e), all[i].Desc.Elem)
		out[i] = tileir.Number{Elem: all[i].Desc.Elem.IR, Bits: bits}
	}
	return out
}

// known evaluates an expression that must be known when the kernel is compiled.
func (c *call) known(e *decl.Expr) emit.Value {
	switch {
	case e.Int != nil:
		return constant.MakeInt64(*e.Int)
	case e.Text != nil:
		return constant.MakeString(*e.Text)
	}
	v, _ := c.get(e.Name)
	switch v.(type) {
	case constant.Value, emit.NonFinite, *emit.List, emit.None:
		return v
	}
	c.Unknown(c.pos, fmt.Sprintf("argument %s of %s", e.Name, c.fn.Name()), emit.OfNumber)
	return nil
}

// integer evaluates a known integer; a truth value counts as 0 or 1.
func (c *call) integer(e *decl.Expr) int64 {
	k, ok := c.known(e).(constant.Value)
	if !ok {
		c.Fail(c.pos, "%s of %s must be a constant", e.Name, c.fn.Name())
	}
	if k.Kind() == constant.Bool {
		return emit.Whole(k)
	}
	n, ok := constant.Int64Val(constant.ToInt(k))
	if !ok {
		c.Fail(c.pos, "%s of %s is %s, not an integer", e.Name, c.fn.Name(), k)
	}
	return n
}

// integers evaluates a list of known integers; one that is not given is nil.
func (c *call) integers(e *decl.Expr) []int {
	v, _ := c.get(e.Name)
	list, ok := v.(*emit.List)
	if !ok {
		return nil
	}
	out := make([]int, len(list.Elems))
	for i, x := range list.Elems {
		k, ok := x.(constant.Value)
		if !ok {
			c.Unknown(c.pos, fmt.Sprintf("%s of %s", e.Name, c.fn.Name()), emit.OfNumber)
		}
		out[i] = int(emit.Whole(k))
	}
	return out
}
