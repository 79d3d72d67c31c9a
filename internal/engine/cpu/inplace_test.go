package cpu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// turn builds the body of a loop, from two carried tiles a and b and a tile x from outside.
type turn struct {
	*kernel
	t       *tileir.TileType
	i, x    *tileir.Value // the counter
	a, b    *tileir.Value
	element *tileir.TileType
}

func (u *turn) is(name string, v ...*tileir.Value) *tileir.Value {
	if u.t.Elem.IsFloat() {
		return u.one(name+"f", v, nearest, v[0].Type)
	}
	return u.one(name+"i", v, nil, v[0].Type)
}

func (u *turn) add(a, b *tileir.Value) *tileir.Value { return u.is("add", a, b) }
func (u *turn) sub(a, b *tileir.Value) *tileir.Value { return u.is("sub", a, b) }

// sum reduces a dimension and keeps it, with one element.
func (u *turn) sum(v *tileir.Value, dim int) *tileir.Value {
	shape := slices.Clone(u.t.Shape)
	shape[dim] = 1
	r := u.fold("reduce", v, dim, nil, tileir.Tile(u.t.Elem, slices.Delete(slices.Clone(u.t.Shape), dim, dim+1)...),
		func(e, acc *tileir.Value) *tileir.Value { return u.add(e, acc) })
	return u.one("reshape", vals{r}, nil, tileir.Tile(u.t.Elem, shape...))
}

// spread repeats a tile to the full shape.
func (u *turn) spread(v *tileir.Value) *tileir.Value { return u.one("broadcast", vals{v}, nil, u.t) }

// turned exchanges the dimensions of a tile with as many rows as columns.
func (u *turn) turned(v *tileir.Value) *tileir.Value {
	return u.one("permute", vals{v}, attrs{"permutation": tileir.Ints{1, 0}}, u.t)
}

// odd is true in every other turn.
func (u *turn) odd() *tileir.Value { return u.one("trunci", vals{u.i}, nil, tileir.Tile(tileir.I1)) }

// choose makes an if with results.
func (u *turn) choose(cond *tileir.Value, then, els func() vals) vals {
	var types []tileir.Type
	region := func(f func() vals) *tileir.Block {
		return u.region(nil, func(vals) {
			v := f()
			types = nil
			for _, v := range v {
				types = append(types, v.Type)
			}
			u.opGroups("yield", []vals{v}, nil, nil)
		})
	}
	regions := []*tileir.Block{region(then), region(els)}
	return u.opGroups("if", []vals{{cond}}, nil, regions, types...)
}

func (u *turn) end(v ...*tileir.Value) { u.opGroups("continue", []vals{v}, nil, nil) }

// turns are bodies of loops, with the operations whose results lie where continue, break or yield puts them.
var turns = map[string]struct {
	placed string
	body   func(u *turn)
}{
	"sums":               {"add sub", func(u *turn) { u.end(u.add(u.a, u.x), u.sub(u.b, u.x)) }},
	"each of both":       {"add sub", func(u *turn) { u.end(u.add(u.a, u.b), u.sub(u.b, u.a)) }},
	"changing places":    {"add sub", func(u *turn) { v := u.sub(u.a, u.x); u.end(u.add(u.b, u.x), v) }},
	"moved on":           {"", func(u *turn) { u.end(u.add(u.a, u.x), u.a) }},
	"swapped":            {"", func(u *turn) { u.end(u.b, u.a) }},
	"the result again":   {"add", func(u *turn) { v := u.add(u.a, u.x); u.end(v, v) }},
	"used behind":        {"add permute", func(u *turn) { v := u.add(u.a, u.x); u.end(v, u.turned(v)) }},
	"read behind":        {"permute", func(u *turn) { v := u.add(u.a, u.x); u.end(v, u.turned(u.a)) }},
	"read before":        {"add permute", func(u *turn) { p := u.turned(u.a); u.end(u.add(u.a, u.x), p) }},
	"turned":             {"", func(u *turn) { u.end(u.turned(u.a), u.b) }},
	"turned and used":    {"add", func(u *turn) { u.end(u.add(u.turned(u.a), u.a), u.b) }},
	"minus its sum":      {"sub", func(u *turn) { u.end(u.sub(u.a, u.spread(u.sum(u.a, 1))), u.b) }},
	"minus columns":      {"sub", func(u *turn) { u.end(u.sub(u.a, u.spread(u.sum(u.a, 0))), u.b) }},
	"columns behind":     {"sub", func(u *turn) { v := u.add(u.a, u.x); u.end(v, u.sub(u.b, u.spread(u.sum(v, 0)))) }},
	"other names":        {"reshape", func(u *turn) { u.end(u.back(u.add(u.flat(u.a), u.flat(u.x))), u.b) }},
	"another name later": {"permute", func(u *turn) { n := u.flat(u.a); v := u.add(u.a, u.x); u.end(v, u.turned(u.back(n))) }},
	"early pass": {"sub", func(u *turn) { // b gets what is made of a in a later pass than the one that makes the new a
		v := u.add(u.a, u.x)
		u.end(v, u.sub(u.spread(u.sum(v, 1)), u.a))
	}},
	"a reduction later": {"add sub", func(u *turn) {
		v := u.sub(u.a, u.spread(u.sum(u.a, 1)))
		u.end(v, u.add(u.b, u.spread(u.sum(u.a, 1))))
	}},
	"running sums": {"scan", func(u *turn) {
		v := u.fold("scan", u.a, 1, attrs{"reverse": tileir.Bool(false)}, u.t, func(e, acc *tileir.Value) *tileir.Value { return u.add(e, acc) })
		u.end(v, u.b)
	}},
	"if": {"add if", func(u *turn) {
		r := u.choose(u.odd(), func() vals { return vals{u.add(u.a, u.x)} }, func() vals { return vals{u.a} })
		u.end(r[0], u.b)
	}},
	"if, read behind": {"add permute", func(u *turn) {
		r := u.choose(u.odd(), func() vals { return vals{u.add(u.a, u.x)} }, func() vals { return vals{u.a} })
		u.end(r[0], u.turned(u.a))
	}},
	"if, both": {"add if if sub", func(u *turn) {
		r := u.choose(u.odd(), func() vals { return vals{u.add(u.a, u.b), u.sub(u.b, u.a)} }, func() vals { return vals{u.b, u.a} })
		u.end(r[0], r[1])
	}},
	"if, moved on": {"if if", func(u *turn) {
		r := u.choose(u.odd(), func() vals { return vals{u.add(u.a, u.x), u.a} }, func() vals { return vals{u.a, u.b} })
		u.end(r[0], r[1])
	}},
	"if in if": {"add add if if sub", func(u *turn) {
		r := u.choose(u.odd(), func() vals {
			return u.choose(u.odd(), func() vals { return vals{u.sub(u.b, u.a)} }, func() vals { return vals{u.b} })
		}, func() vals { return vals{u.add(u.b, u.x)} })
		u.end(u.add(u.a, u.x), r[0])
	}},
	"continue in if": {"add", func(u *turn) {
		v := u.add(u.a, u.x)
		u.opGroups("if", []vals{{u.odd()}}, nil, []*tileir.Block{u.region(nil, func(vals) { u.end(u.b, v) }), nil})
		u.end(v, u.b)
	}},
	"continue in if, read": {"", func(u *turn) {
		v := u.add(u.a, u.x)
		u.opGroups("if", []vals{{u.odd()}}, nil, []*tileir.Block{u.region(nil, func(vals) { u.end(u.b, u.a) }), nil})
		u.end(v, u.b)
	}},
	"loop in loop": {"add add", func(u *turn) { // the inner loop begins with a
		s := tileir.Tile(tileir.I32)
		body := u.region([]tileir.Type{s, u.t}, func(args vals) { u.end(u.add(args[1], u.x)) })
		r := u.opGroups("for", []vals{{u.i32(0)}, {u.i32(2)}, {u.i32(1)}, {u.a}}, nil, []*tileir.Block{body}, u.t)
		u.end(u.add(r[0], u.a), u.b)
	}},
	"read in a loop behind": {"add", func(u *turn) {
		v := u.sub(u.a, u.x)
		s := tileir.Tile(tileir.I32)
		body := u.region([]tileir.Type{s, u.t}, func(args vals) { u.end(u.add(args[1], u.a)) })
		r := u.opGroups("for", []vals{{u.i32(0)}, {u.i32(2)}, {u.i32(1)}, {u.b}}, nil, []*tileir.Block{body}, u.t)
		u.end(v, r[0])
	}},
}

// flat gives a tile another shape, and back gives it the full one.
func (u *turn) flat(v *tileir.Value) *tileir.Value {
	t := v.Type.(*tileir.TileType)
	return u.one("reshape", vals{v}, nil, tileir.Tile(t.Elem, t.Size()))
}

func (u *turn) back(v *tileir.Value) *tileir.Value { return u.one("reshape", vals{v}, nil, u.t) }

// TestInPlace runs loops whose carried values are overwritten, and compares them with the interpreter, which copies.
func TestInPlace(t *testing.T) {
	for name, c := range turns {
		for _, shape := range [][]int{{16, 16}, {64, 64}, {8, 8}} {
			for _, e := range []tileir.Elem{tileir.F32, tileir.I64, tileir.I8, tileir.F16} {
				t.Run(fmt.Sprint(name, shape, e), func(t *testing.T) {
					n, tt := product(shape), tileir.Tile(e, shape...)
					build := func(k *kernel, args vals) *tileir.Value {
						for i, v := range args {
							args[i] = k.one("reshape", vals{v}, nil, tt)
						}
						body := k.region([]tileir.Type{tileir.Tile(tileir.I32), tt, tt}, func(in vals) {
							c.body(&turn{kernel: k, t: tt, i: in[0], a: in[1], b: in[2], x: args[2]})
						})
						r := k.opGroups("for", []vals{{k.i32(0)}, {k.i32(3)}, {k.i32(1)}, args[:2]}, nil, []*tileir.Block{body}, tt, tt)
						checkPlaces(t, k, c.placed)
						return k.one("cat", r, attrs{"dim": tileir.Int(0)}, tileir.Tile(e, 2*shape[0], shape[1]))
					}
					eachLevel(t, []input{randomInput(e, n, 1), randomInput(e, n, 2), randomInput(e, n, 3)}, build)
				})
			}
		}
	}
}

// checkPlaces compares the operations whose results lie where the end of their block puts them with those expected.
func checkPlaces(t *testing.T, k *kernel, want string) {
	t.Helper()
	for _, l := range cpu.NativeLevels() {
		d := newDevice(t, cpu.Options{})
		cpu.SetLevel(d, l)
		names := cpu.InPlace(d, k.entry)
		for i, name := range names {
			if name != "if" {
				names[i] = strings.TrimRight(name, "fi")
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: in place are %q, expected %q", l, got, want)
		}
	}
}

// TestInPlaceBreak leaves a loop with the new value, and with the one that it would overwrite.
func TestInPlaceBreak(t *testing.T) {
	const n = 256
	tt, s := tileir.Tile(tileir.I32, n), tileir.Tile(tileir.I32)
	for name, c := range map[string]struct {
		last   func(old, changed *tileir.Value) *tileir.Value
		placed string
	}{
		"the new one": {func(_, v *tileir.Value) *tileir.Value { return v }, "add"},
		"the old one": {func(old, _ *tileir.Value) *tileir.Value { return old }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			eachLevel(t, []input{randomInput(tileir.I32, n, 1), randomInput(tileir.I32, n, 2)}, func(k *kernel, args vals) *tileir.Value {
				one, three := k.i32(1), k.i32(3)
				body := k.region([]tileir.Type{s, tt}, func(in vals) {
					v := k.one("addi", vals{in[1], args[1]}, nil, tt)
					done := k.one("cmpi", vals{in[0], three}, attrs{"comparison_predicate": tileir.CompareEqual, "signedness": tileir.Signed}, tileir.Tile(tileir.I1))
					leave := k.region(nil, func(vals) { k.opGroups("break", []vals{{c.last(in[1], v)}}, nil, nil) })
					k.opGroups("if", []vals{{done}}, nil, []*tileir.Block{leave, nil})
					k.opGroups("continue", []vals{{k.one("addi", vals{in[0], one}, nil, s), v}}, nil, nil)
				})
				r := k.opGroups("loop", []vals{{k.i32(0), args[0]}}, nil, []*tileir.Block{body}, tt)
				checkPlaces(t, k, c.placed)
				return r[0]
			})
		})
	}
}

// TestInPlaceRows carries a number for each row, which is read for all columns of the row, and a single number.
func TestInPlaceRows(t *testing.T) {
	for _, m := range []int{32, 1} {
		t.Run(fmt.Sprint(m), func(t *testing.T) { testInPlaceRows(t, m) })
	}
}

func testInPlaceRows(t *testing.T, m int) {
	const n = 64
	tt, rows, flat := tileir.Tile(tileir.F32, m, n), tileir.Tile(tileir.F32, m, 1), tileir.Tile(tileir.F32, m)
	f := tileir.Tile(tileir.F32)
	eachLevel(t, []input{randomInput(tileir.F32, m*n, 1), randomInput(tileir.F32, m, 2)}, func(k *kernel, args vals) *tileir.Value {
		x := k.one("reshape", args[:1], nil, tt)
		body := k.region([]tileir.Type{tileir.Tile(tileir.I32), tt, rows}, func(in vals) {
			low := k.one("subf", vals{in[1], k.one("broadcast", vals{in[2]}, nil, tt)}, nearest, tt)
			top := k.fold("reduce", low, 1, nil, flat, func(e, a *tileir.Value) *tileir.Value { return k.one("maxf", vals{e, a}, nil, f) })
			peak := k.one("addf", vals{in[2], k.one("reshape", vals{top}, nil, rows)}, nearest, rows)
			k.opGroups("continue", []vals{{k.one("addf", vals{low, k.one("broadcast", vals{peak}, nil, tt)}, nearest, tt), peak}}, nil, nil)
		})
		r := k.opGroups("for", []vals{{k.i32(0)}, {k.i32(3)}, {k.i32(1)}, {x, k.one("reshape", args[1:], nil, rows)}}, nil, []*tileir.Block{body}, tt, rows)
		checkPlaces(t, k, "add add")
		return k.one("subf", vals{r[0], k.one("broadcast", r[1:], nil, tt)}, nearest, tt)
	})
}

// TestInPlaceTurned carries the sums of rows, of which all rows read each one.
func TestInPlaceTurned(t *testing.T) {
	const n = 32
	tt, rows, cols := tileir.Tile(tileir.I32, n, n), tileir.Tile(tileir.I32, n, 1), tileir.Tile(tileir.I32, 1, n)
	eachLevel(t, []input{randomInput(tileir.I32, n*n, 1), randomInput(tileir.I32, n, 2)}, func(k *kernel, args vals) *tileir.Value {
		x := k.one("reshape", args[:1], nil, tt)
		body := k.region([]tileir.Type{tileir.Tile(tileir.I32), rows}, func(in vals) {
			each := k.one("addi", vals{x, k.one("broadcast", vals{k.one("reshape", in[1:], nil, cols)}, nil, tt)}, nil, tt)
			sum := k.fold("reduce", each, 1, nil, tileir.Tile(tileir.I32, n), func(e, a *tileir.Value) *tileir.Value { return k.one("addi", vals{e, a}, nil, tileir.Tile(tileir.I32)) })
			k.opGroups("continue", []vals{{k.one("reshape", vals{sum}, nil, rows)}}, nil, nil)
		})
		r := k.opGroups("for", []vals{{k.i32(0)}, {k.i32(3)}, {k.i32(1)}, {k.one("reshape", args[1:], nil, rows)}}, nil, []*tileir.Block{body}, rows)
		checkPlaces(t, k, "")
		return r[0]
	})
}

// TestInPlaceProducts carries products: each element of an accumulator is read before the sum is written, but not of a factor.
func TestInPlaceProducts(t *testing.T) {
	const m = 32
	for name, c := range map[string]struct {
		factors func(acc, x *tileir.Value) vals
		placed  string
	}{
		"a sum":             {func(acc, x *tileir.Value) vals { return vals{x, x, acc} }, "mma"},
		"its own factor":    {func(acc, x *tileir.Value) vals { return vals{acc, x, acc} }, ""},
		"only a factor":     {func(acc, x *tileir.Value) vals { return vals{x, acc, x} }, ""},
		"of something else": {func(_, x *tileir.Value) vals { return vals{x, x, x} }, "mma"},
	} {
		t.Run(name, func(t *testing.T) {
			sq := tileir.Tile(tileir.F32, m, m)
			eachLevel(t, []input{randomInput(tileir.F32, m*m, 1), randomInput(tileir.F32, m*m, 2)}, func(k *kernel, args vals) *tileir.Value {
				x := k.one("reshape", args[1:], nil, sq)
				body := k.region([]tileir.Type{tileir.Tile(tileir.I32), sq}, func(in vals) {
					k.opGroups("continue", []vals{{k.one("mmaf", c.factors(in[1], x), nil, sq)}}, nil, nil)
				})
				r := k.opGroups("for", []vals{{k.i32(0)}, {k.i32(3)}, {k.i32(1)}, {k.one("reshape", args[:1], nil, sq)}}, nil, []*tileir.Block{body}, sq)
				checkPlaces(t, k, c.placed)
				return r[0]
			})
		})
	}
}
