package emu_test

import (
	"math"
	"math/big"
	"slices"
	"strings"
)

// atomValues are the old values and operands that meet each other, by kind: the ends of the ranges, NaN, zeros of both signs,
// infinities, subnormal numbers, and sums that lie half-way between two numbers.
var atomValues = map[string][]uint64{
	"16":     {0, 1, 2, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff},
	"32":     {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff},
	"64":     {0, 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 2, 1<<64 - 1},
	"f32":    {0, 0x80000000, 0x7f812345, 0x7f800000, 0xff800000, 0x3f800001, 0x33800000, 0x7f7fffff, 0x00712345, 0x80800001},
	"f64":    {0, 1 << 63, 0x7ff0000000012345, 0x7ff << 52, 0xfff << 52, 0x3ff0000000000001, 0x3ca0000000000000, 1},
	"f16":    {0, 0x8000, 0x7c01, 0x7c00, 0xfc00, 0x3c01, 0x1000, 0x8001},
	"bf16":   {0, 0x8000, 0x7f81, 0x7f80, 0xff80, 0x3f81, 0x3b80, 0x8001},
	"f16x2":  {0x80000000, 0x7c018000, 0x7c007c01, 0x00017c00, 0x3c01fc00, 0x10003c01, 0x7bff1000, 0x83ff7bff},
	"bf16x2": {0x80000000, 0x7f818000, 0x7f807f81, 0x00017f80, 0x3f81ff80, 0x3b803f81, 0x7f7f3b80, 0x807f7f7f},
}

// crowd is the operation of the k-th thread at a cell that others change, and what is there at first. No value comes back once
// it has gone, but for inc and dec, whose threads are all alike: so there is at most one thread that can be next.
func (a *atomic) crowd(k int) hit {
	u := uint64(k)
	mask := ^uint64(0) >> (64 - a.bits)
	p, pair := a.element()
	switch a.op {
	case "min", "max": // of floats: all large ones, between which nothing is lost
		if p.bits > 0 {
			v := p.encode(float64((u*7 + 3) % 64))
			low := p.encode(float64(map[string]int{"min": 100, "max": -100}[a.op]))
			if pair {
				return hit{x: v | p.encode(float64((u*11+5)%64))<<16, old: low | low<<16}
			}
			return hit{x: v, old: low}
		}
	}
	switch a.op {
	case "add":
		float := func(p precision, v int) uint64 { return p.encode(float64(v)) }
		if p.bits > 0 && pair {
			return hit{x: float(p, k+1) | float(p, -k-2)<<16, old: float(p, 3) | float(p, -9)<<16}
		} else if p.bits > 0 {
			return hit{x: float(p, k+1), old: float(p, 3)}
		}
		return hit{x: u + 1, old: mask - 40} // over the end of the range
	case "min", "max":
		return hit{x: (u*0x9e3779b97f4a7c15 + 5) >> (64 - a.bits), old: mask >> 2}
	case "and":
		return hit{x: mask &^ (1 << k), old: mask}
	case "or", "xor":
		return hit{x: 1 << k, old: 1 << (a.bits - 1)}
	case "inc", "dec":
		return hit{x: 9, old: 5}
	case "exch":
		return hit{x: 100 + u, old: 7}
	}
	return hit{x: 7, y: 100 + u, old: 7}
}

// element gives the float that a value has, and whether it has two of them: no float where it is an integer.
func (a *atomic) element() (precision, bool) {
	name, pair := strings.CutSuffix(a.typ, "x2")
	return precisions[name], pair
}

// after is what an operation leaves in memory.
func (a *atomic) after(old, x, y uint64) uint64 {
	switch p, pair := a.element(); {
	case p.bits > 0 && pair:
		return a.float(p, old&0xffff, x&0xffff) | a.float(p, old>>16, x>>16)<<16
	case p.bits > 0:
		return a.float(p, old, x)
	}
	m, n := number(a.typ, a.bits, old), number(a.typ, a.bits, x)
	switch a.op {
	case "add":
		return wrap(new(big.Int).Add(m, n), a.bits)
	case "min", "max":
		if order := m.Cmp(n); order < 0 == (a.op == "min") {
			return old
		}
		return x
	case "and":
		return old & x
	case "or":
		return old | x
	case "xor":
		return old ^ x
	case "inc":
		if old >= x {
			return 0
		}
		return old + 1
	case "dec":
		if old == 0 || old > x {
			return x
		}
		return old - 1
	case "exch":
		return x
	}
	if old == x {
		return y
	}
	return old
}

// float is the sum of two floats, or the smaller or greater one: -0 is less than 0, and a NaN loses.
func (a *atomic) float(p precision, old, x uint64) uint64 {
	if a.op == "add" {
		return a.flushed(p.sum(a.flushed(old), a.flushed(x)))
	}
	v, u := p.decode(old), p.decode(x)
	switch {
	case v != v && u != u:
		return p.nan
	case v != v:
		return x
	case u != u:
		return old
	}
	if smaller := v < u || v == u && math.Signbit(v) && !math.Signbit(u); smaller == (a.op == "min") {
		return old
	}
	return x
}

// flushed is what GPUs make of a float in global memory: subnormal numbers of 32 bits are zeros there. The PTX ISA says so of
// its present implementation, and that those in shared memory stay.
func (a *atomic) flushed(x uint64) uint64 {
	if a.typ == "f32" && a.space == "global" && x&0x7f800000 == 0 {
		x &= 0x80000000
	}
	return x
}

// sum adds two floats and rounds once.
func (p precision) sum(x, y uint64) uint64 {
	a, b := p.decode(x), p.decode(y)
	v := a + b
	if finite(a, b) {
		v = p.round(exactFloat(0).Add(exactFloat(a), exactFloat(b)), big.ToNearestEven, zeroSum(a, b, "rn"))
	}
	if v != v && p.nan != 0 {
		return p.nan
	}
	return p.encode(v)
}

// same compares values; no NaN of 64 bits is another one's better.
func (a *atomic) same(x, y uint64) bool {
	f := math.Float64frombits
	return x == y || a.typ == "f64" && f(x) != f(x) && f(y) != f(y)
}

// chain puts operations on one cell in an order in which each found what the one before left, and gives what the last one
// leaves. Where they have no results any order will do. Pairs of floats are taken as one, though PTX promises that of each half alone.
func (a *atomic) chain(now uint64, hits []hit) (uint64, bool) {
	for len(hits) > 0 {
		next := 0
		if a.returns { // those first that change nothing, for there the value stays what it is
			next = slices.IndexFunc(hits, func(h hit) bool { return h.old == now && a.after(now, h.x, h.y) == now })
			if next < 0 {
				next = slices.IndexFunc(hits, func(h hit) bool { return h.old == now })
			}
		}
		if next < 0 {
			return now, false
		}
		now = a.after(now, hits[next].x, hits[next].y)
		hits = slices.Delete(hits, next, next+1)
	}
	return now, true
}
