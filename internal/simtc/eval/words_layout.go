package eval

import (
	"github.com/cutile-go/cutile/internal/layout"
)

var langVars = map[string]value{"All": shape{layout.All}}

// tupleWords are the words for shapes, strides and coordinates.
var tupleWords = map[string]intrinsic{
	"tuple":    func(c *ctx) []value { return give(shape{layout.T(leavesOf(c.ints(0))...)}) },
	"nest":     func(c *ctx) []value { return give(shape{layout.T(c.tuples(0)...)}) },
	"leaf":     func(c *ctx) []value { return give(shape{layout.Leaf(c.int(0))}) },
	"rank":     func(c *ctx) []value { return give(number(c.shapeOf(0).Rank())) },
	"depth":    func(c *ctx) []value { return give(number(c.shapeOf(0).Depth())) },
	"mode":     func(c *ctx) []value { return give(shape{c.modeOf(c.tuple(0), 1)}) },
	"int":      func(c *ctx) []value { return give(c.leafInt(c.modeOf(c.tuple(0), 1))) },
	"size":     func(c *ctx) []value { return give(c.ofInt(c.modeOf(c.shapeOf(0), 1).Product())) },
	"flat":     func(c *ctx) []value { return give(shape{c.tuple(0).Flatten()}) },
	"elemless": func(c *ctx) []value { return give(c.elemLess(c.tuple(0), c.tuple(1))) },
	"crd2idx": func(c *ctx) []value {
		return give(c.ofInt(c.index(c.layoutOf(1), c.tuple(0))))
	},
	"idx2crd": func(c *ctx) []value {
		t, err := layout.Coord(c.int(0), c.shapeOf(1))
		c.refused(err)
		return give(shape{t})
	},
	"ceildiv":    func(c *ctx) []value { return give(c.tupleOp(layout.CeilDiv)) },
	"roundup":    func(c *ctx) []value { return give(c.tupleOp(layout.RoundUp)) },
	"shapediv":   func(c *ctx) []value { return give(c.tupleOp(layout.ShapeDiv)) },
	"ceildivint": func(c *ctx) []value { return give(c.ofInt(c.int(0).CeilDiv(c.int(1)))) },
}

func (c *ctx) tupleOp(f func(a, b layout.Tuple) (layout.Tuple, error)) value {
	t, err := f(c.tuple(0), c.tuple(1))
	c.refused(err)
	return shape{t}
}

func leavesOf(ns []layout.Int) (out []layout.Tuple) {
	for _, n := range ns {
		out = append(out, layout.Leaf(n))
	}
	return out
}

// tuples are variadic arguments that are tuples.
func (c *ctx) tuples(i int) (out []layout.Tuple) {
	for _, v := range c.rest(i) {
		s, ok := v.(shape)
		c.Must(ok, c.pos, "%s takes tuples, not %s", c.callee.name, c.describe(v))
		out = append(out, s.Tuple)
	}
	return out
}

// shapeOf is the shape of an argument: a tuple is its own.
func (c *ctx) shapeOf(i int) layout.Tuple {
	if s, ok := c.arg(i).(shape); ok {
		return s.Tuple
	}
	if v, ok := c.arg(i).(*vec); ok {
		return v.shape
	}
	return c.layoutOf(i).Shape()
}

// layoutOf is the layout of an argument: of a tensor, its layout.
func (c *ctx) layoutOf(i int) *layoutVal {
	switch v := c.arg(i).(type) {
	case *layoutVal:
		return v
	case *tensor:
		return v.lay
	case *coords:
		return v.lay
	}
	c.Fail(c.pos, "%s takes a layout or a tensor here, not %s", c.callee.name, c.describe(c.arg(i)))
	return nil
}

// modeOf is a mode of a tuple along a path of static integers: the whole for none.
func (c *ctx) modeOf(t layout.Tuple, path int) layout.Tuple {
	for _, m := range c.statics(path, "a mode") {
		ms := t.Modes()
		if n, leaf := t.IsLeaf(); leaf && m == 0 {
			t = layout.Leaf(n)
			continue
		}
		c.Must(0 <= m && m < len(ms), c.pos, "%s has no mode %d", t, m)
		t = ms[m]
	}
	return t
}

func (c *ctx) leafInt(t layout.Tuple) value {
	n, ok := t.IsLeaf()
	c.Must(ok, c.pos, "%s is not an integer: name the mode", t)
	return c.ofInt(n)
}

// reshape replaces the layout of a layout, a tensor or a coordinate tensor by a function of it.
func (c *ctx) reshape(v value, f func(layout.Layout) (layout.Layout, error)) value {
	switch v := v.(type) {
	case *layoutVal:
		if v.comp != nil {
			r, err := v.comp.Inner(f)
			c.refused(err)
			return &layoutVal{r.Layout, &r}
		}
		r, err := f(v.Layout)
		c.refused(err)
		return &layoutVal{Layout: r}
	case *tensor:
		return v.with(c.reshape(v.lay, f).(*layoutVal), layout.N(0))
	case *coords:
		return &coords{v.start, c.reshape(v.lay, f).(*layoutVal)}
	}
	c.Fail(c.pos, "%s takes a layout or a tensor here, not %s", c.callee.name, c.describe(v))
	return nil
}

// shaped makes a word of an operation on layouts alone.
func shaped(f func(layout.Layout) (layout.Layout, error)) intrinsic {
	return func(c *ctx) []value { return give(c.reshape(c.arg(0), f)) }
}

// tiled makes a word of an operation on a layout and a tiler.
func tiled(f func(layout.Layout, layout.Tiler) (layout.Layout, error)) intrinsic {
	return func(c *ctx) []value {
		t := c.tiler(1)
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return f(l, t) }))
	}
}

// paired makes a word of an operation on two layouts.
func paired(f func(a, b layout.Layout) (layout.Layout, error)) intrinsic {
	return func(c *ctx) []value {
		b := c.layout(1).Layout
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return f(l, b) }))
	}
}

func sure(f func(layout.Layout) layout.Layout) func(layout.Layout) (layout.Layout, error) {
	return func(l layout.Layout) (layout.Layout, error) { return f(l), nil }
}

// layoutWords are the words of the layout algebra.
var layoutWords = map[string]intrinsic{
	"makelayout":     func(c *ctx) []value { return give(c.makeLayout()) },
	"orderedlayout":  func(c *ctx) []value { return give(c.made(layout.Ordered(c.tuple(0), c.tuple(1)))) },
	"layouttv":       (*ctx).layoutTV,
	"shape":          func(c *ctx) []value { return give(shape{c.modeOf(c.layoutOf(0).Shape(), 1)}) },
	"stride":         func(c *ctx) []value { return give(shape{c.modeOf(c.layoutOf(0).Stride(), 1)}) },
	"cosize":         func(c *ctx) []value { n, err := c.layoutOf(0).Cosize(); c.refused(err); return give(c.ofInt(n)) },
	"layout":         func(c *ctx) []value { return give(c.layoutOf(0)) },
	"offset":         func(c *ctx) []value { return give(c.ofInt(c.index(c.layout(0), c.coord(1)))) },
	"offset1":        func(c *ctx) []value { return give(c.ofInt(c.index(c.layout(0), c.tuple(1)))) },
	"identitylayout": func(c *ctx) []value { return give(c.made(layout.Identity(c.tuple(0)))) },
	"coalesce":       shaped(sure(layout.Coalesce)),
	"flatten":        shaped(sure(layout.Flatten)),
	"filter":         shaped(sure(layout.Filter)),
	"filterzeros":    shaped(sure(layout.FilterZeros)),
	"leftinverse":    shaped(layout.LeftInverse),
	"rightinverse":   shaped(layout.RightInverse),
	"composition":    tiled(layout.Compose),
	"logicaldivide":  tiled(layout.LogicalDivide),
	"zippeddivide":   tiled(layout.ZippedDivide),
	"tileddivide":    tiled(layout.TiledDivide),
	"flatdivide":     tiled(layout.FlatDivide),
	"logicalproduct": tiled(layout.LogicalProduct),
	"zippedproduct":  tiled(layout.ZippedProduct),
	"tiledproduct":   tiled(layout.TiledProduct),
	"flatproduct":    tiled(layout.FlatProduct),
	"blockedproduct": paired(layout.BlockedProduct),
	"rakedproduct":   paired(layout.RakedProduct),
	"maxcommon":      paired(layout.MaxCommon),
	"append":         paired(func(a, b layout.Layout) (layout.Layout, error) { return layout.Append(a, b), nil }),
	"prepend":        paired(func(a, b layout.Layout) (layout.Layout, error) { return layout.Prepend(a, b), nil }),
	"coalesceby": func(c *ctx) []value {
		p := c.tuple(1)
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return layout.CoalesceBy(l, p) }))
	},
	"complement": func(c *ctx) []value {
		return give(c.made(layout.Complement(c.layout(0).Layout, layout.Leaf(c.int(1)))))
	},
	"select": func(c *ctx) []value {
		m := c.statics(1, "a mode")
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return layout.Select(l, m...) }))
	},
	"group": func(c *ctx) []value {
		i, j := c.static(1, "a mode"), c.static(2, "a mode")
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return layout.Group(l, i, j) }))
	},
	"getmode": func(c *ctx) []value {
		path := c.statics(1, "a mode")
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return l.Mode(path...) }))
	},
	"tiletoshape": func(c *ctx) []value {
		s, o := c.tuple(1), c.tuple(2)
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return layout.TileToShape(l, s, o) }))
	},
	"recast":  (*ctx).recastLayout,
	"compose": (*ctx).composed,
	"inner":   func(c *ctx) []value { return give(&layoutVal{Layout: c.layout(0).Layout}) },
}

func (c *ctx) made(l layout.Layout, err error) value {
	c.refused(err)
	return &layoutVal{Layout: l}
}

// makeLayout is a layout of a shape, without gaps where no stride is given.
func (c *ctx) makeLayout() value {
	strides := c.tuples(1)
	switch len(strides) {
	case 0:
		return c.made(layout.Compact(c.tuple(0)))
	case 1:
		return c.made(layout.New(c.tuple(0), strides[0]))
	}
	c.Fail(c.pos, "MakeLayout takes a shape and at most one stride")
	return nil
}

func (c *ctx) layoutTV() []value {
	tiler, tv, err := layout.LayoutTV(c.layout(0).Layout, c.layout(1).Layout)
	c.refused(err)
	return give(shape{tiler}, &layoutVal{Layout: tv})
}

func (c *ctx) recastLayout() []value {
	l, to, from := c.layout(0), c.static(1, "a width in bits"), c.static(2, "a width in bits")
	if l.comp != nil {
		r, err := layout.RecastComposed(to, from, *l.comp)
		c.refused(err)
		return give(&layoutVal{r.Layout, &r})
	}
	return give(c.made(layout.Recast(to, from, l.Layout)))
}

// composed is a swizzle after a layout.
func (c *ctx) composed() []value {
	s, err := layout.NewSwizzle(c.static(0, "a swizzle"), c.static(1, "a swizzle"), c.static(2, "a swizzle"))
	c.refused(err)
	l := c.layout(3)
	return give(&layoutVal{l.Layout, &layout.Composed{Swizzle: s, Offset: layout.N(0), Layout: l.Layout}})
}
