package lower

import (
	"go/constant"
	"slices"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// intrinsics answer what no operation can; none of them belongs to an operation.
var intrinsics map[string]func(c *call) value

func init() { // a literal would refer to itself
	intrinsics = map[string]func(c *call) value{
		"meta":     func(c *call) value { return c.companion().v },
		"set_meta": func(c *call) value { c.companion().v = c.args[1]; return nil },
		"extent":   func(c *call) value { return number(c.typ("D").N) },
		"rank":     func(c *call) value { return number(len(c.typ("T").Shape)) },
		"bits":     func(c *call) value { return number(c.typ("T").Elem.IR.Bits()) },
		"size": func(c *call) value {
			n := 1
			for _, d := range c.typ("T").Shape {
				n *= d
			}
			return number(n)
		},
		"shape": func(c *call) value {
			list := &listVal{}
			for _, d := range c.typ("T").Shape {
				list.elems = append(list.elems, number(d))
			}
			return list
		},
		"releases":     func(c *call) value { return truth(c.opts.Releases) },
		"will_release": (*call).willRelease,

		"in_kernel": func(*call) value { return truth(true) },
		"is_float":  func(c *call) value { return truth(c.typ("T").Elem.IR.IsFloat()) },
		"is_signed": func(c *call) value { return truth(c.typ("T").Elem.Signed()) },
		"is_mask":   func(c *call) value { return truth(c.typ("T").Elem.IR == tileir.I1) },
		"same":      func(c *call) value { return truth(c.typ("R").Same(c.typ("T"))) },
		"same_elem": func(c *call) value { return truth(c.typ("R").Elem == c.typ("T").Elem) },
		"same_value": func(c *call) value {
			return truth(same(c.args[0], c.args[1]))
		},
		"is_const": func(c *call) value { return truth(isConst(c.args[0])) },
		"divisor": func(c *call) value {
			if x, ok := c.args[0].(*tile); ok && x.div > 1 {
				return number(int(x.div))
			}
			return number(1)
		},
		"spreads":    func(c *call) value { return truth(spreads(c.typ("T").Shape, c.typ("R").Shape)) },
		"permutes":   func(c *call) value { return truth(c.permutes()) },
		"shape_name": func(c *call) value { return constant.MakeString(describe.ShapeText(c.typ("T").Shape)) },
		"elem_name":  func(c *call) value { return constant.MakeString(c.typ("T").Elem.Type.String()) },
		"retype":     (*call).retype,
		"least":      func(c *call) value { return extremeOf(c.typ("T").Elem, -1) },
		"greatest":   func(c *call) value { return extremeOf(c.typ("T").Elem, 1) },
		"all_ones": func(c *call) value {
			e := c.typ("T").Elem
			if e.Signed() {
				return number(-1)
			}
			return extremeOf(e, 1)
		},
		"format":  (*call).format,
		"require": (*call).require,
		"known":   (*call).mustKnow,
		"checked": func(c *call) value { return truth(c.opts.Checked && !c.combining) },

		"nochecks": func(c *call) value { return truth(c.opts.NoChecks) },

		"require_equal": (*call).requireEqual,
		"mask":          func(c *call) value { return truth(false) },
	}
}

func (c *call) intrinsic() []value {
	word := c.fn.Directive().Words[0]
	f, ok := intrinsics[word]
	if !ok {
		c.Fail(c.pos, "the directive of %s: no intrinsic %s", c.fn.Name(), word)
	}
	v := f(c)
	if v == nil {
		return nil
	}
	return []value{v}
}

// unanswerable refuses a call that an intrinsic cannot answer.
func (c *call) unanswerable() { c.Fail(c.pos, "%s cannot be answered here", c.fn.Name()) }

func (c *call) ok(b bool) {
	if !b {
		c.unanswerable()
	}
}

// typ is what a type argument means.
func (c *call) typ(name string) *describe.Desc {
	t := c.fn.TypeArgs()[name]
	if t == nil {
		c.Fail(c.pos, "the directive of %s needs a type parameter %s", c.fn.Name(), name)
	}
	d := c.desc(t)
	if d == nil {
		c.Fail(c.pos, "%s: a value of type %s cannot live on the device", c.fn.Name(), t)
	}
	return d
}

// companion is what travels with the first argument.
func (c *call) companion() *cell {
	x, ok := c.args[0].(*tile)
	c.ok(ok)
	companion := x.meta[c.fn.Directive().Words[1]]
	c.ok(companion != nil)
	c.read(companion)
	return companion
}

// spreads reports whether a shape becomes another by leading dimensions and by stretching dimensions of 1.
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

func (c *call) permutes() bool {
	r, t := c.typ("R"), c.typ("T")
	c.bind()
	dims := c.integers(&decl.Expr{Name: "dims"})
	if r.Elem != t.Elem || len(dims) != len(r.Shape) || len(dims) != len(t.Shape) {
		return false
	}
	sorted := slices.Sorted(slices.Values(dims))
	for i, d := range dims {
		if sorted[i] != i || d < 0 || d >= len(t.Shape) || r.Shape[i] != t.Shape[d] {
			return false
		}
	}
	return true
}

func (c *call) retype() value {
	c.bind()
	x := c.as(c.pos, c.args[0], c.types[0])
	t := c.fn.Results()[0]
	d := c.tileDesc(t)
	c.ok(d != nil)
	n := &tile{v: x.v, desc: d, typ: t, min: x.min, div: x.div, meta: x.meta}
	if c.fn.Directive().Meta != nil {
		c.attach(c.fn.Directive().Meta, n)
	}
	return n
}

// extremeOf is the least or greatest value of an element type.
func extremeOf(e describe.Elem, sign int) value {
	least, greatest := typeOf(e).Limits()
	if sign < 0 {
		return least
	}
	return greatest
}

// mustKnow is an error unless the first argument is a constant.
func (c *call) mustKnow() value {
	if !isConst(c.args[0]) {
		c.unknown(c.pos, constant.StringVal(c.args[1].(constant.Value)), ofNumber)
	}
	return nil
}

// willRelease starts the lowering anew, once: what came before was lowered as if the kernel released nowhere.
func (c *call) willRelease() value {
	if !c.opts.Releases {
		panic(goval.Halt{Err: errReleases})
	}
	return nil
}

// require is an error of the kernel unless its first argument holds.
func (c *call) require() value {
	k, ok := c.args[0].(constant.Value)
	if !ok {
		c.unknown(c.pos, "the condition of Require", ofTest)
	}
	if constant.BoolVal(k) {
		return nil
	}
	text, ok := c.args[1].(constant.Value)
	c.Must(ok && text.Kind() == constant.String, c.pos, "the message of Require must be a constant text")
	var xs []any
	for _, v := range c.args[2].(*listVal).elems {
		xs = append(xs, c.hostValue(v))
	}
	c.failTypes(c.pos, constant.StringVal(text), xs...)
	return nil
}

// hostValue is a known value as package fmt prints it.
func (c *call) hostValue(v value) any {
	switch k := content(v).(type) {
	case *sliceVal:
		xs := make([]any, k.n)
		for i, x := range k.elems() {
			xs[i] = c.hostValue(x)
		}
		return xs
	case nonFinite:
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
	case poison:
		panic(bailout{})
	}
	c.unknown(c.pos, "what the message of Require mentions", ofTest)
	return nil
}

// format turns a format of Go into one of C: each verb by the type of its argument.
func (c *call) format() value {
	k, ok := c.args[0].(constant.Value)
	c.Must(ok && k.Kind() == constant.String, c.pos, "the format must be a constant text")
	list := c.args[1].(*listVal)
	elems := make([]describe.Elem, len(list.elems))
	for i, v := range list.elems {
		elems[i] = c.elemOf(v)
	}
	s, err := cFormat(constant.StringVal(k), elems)
	c.Must(err == nil, c.pos, "%v", err)
	return constant.MakeString(s)
}

func (c *call) elemOf(v value) describe.Elem {
	if x, ok := v.(*tile); ok {
		return x.desc.Elem
	}
	h, ok := v.(*held)
	if ok && isText(h.v) {
		c.Fail(c.pos, "Print cannot take a text: write it in the format")
	}
	if !ok || !isConst(h.v) {
		c.Fail(c.pos, "Print takes numbers, truth values and tiles")
	}
	return c.tileDesc(h.typ).Elem
}
