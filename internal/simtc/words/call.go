package words

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// call is a call of a function of the language, with its arguments, the receiver first.
type call struct {
	*emit.Emitter
	callee *Callee
	args   []emit.Value
	pos    token.Pos
}

// typeArg is a type argument of the call by the parameter's place.
func (c *call) typeArg(i int) types.Type { return c.callee.Subst(c.callee.typeParams().At(i)) }

func (f *Callee) typeParams() *types.TypeParamList {
	if f.Sig.Recv() != nil {
		return f.Sig.RecvTypeParams()
	}
	return f.Sig.TypeParams()
}

// elemArg is a type argument as an element type.
func (c *call) elemArg(i int) *emit.Elem {
	e := emit.ElemOf(c.typeArg(i))
	c.Must(e != nil, c.pos, "%s has no elements of type %s", c.callee.Name, c.typeArg(i))
	return e
}

// arg is an argument without the interface around it.
func (c *call) arg(i int) emit.Value {
	if x, ok := c.args[i].(*emit.Iface); ok {
		return x.V
	}
	return c.args[i]
}

func (c *call) tuple(i int) layout.Tuple {
	s, ok := c.arg(i).(emit.Shape)
	c.Must(ok, c.pos, "%s takes a tuple here, not %s", c.callee.Name, c.Describe(c.arg(i)))
	return s.Tuple
}

func (c *call) layout(i int) *emit.Layout {
	l, ok := c.arg(i).(*emit.Layout)
	c.Must(ok, c.pos, "%s takes a layout here, not %s", c.callee.Name, c.Describe(c.arg(i)))
	return l
}

func (c *call) tensor(i int) *emit.Tensor {
	t, ok := c.arg(i).(*emit.Tensor)
	c.Must(ok, c.pos, "%s takes a tensor here, not %s", c.callee.Name, c.Describe(c.arg(i)))
	return t
}

func (c *call) int(i int) layout.Int { return c.ToInt(c.arg(i)) }

// static is an argument that must be a known integer.
func (c *call) static(i int, what string) int { return c.StaticInt(c.pos, c.arg(i), what) }

func (c *call) text(i int) string {
	s, ok := c.arg(i).(constant.Value)
	c.Must(ok && s.Kind() == constant.String, c.pos, "%s takes a text that is known when the function is compiled", c.callee.Name)
	return constant.StringVal(s)
}

// rest is the arguments of the last, variadic parameter.
func (c *call) rest(i int) []emit.Value { return c.SliceElems(c.args[i]) }

// ints is the variadic arguments as integers.
func (c *call) ints(i int) (out []layout.Int) {
	for _, v := range c.rest(i) {
		out = append(out, c.ToInt(v))
	}
	return out
}

// statics is the variadic arguments as known integers.
func (c *call) statics(i int, what string) (out []int) {
	for _, v := range c.rest(i) {
		out = append(out, c.StaticInt(c.pos, v, what))
	}
	return out
}

// coord is the coordinate that variadic integers or tuples are: one alone is itself.
func (c *call) coord(i int) layout.Tuple {
	var modes []layout.Tuple
	for _, v := range c.rest(i) {
		switch v := v.(type) {
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

// tiler is an argument that splits layouts: a tuple, a layout, or a list of these by mode.
func (c *call) tiler(i int) layout.Tiler {
	switch v := c.arg(i).(type) {
	case emit.Shape:
		t, err := layout.Tile(v.Tuple)
		c.Refused(err)
		return t
	case *emit.Layout:
		return v.Layout
	case *emit.Slice:
		return c.byMode(v)
	}
	c.Fail(c.pos, "%s takes a tiler here, a tuple, a layout or a Tile, not %s", c.callee.Name, c.Describe(c.arg(i)))
	return nil
}

// byMode is a cute.Tile.
func (c *call) byMode(v *emit.Slice) (b layout.ByMode) {
	for _, m := range c.SliceElems(v) {
		if x, ok := m.(*emit.Iface); ok {
			m = x.V
		}
		switch m := m.(type) {
		case *emit.Layout:
			b = append(b, layout.Entry{Layout: m.Layout})
		case emit.Shape:
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

// called is the function of package cute that the user called.
func (c *call) called() string {
	return c.Calls.Outermost(c.callee.Name)
}
