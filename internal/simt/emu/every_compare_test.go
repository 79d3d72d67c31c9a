package emu_test

import (
	"math"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// relations are the comparisons of PTX by what they say about two numbers that can be compared.
var relations = map[string]func(order int) bool{
	"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
	"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 },
	"gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
	"lo": func(c int) bool { return c < 0 }, "ls": func(c int) bool { return c <= 0 },
	"hi": func(c int) bool { return c > 0 }, "hs": func(c int) bool { return c >= 0 },
	"num": func(int) bool { return true }, "nan": func(int) bool { return false },
}

// relation takes the comparison of an opcode. A NaN makes those false that do not end in u, but for nan.
func (o *opcode) relation() func(order int, ordered bool) bool {
	for name, f := range relations {
		if o.has(name) {
			return func(c int, ordered bool) bool { return ordered && f(c) || !ordered && name == "nan" }
		}
		if len(name) == 2 && o.has(name+"u") {
			return func(c int, ordered bool) bool { return !ordered || f(c) }
		}
	}
	return nil
}

// comparisonOf judges setp and set.
func comparisonOf(o *opcode) judge {
	typ := o.last()
	element, pair := strings.CutSuffix(typ, "x2")
	holds, m, combine := o.relation(), o.manner(typ), o.take("and", "or", "xor")
	if holds == nil {
		return judge{}
	}
	compare := func(x, y uint64) bool {
		if !isFloat(element) {
			return holds(integerOf(element, x).Cmp(integerOf(element, y)), true)
		}
		a, b := m.in(x), m.in(y)
		return holds(int(truthOf(a > b))-int(truthOf(a < b)), a == a && b == b)
	}
	yes := uint64(1)
	if o.head == "set" {
		yes = yesOf(o.types[0], pair)
	}
	shift := 16
	if o.head == "setp" {
		shift = 1
	}
	return judge{want: func(v []uint64) uint64 {
		low, high := v, []uint64{0, 0}
		if pair {
			low, high = []uint64{v[0] & 0xffff, v[1] & 0xffff}, []uint64{v[0] >> 16, v[1] >> 16}
		}
		r := truthOf(compare(low[0], low[1]))
		switch combine {
		case "and":
			r &= v[2]
		case "or":
			r |= v[2]
		case "xor":
			r ^= v[2]
		}
		r *= yes
		if pair {
			r |= truthOf(compare(high[0], high[1])) * yes << shift
		}
		return r
	}}
}

// yesOf is what set writes for true: 1.0, or all ones, of a pair in 16 bits each.
func yesOf(typ string, pair bool) uint64 {
	switch element := strings.TrimSuffix(typ, "x2"); {
	case isFloat(element):
		return encodings[element].put(exactly(1), "", false)
	case pair:
		return 0xffff
	}
	return ^uint64(0) >> (64 - simt.TypeBits(typ))
}

// choices judges selp, which chooses by a predicate, and slct, by whether a number is not negative: a NaN is not.
func choices(o *opcode) judge {
	ftz, by := o.has("ftz"), o.last()
	return judge{want: func(v []uint64) uint64 {
		first := v[2] == 1
		if o.head == "slct" && by == "f32" {
			l := encodings[by]
			x := v[2]
			if ftz {
				x = l.flush(x)
			}
			first = l.decode(x) >= 0
		} else if o.head == "slct" {
			first = integerOf(by, v[2]).Sign() >= 0
		}
		if first {
			return v[0]
		}
		return v[1]
	}}
}

// kindsOf judges testp and copysign. Zeros count as normal numbers.
func kindsOf(o *opcode) judge {
	l := encodings[o.last()]
	if o.head == "copysign" { // the sign of the first, the size of the second
		return judge{want: func(v []uint64) uint64 { return v[1]&^l.sign() | v[0]&l.sign() }}
	}
	what := o.take("finite", "infinite", "number", "notanumber", "normal", "subnormal")
	return judge{want: func(v []uint64) uint64 {
		x := l.decode(v[0])
		return truthOf(map[string]bool{
			"finite": finite(x), "infinite": math.IsInf(x, 0), "number": x == x, "notanumber": x != x,
			"normal": finite(x) && !l.subnormal(v[0]), "subnormal": l.subnormal(v[0]),
		}[what])
	}}
}
