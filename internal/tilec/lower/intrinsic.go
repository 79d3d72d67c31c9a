package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"slices"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// question is a call of an intrinsic.
type question struct {
	l    *lowerer
	pos  token.Pos
	fv   *funcVal
	args []value
}

// intrinsics answer what no operation can; none of them belongs to an operation.
var intrinsics map[string]func(q *question) value

func init() { // a literal would refer to itself
	intrinsics = map[string]func(q *question) value{
		"meta":     func(q *question) value { return q.companion().v },
		"set_meta": func(q *question) value { q.companion().v = q.args[1]; return nil },
		"extent":   func(q *question) value { return number(q.typ("D").N) },
		"rank":     func(q *question) value { return number(len(q.typ("T").Shape)) },
		"bits":     func(q *question) value { return number(q.typ("T").Elem.IR.Bits()) },
		"size": func(q *question) value {
			n := 1
			for _, d := range q.typ("T").Shape {
				n *= d
			}
			return number(n)
		},
		"shape": func(q *question) value {
			list := &listVal{}
			for _, d := range q.typ("T").Shape {
				list.elems = append(list.elems, number(d))
			}
			return list
		},
		"releases":     func(q *question) value { return truth(q.l.releases) },
		"will_release": (*question).willRelease,

		"in_kernel": func(*question) value { return truth(true) },
		"is_float":  func(q *question) value { return truth(q.typ("T").Elem.IR.IsFloat()) },
		"is_signed": func(q *question) value { return truth(q.typ("T").Elem.Signed()) },
		"is_mask":   func(q *question) value { return truth(q.typ("T").Elem.IR == tileir.I1) },
		"same":      func(q *question) value { return truth(q.typ("R").Same(q.typ("T"))) },
		"same_elem": func(q *question) value { return truth(q.typ("R").Elem == q.typ("T").Elem) },
		"same_value": func(q *question) value {
			return truth(same(q.args[0], q.args[1]))
		},
		"is_const": func(q *question) value { return truth(isConst(q.args[0])) },
		"divisor": func(q *question) value {
			if x, ok := q.args[0].(*tile); ok && x.div > 1 {
				return number(int(x.div))
			}
			return number(1)
		},
		"spreads":    func(q *question) value { return truth(spreads(q.typ("T").Shape, q.typ("R").Shape)) },
		"permutes":   func(q *question) value { return truth(q.permutes()) },
		"shape_name": func(q *question) value { return constant.MakeString(describe.ShapeText(q.typ("T").Shape)) },
		"elem_name":  func(q *question) value { return constant.MakeString(q.typ("T").Elem.Type.String()) },
		"retype":     (*question).retype,
		"least":      func(q *question) value { return extremeOf(q.typ("T").Elem, -1) },
		"greatest":   func(q *question) value { return extremeOf(q.typ("T").Elem, 1) },
		"all_ones": func(q *question) value {
			e := q.typ("T").Elem
			if e.Signed() {
				return number(-1)
			}
			return extremeOf(e, 1)
		},
		"format":  (*question).format,
		"require": (*question).require,
		"known":   (*question).known,
		"checked": func(q *question) value { return truth(q.l.in.Checked && !q.l.combining) },

		"nochecks": func(q *question) value { return truth(q.l.in.NoChecks) },

		"require_equal": (*question).requireEqual,
		"mask":          func(q *question) value { return truth(false) },
	}
}

func (l *lowerer) intrinsic(pos token.Pos, fv *funcVal, args []value) []value {
	f, ok := intrinsics[fv.dir.Words[0]]
	if !ok {
		l.Fail(pos, "the directive of %s: no intrinsic %s", fv.name, fv.dir.Words[0])
	}
	v := f(&question{l, pos, fv, args})
	if v == nil {
		return nil
	}
	return []value{v}
}

func number(n int) value  { return constant.MakeInt64(int64(n)) }
func truth(ok bool) value { return constant.MakeBool(ok) }
func (q *question) fail() { q.l.Fail(q.pos, "%s cannot be answered here", q.fv.name) }
func (q *question) ok(b bool) {
	if !b {
		q.fail()
	}
}

// typ is what a type argument means.
func (q *question) typ(name string) *describe.Desc {
	t := q.fv.env.Names()[name]
	if t == nil {
		q.l.Fail(q.pos, "the directive of %s needs a type parameter %s", q.fv.name, name)
	}
	d := q.l.desc(t)
	if d == nil {
		q.l.Fail(q.pos, "%s: a value of type %s cannot live on the device", q.fv.name, t)
	}
	return d
}

// companion is what travels with the first argument.
func (q *question) companion() *cell {
	x, ok := q.args[0].(*tile)
	q.ok(ok)
	c := x.meta[q.fv.dir.Words[1]]
	q.ok(c != nil)
	q.l.read(c)
	return c
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

func (q *question) permutes() bool {
	r, t := q.typ("R"), q.typ("T")
	dims := q.l.integers(q.pos, q.l.bind(q.fv, q.args), &decl.Expr{Name: "dims"})
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

func (q *question) retype() value {
	b := q.l.bind(q.fv, q.args)
	x := q.l.as(q.pos, q.args[0], b.types[0])
	t := q.l.resultTypes(q.fv)[0]
	d := q.l.tileDesc(t)
	q.ok(d != nil)
	n := &tile{v: x.v, desc: d, typ: t, min: x.min, div: x.div, meta: x.meta}
	if q.fv.dir.Meta != nil {
		q.l.attach(q.pos, b, q.fv.dir.Meta, n)
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

// known is an error unless the first argument is a constant.
func (q *question) known() value {
	if !isConst(q.args[0]) {
		q.l.unknown(q.pos, constant.StringVal(q.args[1].(constant.Value)), ofNumber)
	}
	return nil
}

// willRelease starts the lowering anew, once: what came before was lowered as if the kernel released nowhere.
func (q *question) willRelease() value {
	if !q.l.releases {
		panic(goval.Halt{Err: errReleases})
	}
	return nil
}

// required reports whether e is a call of Require, fv, that holds: then nothing asks for the parts of its message, which
// the language's functions would compute at each call.
func (l *lowerer) required(fr *frame, e *ast.CallExpr, fv *funcVal) bool {
	if !fr.pkg.Src.Lang || fv.dir == nil || fv.dir.Word != directive.Intrinsic || fv.dir.Words[0] != "require" {
		return false
	}
	k, ok := l.eval(fr, e.Args[0]).(constant.Value)
	return ok && constant.BoolVal(k)
}

// require is an error of the kernel unless its first argument holds.
func (q *question) require() value {
	k, ok := q.args[0].(constant.Value)
	if !ok {
		q.l.unknown(q.pos, "the condition of Require", ofTest)
	}
	if constant.BoolVal(k) {
		return nil
	}
	text, ok := q.args[1].(constant.Value)
	q.l.Must(ok && text.Kind() == constant.String, q.pos, "the message of Require must be a constant text")
	var xs []any
	for _, v := range q.args[2].(*listVal).elems {
		xs = append(xs, q.hostValue(v))
	}
	q.l.failTypes(q.pos, constant.StringVal(text), xs...)
	return nil
}

// hostValue is a known value as package fmt prints it.
func (q *question) hostValue(v value) any {
	switch k := content(v).(type) {
	case *sliceVal:
		xs := make([]any, k.n)
		for i, x := range k.elems() {
			xs[i] = q.hostValue(x)
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
	q.l.unknown(q.pos, "what the message of Require mentions", ofTest)
	return nil
}

// format turns a format of Go into one of C: each verb by the type of its argument.
func (q *question) format() value {
	k, ok := q.args[0].(constant.Value)
	q.l.Must(ok && k.Kind() == constant.String, q.pos, "the format must be a constant text")
	list := q.args[1].(*listVal)
	elems := make([]describe.Elem, len(list.elems))
	for i, v := range list.elems {
		elems[i] = q.elemOf(v)
	}
	s, err := cFormat(constant.StringVal(k), elems)
	q.l.Must(err == nil, q.pos, "%v", err)
	return constant.MakeString(s)
}

func (q *question) elemOf(v value) describe.Elem {
	if x, ok := v.(*tile); ok {
		return x.desc.Elem
	}
	h, ok := v.(*held)
	if ok && isText(h.v) {
		q.l.Fail(q.pos, "Print cannot take a text: write it in the format")
	}
	if !ok || !isConst(h.v) {
		q.l.Fail(q.pos, "Print takes numbers, truth values and tiles")
	}
	return q.l.tileDesc(h.typ).Elem
}
