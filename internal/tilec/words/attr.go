package words

import (
	"fmt"
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// attrs evaluates the attributes of an operation. Its directive gives an expression for each, and
// the table tells how the attribute is coded.
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

// wanted is an attribute that is being evaluated.
type wanted struct {
	*call
	info    *tileir.AttrInfo
	expr    *decl.Expr
	groups  [][]*emit.Tile // the operands
	results []types.Type
}

// codings tells how to evaluate each kind of attribute. A function returns nil if the attribute is
// not given.
var codings map[tileir.AttrCoding]func(*wanted) tileir.Attr

// init makes the table, since a literal of it would refer to itself.
func init() {
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

// fail reports a mistake in the directive of the function.
func (w *wanted) fail(format string, args ...any) {
	w.Fail(w.pos, "the directive of %s: "+format, append([]any{w.fn.Name()}, args...)...)
}

// number evaluates a number, or the name of an enum's value. A negative number leaves out an
// optional attribute.
func (w *wanted) number() tileir.Attr {
	e := w.expr
	// A call asks a question about the types of the function.
	if e.Call {
		n, ok := w.World.Eval(e, w.fn.TypeArgs()).(int)
		if !ok {
			w.fail("the compiler cannot answer %s", e.Name)
		}
		return tileir.Int(n)
	}
	// A name that is not a parameter is that of a value of the enum.
	if w.info.Enum != nil && w.index(e.Name) < 0 {
		for _, v := range w.info.Enum.Values {
			if v.Text == e.Name {
				return tileir.Int(v.Value)
			}
		}
	}
	n := w.integer(e)
	// Functions of the language pass -1 for an attribute that is not given.
	if n < 0 && w.info.Optional {
		return nil
	}
	if n < 0 {
		w.Fail(w.pos, "%s of %s must not be negative, but it is %d", w.info.Name, w.fn.Name(), n)
	}
	return tileir.Int(n)
}

// flag evaluates a truth value. Tile IR leaves out a unit attribute that is false.
func (w *wanted) flag() tileir.Attr {
	// Directives may also pass a number of Go as a truth value.
	on := w.integer(w.expr) != 0
	if !on && w.info.Coding == tileir.UnitAttr {
		return nil
	}
	return tileir.Bool(on)
}

// flags evaluates a list of truth values. An empty list leaves out the attribute.
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

// text evaluates a text, or the name of memory that the call symbol makes.
func (w *wanted) text() tileir.Attr {
	if w.expr.Call {
		// The text is the name of memory in the module.
		return w.symbol()
	}
	k, ok := w.known(w.expr).(constant.Value)
	if !ok || k.Kind() != constant.String {
		w.Fail(w.pos, "%s of %s must be a constant text", w.expr.Name, w.fn.Name())
	}
	return tileir.String(constant.StringVal(k))
}

// numbers evaluates one number for each operand, in the operand's element type.
func (w *wanted) numbers() tileir.Attr {
	var all []*emit.Tile
	for _, g := range w.groups {
		// The operands are counted across their groups.
		all = append(all, g...)
	}
	if len(all) != len(w.expr.Args) {
		w.fail("%d operands, but %d %s", len(all), len(w.expr.Args), w.info.Name)
	}
	out := make(tileir.Numbers, len(all))
	for i, e := range w.expr.Args {
		// An identity of a reduction must be a number of the element type that it is for.
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
	// Only values that the compiler has can be attributes: a tile is known on the device only.
	v, _ := c.get(e.Name)
	switch v.(type) {
	case constant.Value, emit.NonFinite, *emit.List, emit.None:
		return v
	}
	c.Unknown(c.pos, fmt.Sprintf("argument %s of %s", e.Name, c.fn.Name()), emit.OfNumber)
	return nil
}

// integer evaluates an integer that must be known. A truth value counts as 0 or 1.
func (c *call) integer(e *decl.Expr) int64 {
	k, ok := c.known(e).(constant.Value)
	if !ok {
		c.Fail(c.pos, "%s of %s must be a constant", e.Name, c.fn.Name())
	}
	// Directives pass truth values of Go for attributes that Tile IR counts as numbers.
	if k.Kind() == constant.Bool {
		return emit.Whole(k)
	}
	n, ok := constant.Int64Val(constant.ToInt(k))
	if !ok {
		c.Fail(c.pos, "%s of %s is %s, not an integer", e.Name, c.fn.Name(), k)
	}
	return n
}

// integers evaluates a list of known integers, and gives nil for a list that is not given.
func (c *call) integers(e *decl.Expr) []int {
	v, _ := c.get(e.Name)
	// A parameter that is not given is not a list.
	list, ok := v.(*emit.List)
	if !ok {
		return nil
	}
	out := make([]int, len(list.Elems))
	// Every element must be known, as the attribute is one value.
	for i, x := range list.Elems {
		k, ok := x.(constant.Value)
		if !ok {
			c.Unknown(c.pos, fmt.Sprintf("%s of %s", e.Name, c.fn.Name()), emit.OfNumber)
		}
		out[i] = int(emit.Whole(k))
	}
	return out
}
