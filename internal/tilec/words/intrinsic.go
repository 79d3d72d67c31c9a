package words

import (
	"go/constant"
	"slices"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// intrinsics lists the questions that functions of the language can ask the compiler. No intrinsic
// belongs to one operation, so that new operations need no new ones.
var intrinsics map[string]func(c *call) emit.Value

// init makes the table, since a literal of it would refer to itself.
func init() {
	intrinsics = map[string]func(c *call) emit.Value{
		// meta and set_meta read and change a value that belongs to the argument, such as the
		// memory token of a tensor.
		"meta":     func(c *call) emit.Value { return c.companion().V },
		"set_meta": func(c *call) emit.Value { c.companion().V = c.args[1]; return nil },
		// These answer with what the types of the function tell.
		"extent": func(c *call) emit.Value { return emit.Int(c.typ("D").N) },
		"rank":   func(c *call) emit.Value { return emit.Int(len(c.typ("T").Shape)) },
		"bits":   func(c *call) emit.Value { return emit.Int(c.typ("T").Elem.IR.Bits()) },
		"size": func(c *call) emit.Value {
			n := 1
			for _, d := range c.typ("T").Shape {
				n *= d
			}
			return emit.Int(n)
		},
		"shape": func(c *call) emit.Value {
			list := &emit.List{}
			for _, d := range c.typ("T").Shape {
				list.Elems = append(list.Elems, emit.Int(d))
			}
			return list
		},
		// These tell how the kernel orders its accesses.
		"releases":     func(c *call) emit.Value { return emit.Truth(c.Opts.Releases) },
		"will_release": (*call).willRelease,

		// in_kernel lets a body in Go tell a kernel from a program that runs it as ordinary Go.
		"in_kernel": func(*call) emit.Value { return emit.Truth(true) },
		"is_float":  func(c *call) emit.Value { return emit.Truth(c.typ("T").Elem.IR.IsFloat()) },
		"is_signed": func(c *call) emit.Value { return emit.Truth(c.typ("T").Elem.Signed()) },
		"is_mask":   func(c *call) emit.Value { return emit.Truth(c.typ("T").Elem.IR == tileir.I1) },
		"same":      func(c *call) emit.Value { return emit.Truth(c.typ("R").Same(c.typ("T"))) },
		"same_elem": func(c *call) emit.Value { return emit.Truth(c.typ("R").Elem == c.typ("T").Elem) },
		"same_value": func(c *call) emit.Value {
			return emit.Truth(emit.Same(c.args[0], c.args[1]))
		},
		// These tell what is known of values.
		"is_const": func(c *call) emit.Value { return emit.Truth(emit.IsConst(c.args[0])) },
		"divisor": func(c *call) emit.Value {
			if x, ok := c.args[0].(*emit.Tile); ok && x.Div > 1 {
				return emit.Int(int(x.Div))
			}
			return emit.Int(1)
		},
		"spreads":    func(c *call) emit.Value { return emit.Truth(spreads(c.typ("T").Shape, c.typ("R").Shape)) },
		"permutes":   func(c *call) emit.Value { return emit.Truth(c.permutes()) },
		"shape_name": func(c *call) emit.Value { return constant.MakeString(describe.ShapeText(c.typ("T").Shape)) },
		"elem_name":  func(c *call) emit.Value { return constant.MakeString(c.typ("T").Elem.Type.String()) },
		"retype":     (*call).retype,
		// These give the neutral elements of reductions.
		"least":    func(c *call) emit.Value { return extremeOf(c.typ("T").Elem, -1) },
		"greatest": func(c *call) emit.Value { return extremeOf(c.typ("T").Elem, 1) },
		"all_ones": func(c *call) emit.Value {
			e := c.typ("T").Elem
			if e.Signed() {
				return emit.Int(-1)
			}
			return extremeOf(e, 1)
		},
		"format":  (*call).format,
		"require": (*call).require,
		"known":   (*call).mustKnow,
		// A combining function has no place for an assertion.
		"checked": func(c *call) emit.Value { return emit.Truth(c.Opts.Checked && !c.Combining) },

		"nochecks": func(c *call) emit.Value { return emit.Truth(c.Opts.NoChecks) },

		"require_equal": (*call).requireEqual,
		"mask":          func(c *call) emit.Value { return emit.Truth(false) },
	}
}

// intrinsic answers the question that a directive asks.
func (c *call) intrinsic() []emit.Value {
	word := c.fn.Directive().Words[0]
	f, ok := intrinsics[word]
	if !ok {
		c.Fail(c.pos, "the directive of %s: no intrinsic %s", c.fn.Name(), word)
	}
	v := f(c)
	if v == nil {
		return nil
	}
	return []emit.Value{v}
}

// unanswerable refuses a call that an intrinsic cannot answer.
func (c *call) unanswerable() { c.Fail(c.pos, "the compiler cannot answer %s here", c.fn.Name()) }

// ok refuses the call unless b is true.
func (c *call) ok(b bool) {
	if !b {
		c.unanswerable()
	}
}

// typ gives what a type argument means in Tile IR.
func (c *call) typ(name string) *describe.Desc {
	t := c.fn.TypeArgs()[name]
	if t == nil {
		c.Fail(c.pos, "the directive of %s needs a type parameter %s", c.fn.Name(), name)
	}
	d := c.Desc(t)
	if d == nil {
		c.Fail(c.pos, "%s: a value of type %s cannot live on the device", c.fn.Name(), t)
	}
	return d
}

// companion gives the cell of a value that belongs to the first argument, by the name in the
// directive.
func (c *call) companion() *emit.Cell {
	x, ok := c.args[0].(*emit.Tile)
	c.ok(ok)
	companion := x.Meta[c.fn.Directive().Words[1]]
	c.ok(companion != nil)
	c.Read(companion)
	return companion
}

// spreads reports whether one shape becomes another by leading dimensions and by stretching
// dimensions of 1.
func spreads(from, to []int) bool {
	if len(from) > len(to) {
		return false
	}
	tail := to[len(to)-len(from):]
	for i, d := range from {
		if d != 1 && d != tail[i] {
			return false
		}
	}
	return true
}

// permutes reports whether R is T with its dimensions in the order that the argument dims gives.
func (c *call) permutes() bool {
	r, t := c.typ("R"), c.typ("T")
	// The argument is read by the name of its parameter.
	c.bind()
	dims := c.integers(&decl.Expr{Name: "dims"})
	if r.Elem != t.Elem || len(dims) != len(r.Shape) || len(dims) != len(t.Shape) {
		return false
	}
	// Sorted, a permutation of n dimensions is 0 to n-1.
	sorted := slices.Sorted(slices.Values(dims))
	for i, d := range dims {
		if sorted[i] != i || d < 0 || d >= len(t.Shape) || r.Shape[i] != t.Shape[d] {
			return false
		}
	}
	return true
}

// retype gives the argument the Go type of the result. It is the same value of Tile IR, so no
// operation is needed.
func (c *call) retype() emit.Value {
	c.bind()
	// A constant becomes a tile of the parameter's type first.
	x := c.As(c.pos, c.args[0], c.types[0])
	t := c.fn.Results()[0]
	d := c.TileDesc(t)
	c.ok(d != nil)
	n := &emit.Tile{V: x.V, Desc: d, Type: t, Min: x.Min, Div: x.Div, Meta: x.Meta}
	// The result may have other values that belong to it than the argument.
	if c.fn.Directive().Meta != nil {
		c.attach(c.fn.Directive().Meta, n)
	}
	return n
}

// extremeOf gives the least or the greatest value of an element type.
func extremeOf(e describe.Elem, sign int) emit.Value {
	least, greatest := emit.TypeOf(e).Limits()
	if sign < 0 {
		return least
	}
	return greatest
}

// mustKnow refuses a first argument that is not a constant. The second argument names it in the
// message.
func (c *call) mustKnow() emit.Value {
	if !emit.IsConst(c.args[0]) {
		c.Unknown(c.pos, constant.StringVal(c.args[1].(constant.Value)), emit.OfNumber)
	}
	return nil
}

// willRelease starts the lowering again if it assumed that the kernel does not release. What came
// before would have been lowered in another way: a kernel that releases needs an order among its
// accesses that others do without.
func (c *call) willRelease() emit.Value {
	// It happens once at most, as the second lowering knows it from the start.
	if !c.Opts.Releases {
		panic(goval.Halt{Err: emit.ErrReleases})
	}
	return nil
}

// require is a mistake of the kernel unless its first argument is true.
func (c *call) require() emit.Value {
	// The compiler decides the condition, so it must be known.
	k, ok := c.args[0].(constant.Value)
	if !ok {
		c.Unknown(c.pos, "the condition of Require", emit.OfTest)
	}
	if constant.BoolVal(k) {
		return nil
	}
	text, ok := c.args[1].(constant.Value)
	c.Must(ok && text.Kind() == constant.String, c.pos, "the message of Require must be a constant text")
	var xs []any
	for _, v := range c.args[2].(*emit.List).Elems {
		// The message is formatted while the kernel is compiled.
		xs = append(xs, c.hostValue(v))
	}
	c.FailTypes(c.pos, constant.StringVal(text), xs...)
	return nil
}

// hostValue gives a known value as package fmt prints it.
func (c *call) hostValue(v emit.Value) any {
	switch k := emit.Content(v).(type) {
	// Shapes and other lists print as Go prints slices.
	case *emit.Slice:
		xs := make([]any, k.Len)
		for i, x := range k.Elems() {
			xs[i] = c.hostValue(x)
		}
		return xs
	case emit.NonFinite:
		return float64(k)
	case constant.Value:
		if n, ok := constant.Val(k).(int64); ok {
			return n
		}
		switch k.Kind() {
		case constant.Bool, constant.String:
			return constant.Val(k)
		case constant.Float:
			return goval.Float(k)
		}
		return k.ExactString()
	case emit.Poison:
		panic(emit.Bailout{})
	}
	c.Unknown(c.pos, "what the message of Require mentions", emit.OfTest)
	return nil
}

// format turns a format of Go into one of C, with each verb by the type of its argument.
func (c *call) format() emit.Value {
	k, ok := c.args[0].(constant.Value)
	c.Must(ok && k.Kind() == constant.String, c.pos, "the format must be a constant text")
	list := c.args[1].(*emit.List)
	elems := make([]describe.Elem, len(list.Elems))
	for i, v := range list.Elems {
		elems[i] = c.elemOf(v)
	}
	s, err := cFormat(constant.StringVal(k), elems)
	c.Must(err == nil, c.pos, "%v", err)
	return constant.MakeString(s)
}

// elemOf gives the element type of a value that Print takes.
func (c *call) elemOf(v emit.Value) describe.Elem {
	if x, ok := v.(*emit.Tile); ok {
		return x.Desc.Elem
	}
	h, ok := v.(*emit.Held)
	// printf would need the text in the memory of the device.
	if ok && emit.IsText(h.V) {
		c.Fail(c.pos, "Print cannot take a text: write it in the format")
	}
	if !ok || !emit.IsConst(h.V) {
		c.Fail(c.pos, "Print takes numbers, truth values and tiles")
	}
	// A number in an interface has a type, which decides its verb.
	return c.TileDesc(h.Type).Elem
}
