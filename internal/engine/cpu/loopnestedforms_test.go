package cpu_test

import (
	"math"

	"github.com/cutile-go/cutile/tileir"
)

// shifted adds a number to the counter, which begins that much before 0, both of the counter's type.
func shifted(counter, index tileir.Elem, by int64) nestedForm {
	return nestedForm{counter: counter, index: index, from: -by, to: nestedTurns - by, along: func(p *nestedProduct, k *tileir.Value) *tileir.Value {
		return p.binary("addi", k, p.number(p.counter, by))
	}}
}

// along is a form whose index along k is computed in some way.
func along(f func(p *nestedProduct, k *tileir.Value) *tileir.Value) nestedForm {
	return nestedForm{along: f}
}

// nestedForms are kernels with loops in loops.
var nestedForms = map[string]nestedForm{
	"plain":         {},
	"short counter": {counter: tileir.I8},
	"longer index":  {index: tileir.I64},
	"shorter index": {counter: tileir.I64},
	"plus a number": shifted(tileir.I32, tileir.I32, 2),
	"plus, i64":     shifted(tileir.I64, tileir.I64, -5),
	"plus, longer": {counter: tileir.I32, index: tileir.I64, from: -7, to: nestedTurns - 7, along: func(p *nestedProduct, k *tileir.Value) *tileir.Value {
		return p.binary("addi", p.number(tileir.I64, 7), p.as(tileir.I64, k, tileir.Signed))
	}},
	"minus":         {from: 4, to: 4 + nestedTurns, along: func(p *nestedProduct, k *tileir.Value) *tileir.Value { return p.binary("subi", k, p.i32(4)) }},
	"a sum, longer": shifted(tileir.I16, tileir.I64, 3),
	"wraps around, i64": {counter: tileir.I64, index: tileir.I64, from: math.MinInt64, to: math.MinInt64 + nestedTurns, along: func(p *nestedProduct, k *tileir.Value) *tileir.Value {
		return p.binary("addi", k, p.number(tileir.I64, math.MinInt64)) // 0, 1, 2
	}},
	"wraps around, i8": {counter: tileir.I32, index: tileir.I64, from: 254, to: 259, none: true, along: func(p *nestedProduct, k *tileir.Value) *tileir.Value {
		return p.as(tileir.I64, p.as(tileir.I8, k, nil), tileir.Signed) // -2, -1, 0, 1, 2
	}},
	"two wrap around": {from: 125, to: 125 + nestedTurns, none: true, along: func(p *nestedProduct, k *tileir.Value) *tileir.Value {
		short := p.as(tileir.I8, k, nil)
		wide := func(by int64) *tileir.Value {
			return p.as(tileir.I32, p.binary("addi", short, p.number(tileir.I8, by)), tileir.Signed)
		}
		// 0, 1, 2 but for 256 in the middle, where one has wrapped around and the other has not
		return p.binary("addi", p.binary("subi", wide(1), wide(2)), p.binary("subi", k, p.i32(124)))
	}},
	"times":     {never: true, to: 3, along: func(p *nestedProduct, k *tileir.Value) *tileir.Value { return p.binary("muli", k, p.i32(2)) }},
	"times one": along(func(p *nestedProduct, k *tileir.Value) *tileir.Value { return p.binary("muli", k, p.i32(1)) }),
	"times a half": {never: true, along: func(p *nestedProduct, k *tileir.Value) *tileir.Value { // of 2^32: k, k+2^31, k
		return p.binary("muli", k, p.i32(math.MinInt32+1))
	}},
	"backwards": along(func(p *nestedProduct, k *tileir.Value) *tileir.Value {
		return p.binary("subi", p.i32(nestedTurns-1), k)
	}),
	"twice the same": {to: 6, along: func(p *nestedProduct, k *tileir.Value) *tileir.Value { return p.binary("mini", k, p.i32(1)) }, none: true},
	"by the loop around": {inner: func(p *nestedProduct, t, k *tileir.Value) (a, b *tileir.Value) {
		n := p.binary("muli", t, p.i32(nestedSize*nestedSize))
		return p.matrix(p.plus(p.entry.Params[0], n), nestedSize), p.matrix(p.plus(p.entry.Params[1], n), nestedSize)
	}},
	"views that move on": {none: true, inside: true, inner: func(p *nestedProduct, t, k *tileir.Value) (a, b *tileir.Value) {
		n := p.binary("addi", p.binary("muli", t, p.i32(nestedSize*nestedSize)), k)
		return p.matrix(p.plus(p.entry.Params[0], n), nestedSize), p.matrix(p.entry.Params[1], nestedSize)
	}},
	"every second tile":    {none: true, by: func(p *nestedProduct, t *tileir.Value) *tileir.Value { return p.i32(2) }},
	"every t-th tile":      {none: true, by: func(p *nestedProduct, t *tileir.Value) *tileir.Value { return p.binary("addi", t, p.i32(1)) }},
	"c is a":               {over: 1},
	"c is b":               {over: 2},
	"carries another tile": {carries: true},
	"views in the loop": {inside: true, inner: func(p *nestedProduct, t, k *tileir.Value) (a, b *tileir.Value) {
		n := p.binary("muli", t, p.i32(nestedSize*nestedSize))
		return p.matrix(p.plus(p.entry.Params[0], n), nestedSize), p.matrix(p.plus(p.entry.Params[1], n), nestedSize)
	}},
	"edges of views in the loop": {inside: true, inner: func(p *nestedProduct, t, k *tileir.Value) (a, b *tileir.Value) {
		n := p.binary("muli", t, p.i32(nestedSize*nestedSize))
		return p.matrix(p.plus(p.entry.Params[0], n), nestedSize-5), p.matrix(p.plus(p.entry.Params[1], n), nestedSize-3)
	}},
	"a pointer from a branch": {inner: func(p *nestedProduct, t, k *tileir.Value) (a, b *tileir.Value) {
		ptr := p.entry.Params[0].Type
		base := p.branch(p.isZero(t), func() vals { return vals{p.entry.Params[0]} }, func() vals { return vals{p.entry.Params[1]} }, ptr)[0]
		return p.matrix(base, nestedSize), p.matrix(p.entry.Params[1], nestedSize)
	}},
	"a pointer from a number": {none: true, inner: func(p *nestedProduct, t, k *tileir.Value) (a, b *tileir.Value) { // it may be any memory
		n := p.one("ptr_to_int", vals{p.entry.Params[0]}, nil, tileir.Tile(tileir.I64))
		return p.matrix(p.one("int_to_ptr", vals{n}, nil, p.entry.Params[0].Type), nestedSize), p.matrix(p.entry.Params[1], nestedSize)
	}},
	"memory of the block is written": {around: func(p *nestedProduct, body func(t *tileir.Value) *tileir.Value) {
		room := p.one("alloca", nil, attrs{"num_elem": tileir.Int(nestedTile * nestedTile), "alignment": tileir.Int(16)}, p.entry.Params[0].Type)
		own := p.view(room, []int{nestedTile, nestedTile}, nestedTile, nestedTile)
		p.loop(tileir.I32, 0, nestedTimes, nil, func(t *tileir.Value, _ vals) vals {
			p.store(body(t), own, p.i32(0), p.i32(0))
			return nil
		})
	}},
	"in a branch": {around: func(p *nestedProduct, body func(t *tileir.Value) *tileir.Value) {
		p.loop(tileir.I32, 0, nestedTimes, nil, func(t *tileir.Value, _ vals) vals {
			p.branch(p.isZero(t), func() vals { return nil }, func() vals { body(t); return nil })
			return nil
		})
	}},
	"two loops around": {around: func(p *nestedProduct, body func(t *tileir.Value) *tileir.Value) {
		p.loop(tileir.I32, 0, 2, nil, func(s *tileir.Value, _ vals) vals {
			p.loop(tileir.I32, 0, 2, nil, func(t *tileir.Value, _ vals) vals { body(p.binary("addi", s, t)); return nil })
			return nil
		})
	}},
	"a loop without a counter around": {around: func(p *nestedProduct, body func(t *tileir.Value) *tileir.Value) {
		s := tileir.Tile(tileir.I32)
		b := p.region([]tileir.Type{s}, func(args vals) {
			last := p.one("cmpi", vals{args[0], p.i32(nestedTimes)}, attrs{"comparison_predicate": tileir.CompareGreaterThanOrEqual, "signedness": tileir.Signed}, tileir.Tile(tileir.I1))
			leave := p.region(nil, func(vals) { p.opGroups("break", []vals{{args[0]}}, nil, nil) })
			p.opGroups("if", []vals{{last}}, nil, []*tileir.Block{leave, p.region(nil, func(vals) { p.opGroups("yield", []vals{nil}, nil, nil) })})
			body(args[0])
			p.opGroups("continue", []vals{{p.binary("addi", args[0], p.i32(1))}}, nil, nil)
		})
		p.opGroups("loop", []vals{{p.i32(0)}}, nil, []*tileir.Block{b}, s)
	}},
	"sums of the turn before": {around: carriedAround, first: func(p *nestedProduct) *tileir.Value { return p.t }},
}

// carriedAround is a loop that carries the sums from one turn to the next, where they begin.
func carriedAround(p *nestedProduct, body func(t *tileir.Value) *tileir.Value) {
	sum := tileir.Tile(tileir.F32, nestedTile, nestedTile)
	p.loop(tileir.I32, 0, nestedTimes, vals{constant(p.kernel, sum, float32(1))}, func(t *tileir.Value, carried vals) vals {
		p.t = carried[0]
		return vals{body(t)}
	})
}
