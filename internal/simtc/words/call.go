package words

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// call is a call of a function of the language. Its first argument is the receiver, if the function
// has one.
type call struct {
	*emit.Emitter
	callee *Callee
	args   []emit.Value
	pos    token.Pos
}

// typeArg gives a type argument of the call by the index of its parameter.
func (c *call) typeArg(i int) types.Type { return c.callee.Subst(c.callee.typeParams().At(i)) }

// typeParams gives the type parameters of the function, or of its receiver: Go allows only one of
// the two.
func (f *Callee) typeParams() *types.TypeParamList {
	if f.Sig.Recv() != nil {
		return f.Sig.RecvTypeParams()
	}
	return f.Sig.TypeParams()
}

// elemArg gives a type argument as an element type.
func (c *call) elemArg(i int) *emit.Elem {
	e := emit.ElemOf(c.typeArg(i))
	c.Must(e != nil, c.pos, "%s has no elements of type %s", c.callee.Name, c.typeArg(i))
	return e
}

// arg gives an argument. One in an interface comes without it, since the static type of a value
// does not matter here.
func (c *call) arg(i int) emit.Value {
	// Some functions of package cute take any, which the value need not remember.
	if x, ok := c.args[i].(*emit.Iface); ok {
		return x.V
	}
	return c.args[i]
}

// tuple gives an argument that must be a tuple.
func (c *call) tuple(i int) layout.Tuple {
	s, ok := c.arg(i).(emit.Shape)
	c.Must(ok, c.pos, "%s takes a tuple here, not %s", c.callee.Name, c.Describe(c.arg(i)))
	return s.Tuple
}

// layout gives an argument that must be a layout.
func (c *call) layout(i int) *emit.Layout {
	l, ok := c.arg(i).(*emit.Layout)
	c.Must(ok, c.pos, "%s takes a layout here, not %s", c.callee.Name, c.Describe(c.arg(i)))
	return l
}

// tensor gives an argument that must be a tensor.
func (c *call) tensor(i int) *emit.Tensor {
	t, ok := c.arg(i).(*emit.Tensor)
	c.Must(ok, c.pos, "%s takes a tensor here, not %s", c.callee.Name, c.Describe(c.arg(i)))
	return t
}

// int gives an argument as an integer of the layout algebra.
func (c *call) int(i int) layout.Int { return c.ToInt(c.arg(i)) }

// static gives an argument that must be a known integer. what names it in a message.
func (c *call) static(i int, what string) int { return c.StaticInt(c.pos, c.arg(i), what) }

// text gives an argument that must be a known text, as most words that choose an instruction have.
func (c *call) text(i int) string {
	s, ok := c.arg(i).(constant.Value)
	c.Must(ok && s.Kind() == constant.String, c.pos, "%s takes a text that is known when the function is compiled", c.callee.Name)
	return constant.StringVal(s)
}

// rest gives the arguments of the variadic parameter, which is the last one.
func (c *call) rest(i int) []emit.Value { return c.SliceElems(c.args[i]) }

// ints gives the variadic arguments as integers of the layout algebra.
func (c *call) ints(i int) (out []layout.Int) {
	for _, v := range c.rest(i) {
		out = append(out, c.ToInt(v))
	}
	return out
}

// statics gives the variadic arguments as known integers.
func (c *call) statics(i int, what string) (out []int) {
	for _, v := range c.rest(i) {
		out = append(out, c.StaticInt(c.pos, v, what))
	}
	return out
}

// coord gives the coordinate that the variadic arguments make: a mode of each. A single argument is
// the coordinate itself, since x.At(i) takes the index and not a tuple of it.
func (c *call) coord(i int) layout.Tuple {
	var modes []layout.Tuple
	for _, v := range c.rest(i) {
		switch v := v.(type) {
		// A coordinate may be given as a tuple for some modes and as integers for others.
		case emit.Shape:
			modes = append(modes, v.Tuple)
		default:
			modes = append(modes, layout.Leaf(c.ToInt(v)))
		}
	}
	c.Must(len(modes) > 0, c.pos, "%s needs a coordinate", c.callee.Name)
	if len(modes) == 1 {
		return modes[0]
	}
	return layout.T(modes...)
}

// tiler gives an argument that divides layouts: a tuple, a layout, or a list of these, one for each
// mode.
func (c *call) tiler(i int) layout.Tiler {
	switch v := c.arg(i).(type) {
	case emit.Shape:
		// A tuple tiles each mode by a compact layout of that size.
		t, err := layout.Tile(v.Tuple)
		c.Refused(err)
		return t
	case *emit.Layout:
		return v.Layout
	// A cute.Tile is a slice with a tiler for each mode.
	case *emit.Slice:
		return c.byMode(v)
	}
	c.Fail(c.pos, "%s takes a tiler here, a tuple, a layout or a Tile, not %s", c.callee.Name, c.Describe(c.arg(i)))
	return nil
}

// byMode gives the tiler that a cute.Tile is.
func (c *call) byMode(v *emit.Slice) (b layout.ByMode) {
	for _, m := range c.SliceElems(v) {
		if x, ok := m.(*emit.Iface); ok {
			m = x.V
		}
		switch m := m.(type) {
		case *emit.Layout:
			b = append(b, layout.Entry{Layout: m.Layout})
		case emit.Shape:
			// An underscore keeps its mode whole.
			if m.IsAll() {
				b = append(b, layout.Entry{Whole: true})
				continue
			}
			l, err := layout.Compact(m.Tuple)
			c.Refused(err)
			b = append(b, layout.Entry{Layout: l})
		}
	}
	return b
}

// called gives the name of the function of package cute that the user called, for messages.
// Functions of the package call each other, and the user knows only the outermost one.
func (c *call) called() string {
	return c.Calls.Outermost(c.callee.Name)
}
