package words

import (
	"go/token"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// variables lists the variables of package cute that compiled code can read.
var variables = map[string]emit.Value{"All": emit.Shape{Tuple: layout.All}}

// tupleWords lists the words for shapes, strides and coordinates.
var tupleWords = map[string]intrinsic{
	"tuple":    func(c *call) []emit.Value { return give(emit.Shape{Tuple: layout.T(leavesOf(c.ints(0))...)}) },
	"nest":     func(c *call) []emit.Value { return give(emit.Shape{Tuple: layout.T(c.tuples(0)...)}) },
	"leaf":     func(c *call) []emit.Value { return give(emit.Shape{Tuple: layout.Leaf(c.int(0))}) },
	"rank":     func(c *call) []emit.Value { return give(emit.Number(c.shapeOf(0).Rank())) },
	"depth":    func(c *call) []emit.Value { return give(emit.Number(c.shapeOf(0).Depth())) },
	"mode":     func(c *call) []emit.Value { return give(emit.Shape{Tuple: c.modeOf(c.tuple(0), 1)}) },
	"int":      func(c *call) []emit.Value { return give(c.leafInt(c.modeOf(c.tuple(0), 1))) },
	"size":     func(c *call) []emit.Value { return give(c.OfInt(c.modeOf(c.shapeOf(0), 1).Product())) },
	"flat":     func(c *call) []emit.Value { return give(emit.Shape{Tuple: c.tuple(0).Flatten()}) },
	"elemless": func(c *call) []emit.Value { return give(c.ElemLess(c.tuple(0), c.tuple(1))) },
	"crd2idx": func(c *call) []emit.Value {
		return give(c.OfInt(c.Index(c.layoutOf(1), c.tuple(0))))
	},
	"idx2crd": func(c *call) []emit.Value {
		t, err := layout.Coord(c.int(0), c.shapeOf(1))
		c.Refused(err)
		return give(emit.Shape{Tuple: t})
	},
	"ceildiv":    func(c *call) []emit.Value { return give(c.tupleOp(layout.CeilDiv)) },
	"roundup":    func(c *call) []emit.Value { return give(c.tupleOp(layout.RoundUp)) },
	"shapediv":   func(c *call) []emit.Value { return give(c.tupleOp(layout.ShapeDiv)) },
	"ceildivint": func(c *call) []emit.Value { return give(c.ceilDiv()) },
}

// ceilDiv is a / b rounded up. Its numbers may be any: the sum inside takes the bits that it needs.
func (c *call) ceilDiv() emit.Value {
	a, b := c.OfInt(c.int(0)), c.OfInt(c.int(1))
	if emit.IsStatic(a) && emit.IsStatic(b) {
		return c.OfInt(c.int(0).CeilDiv(c.int(1)))
	}
	sum := c.Binary(token.ADD, a, c.Binary(token.SUB, b, emit.Number(1), emit.Int), emit.Int)
	return c.Binary(token.QUO, sum, b, emit.Int)
}

// tupleOp applies an operation to two tuples.
func (c *call) tupleOp(f func(a, b layout.Tuple) (layout.Tuple, error)) emit.Value {
	t, err := f(c.tuple(0), c.tuple(1))
	c.Refused(err)
	return emit.Shape{Tuple: t}
}

// leavesOf makes a tuple of each integer.
func leavesOf(ns []layout.Int) (out []layout.Tuple) {
	for _, n := range ns {
		out = append(out, layout.Leaf(n))
	}
	return out
}

// tuples gives the variadic arguments, which must be tuples.
func (c *call) tuples(i int) (out []layout.Tuple) {
	for _, v := range c.rest(i) {
		s, ok := v.(emit.Shape)
		c.Must(ok, c.pos, "%s takes tuples, not %s", c.callee.Name, c.Describe(v))
		out = append(out, s.Tuple)
	}
	return out
}

// shapeOf gives the shape of an argument. A tuple is a shape itself.
func (c *call) shapeOf(i int) layout.Tuple {
	if s, ok := c.arg(i).(emit.Shape); ok {
		return s.Tuple
	}
	if v, ok := c.arg(i).(*emit.Vec); ok {
		return v.Shape
	}
	return c.layoutOf(i).Shape()
}

// layoutOf gives the layout of an argument: a layout itself, or that of a tensor.
func (c *call) layoutOf(i int) *emit.Layout {
	switch v := c.arg(i).(type) {
	case *emit.Layout:
		return v
	case *emit.Tensor:
		return v.Layout
	case *emit.Coords:
		return v.Layout
	}
	c.Fail(c.pos, "%s takes a layout or a tensor here, not %s", c.callee.Name, c.Describe(c.arg(i)))
	return nil
}

// modeOf gives the mode of a tuple at a path of static integers, which are variadic arguments.
// Without a path it gives the whole tuple.
func (c *call) modeOf(t layout.Tuple, path int) layout.Tuple {
	for _, m := range c.statics(path, "a mode") {
		ms := t.Modes()
		// An integer counts as a tuple of one mode, as in CuTe. Mode 0 of an integer is the
		// integer.
		if n, leaf := t.IsLeaf(); leaf && m == 0 {
			t = layout.Leaf(n)
			continue
		}
		c.Must(0 <= m && m < len(ms), c.pos, "%s has no mode %d", t, m)
		t = ms[m]
	}
	return t
}

// leafInt gives a tuple that is one integer as a number.
func (c *call) leafInt(t layout.Tuple) emit.Value {
	n, ok := t.IsLeaf()
	// A tuple of several modes has no value as an integer.
	c.Must(ok, c.pos, "%s is not an integer: name the mode", t)
	return c.OfInt(n)
}

// reshape replaces the layout of a layout, a tensor or a coordinate tensor by what f gives for it.
// A swizzled layout keeps its swizzle, and f changes the layout inside.
func (c *call) reshape(v emit.Value, f func(layout.Layout) (layout.Layout, error)) emit.Value {
	switch v := v.(type) {
	case *emit.Layout:
		// A swizzle permutes offsets after the layout, so operations on the layout leave it as it
		// is.
		if v.Composed != nil {
			r, err := v.Composed.Inner(f)
			c.Refused(err)
			return &emit.Layout{Layout: r.Layout, Composed: &r}
		}
		r, err := f(v.Layout)
		c.Refused(err)
		return &emit.Layout{Layout: r}
	case *emit.Tensor:
		return v.With(c.reshape(v.Layout, f).(*emit.Layout), layout.N(0))
	case *emit.Coords:
		return &emit.Coords{Start: v.Start, Layout: c.reshape(v.Layout, f).(*emit.Layout)}
	}
	c.Fail(c.pos, "%s takes a layout or a tensor here, not %s", c.callee.Name, c.Describe(v))
	return nil
}

// shaped makes a word of an operation on one layout.
func shaped(f func(layout.Layout) (layout.Layout, error)) intrinsic {
	return func(c *call) []emit.Value { return give(c.reshape(c.arg(0), f)) }
}

// tiled makes a word of an operation on a layout and a tiler.
func tiled(f func(layout.Layout, layout.Tiler) (layout.Layout, error)) intrinsic {
	return func(c *call) []emit.Value {
		t := c.tiler(1)
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return f(l, t) }))
	}
}

// paired makes a word of an operation on two layouts.
func paired(f func(a, b layout.Layout) (layout.Layout, error)) intrinsic {
	return func(c *call) []emit.Value {
		b := c.layout(1).Layout
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return f(l, b) }))
	}
}

// sure gives an operation that cannot fail the form of one that can.
func sure(f func(layout.Layout) layout.Layout) func(layout.Layout) (layout.Layout, error) {
	return func(l layout.Layout) (layout.Layout, error) { return f(l), nil }
}

// layoutWords lists the words of the layout algebra.
var layoutWords = map[string]intrinsic{
	"makelayout":     func(c *call) []emit.Value { return give(c.makeLayout()) },
	"orderedlayout":  func(c *call) []emit.Value { return give(c.made(layout.Ordered(c.tuple(0), c.tuple(1)))) },
	"layouttv":       (*call).layoutTV,
	"shape":          func(c *call) []emit.Value { return give(emit.Shape{Tuple: c.modeOf(c.layoutOf(0).Shape(), 1)}) },
	"stride":         func(c *call) []emit.Value { return give(emit.Shape{Tuple: c.modeOf(c.layoutOf(0).Stride(), 1)}) },
	"cosize":         func(c *call) []emit.Value { n, err := c.layoutOf(0).Cosize(); c.Refused(err); return give(c.OfInt(n)) },
	"layout":         func(c *call) []emit.Value { return give(c.layoutOf(0)) },
	"offset":         func(c *call) []emit.Value { return give(c.OfInt(c.Index(c.layout(0), c.coord(1)))) },
	"offset1":        func(c *call) []emit.Value { return give(c.OfInt(c.Index(c.layout(0), c.tuple(1)))) },
	"identitylayout": func(c *call) []emit.Value { return give(c.made(layout.Identity(c.tuple(0)))) },
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
	"coalesceby": func(c *call) []emit.Value {
		// The modes of the tuple tell how far to coalesce.
		p := c.tuple(1)
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return layout.CoalesceBy(l, p) }))
	},
	"complement": func(c *call) []emit.Value {
		return give(c.made(layout.Complement(c.layout(0).Layout, layout.Leaf(c.int(1)))))
	},
	"select": func(c *call) []emit.Value {
		m := c.statics(1, "a mode")
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return layout.Select(l, m...) }))
	},
	"group": func(c *call) []emit.Value {
		// The modes from i to j become one mode with these as its parts.
		i, j := c.static(1, "a mode"), c.static(2, "a mode")
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return layout.Group(l, i, j) }))
	},
	"getmode": func(c *call) []emit.Value {
		path := c.statics(1, "a mode")
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return l.Mode(path...) }))
	},
	"tiletoshape": func(c *call) []emit.Value {
		// The tile is repeated until it fills the shape, in the order of the modes that o gives.
		s, o := c.tuple(1), c.tuple(2)
		return give(c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return layout.TileToShape(l, s, o) }))
	},
	"recast":  (*call).recastLayout,
	"compose": (*call).composed,
	"inner":   func(c *call) []emit.Value { return give(&emit.Layout{Layout: c.layout(0).Layout}) },
}

// made gives a layout as a value, or reports why the algebra refused it.
func (c *call) made(l layout.Layout, err error) emit.Value {
	c.Refused(err)
	return &emit.Layout{Layout: l}
}

// makeLayout makes a layout of a shape. Without a stride it is compact, the first mode fastest.
func (c *call) makeLayout() emit.Value {
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

// layoutTV gives the tiler and the layout of threads and values that two layouts of threads and
// values make.
func (c *call) layoutTV() []emit.Value {
	tiler, tv, err := layout.LayoutTV(c.layout(0).Layout, c.layout(1).Layout)
	c.Refused(err)
	return give(emit.Shape{Tuple: tiler}, &emit.Layout{Layout: tv})
}

// recastLayout gives the layout of the same memory for elements of another width.
func (c *call) recastLayout() []emit.Value {
	l, to, from := c.layout(0), c.static(1, "a width in bits"), c.static(2, "a width in bits")
	if l.Composed != nil {
		r, err := layout.RecastComposed(to, from, *l.Composed)
		c.Refused(err)
		return give(&emit.Layout{Layout: r.Layout, Composed: &r})
	}
	return give(c.made(layout.Recast(to, from, l.Layout)))
}

// composed makes a layout that is swizzled by the three numbers of a swizzle.
func (c *call) composed() []emit.Value {
	s, err := layout.NewSwizzle(c.static(0, "a swizzle"), c.static(1, "a swizzle"), c.static(2, "a swizzle"))
	c.Refused(err)
	l := c.layout(3)
	return give(&emit.Layout{Layout: l.Layout, Composed: &layout.Composed{Swizzle: s, Offset: layout.N(0), Layout: l.Layout}})
}
