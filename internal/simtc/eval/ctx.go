package eval

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/layout"
)

// ctx is a call of a function of the language that the evaluator does itself: its arguments, the receiver first.
type ctx struct {
	*emitter
	callee *callee
	args   []value
	pos    token.Pos
}

// callee is the declaration of a function of the language.
type callee struct {
	name  string
	words []string                    // of its directive
	sig   *types.Signature            // as declared
	subst func(types.Type) types.Type // gives the type parameters their arguments
}

// typeArg is a type argument of the call by the parameter's place.
func (c *ctx) typeArg(i int) types.Type { return c.callee.subst(c.callee.typeParams().At(i)) }

func (f *callee) typeParams() *types.TypeParamList {
	if f.sig.Recv() != nil {
		return f.sig.RecvTypeParams()
	}
	return f.sig.TypeParams()
}

// elemArg is a type argument as an element type.
func (c *ctx) elemArg(i int) *Elem {
	e := ElemOf(c.typeArg(i))
	c.Must(e != nil, c.pos, "%s has no elements of type %s", c.callee.name, c.typeArg(i))
	return e
}

// arg is an argument without the interface around it.
func (c *ctx) arg(i int) value {
	if x, ok := c.args[i].(*iface); ok {
		return x.v
	}
	return c.args[i]
}

func (c *ctx) tuple(i int) layout.Tuple {
	s, ok := c.arg(i).(shape)
	c.Must(ok, c.pos, "%s takes a tuple here, not %s", c.callee.name, c.describe(c.arg(i)))
	return s.Tuple
}

func (c *ctx) layout(i int) *layoutVal {
	l, ok := c.arg(i).(*layoutVal)
	c.Must(ok, c.pos, "%s takes a layout here, not %s", c.callee.name, c.describe(c.arg(i)))
	return l
}

func (c *ctx) tensor(i int) *tensor {
	t, ok := c.arg(i).(*tensor)
	c.Must(ok, c.pos, "%s takes a tensor here, not %s", c.callee.name, c.describe(c.arg(i)))
	return t
}

func (c *ctx) int(i int) layout.Int { return c.toInt(c.arg(i)) }

// static is an argument that must be a known integer.
func (c *ctx) static(i int, what string) int { return c.staticInt(c.pos, c.arg(i), what) }

func (c *ctx) text(i int) string {
	s, ok := c.arg(i).(constant.Value)
	c.Must(ok && s.Kind() == constant.String, c.pos, "%s takes a text that is known when the function is compiled", c.callee.name)
	return constant.StringVal(s)
}

// rest is the arguments of the last, variadic parameter.
func (c *ctx) rest(i int) []value { return c.sliceElems(c.args[i]) }

// ints is the variadic arguments as integers.
func (c *ctx) ints(i int) (out []layout.Int) {
	for _, v := range c.rest(i) {
		out = append(out, c.toInt(v))
	}
	return out
}

// statics is the variadic arguments as known integers.
func (c *ctx) statics(i int, what string) (out []int) {
	for _, v := range c.rest(i) {
		out = append(out, c.staticInt(c.pos, v, what))
	}
	return out
}

// coord is the coordinate that variadic integers or tuples are: one alone is itself.
func (c *ctx) coord(i int) layout.Tuple {
	var modes []layout.Tuple
	for _, v := range c.rest(i) {
		switch v := v.(type) {
		case shape:
			modes = append(modes, v.Tuple)
		default:
			modes = append(modes, layout.Leaf(c.toInt(v)))
		}
	}
	c.Must(len(modes) > 0, c.pos, "%s needs a coordinate", c.callee.name)
	if len(modes) == 1 {
		return modes[0]
	}
	return layout.T(modes...)
}

// tiler is an argument that splits layouts: a tuple, a layout, or a list of these by mode.
func (c *ctx) tiler(i int) layout.Tiler {
	switch v := c.arg(i).(type) {
	case shape:
		t, err := layout.Tile(v.Tuple)
		c.refused(err)
		return t
	case *layoutVal:
		return v.Layout
	case *sliceVal:
		return c.byMode(v)
	}
	c.Fail(c.pos, "%s takes a tiler here, a tuple, a layout or a Tile, not %s", c.callee.name, c.describe(c.arg(i)))
	return nil
}

// byMode is a cute.Tile.
func (c *ctx) byMode(v *sliceVal) (b layout.ByMode) {
	for _, m := range c.sliceElems(v) {
		if x, ok := m.(*iface); ok {
			m = x.v
		}
		switch m := m.(type) {
		case *layoutVal:
			b = append(b, layout.Entry{Layout: m.Layout})
		case shape:
			if m.IsAll() {
				b = append(b, layout.Entry{Whole: true})
				continue
			}
			l, err := layout.Compact(m.Tuple)
			c.refused(err)
			b = append(b, layout.Entry{Layout: l})
		}
	}
	return b
}

// called is the function of package cute that the user called.
func (c *ctx) called() string {
	name := c.callee.name
	for i := len(c.calls) - 1; i >= 0 && c.calls[i].lang; i-- {
		name = c.calls[i].name
	}
	return name
}
