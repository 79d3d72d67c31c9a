package emu_test

import (
	"math/big"
	"math/rand/v2"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// integerOf reads the lowest bits of a value as an integer of a type.
func integerOf(typ string, x uint64) *big.Int {
	n := simt.TypeBits(typ)
	return number(typ, n, x&(^uint64(0)>>(64-n)))
}

// rangeOf gives the ends of an integer type.
func rangeOf(typ string) (low, high *big.Int) {
	n := uint(simt.TypeBits(typ))
	low, high = new(big.Int), new(big.Int).Lsh(big.NewInt(1), n)
	if typ[0] == 's' {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	return low, high.Sub(high, big.NewInt(1))
}

// clampTo gives the integer of a type that is next to another.
func clampTo(typ string, v *big.Int) *big.Int {
	low, high := rangeOf(typ)
	switch {
	case v.Cmp(low) < 0:
		return low
	case v.Cmp(high) > 0:
		return high
	}
	return v
}

// exactIntegers are the operations of integers before they are cut to the width of the result.
var exactIntegers = map[string]func(v []*big.Int) *big.Int{
	"add": func(v []*big.Int) *big.Int { return new(big.Int).Add(v[0], v[1]) },
	"sub": func(v []*big.Int) *big.Int { return new(big.Int).Sub(v[0], v[1]) },
	"mul": func(v []*big.Int) *big.Int { return new(big.Int).Mul(v[0], v[1]) },
	"div": func(v []*big.Int) *big.Int { return new(big.Int).Quo(v[0], v[1]) },
	"rem": func(v []*big.Int) *big.Int { return new(big.Int).Rem(v[0], v[1]) },
	"abs": func(v []*big.Int) *big.Int { return new(big.Int).Abs(v[0]) },
	"neg": func(v []*big.Int) *big.Int { return new(big.Int).Neg(v[0]) },
	"min": func(v []*big.Int) *big.Int {
		if v[0].Cmp(v[1]) < 0 {
			return v[0]
		}
		return v[1]
	},
	"max": func(v []*big.Int) *big.Int {
		if v[0].Cmp(v[1]) > 0 {
			return v[0]
		}
		return v[1]
	},
}

// integerSums judges the arithmetic of integers: what does not fit is cut off, or clamped with .sat.
func integerSums(o *opcode, typ string) judge {
	element := strings.TrimSuffix(typ, "x2")
	bits := uint(simt.TypeBits(element))
	part, sat, relu := o.take("lo", "hi", "wide"), o.has("sat"), o.has("relu")
	f := exactIntegers[o.head]
	if o.head == "mad" {
		f = exactIntegers["mul"]
	}
	if f == nil {
		return judge{}
	}
	width := int(bits)
	if part == "wide" {
		width *= 2
	}
	j := judge{want: inHalves(typ, func(v []uint64) uint64 {
		var a []*big.Int
		for _, x := range v {
			a = append(a, integerOf(element, x))
		}
		r := f(a)
		if part == "hi" {
			r.Rsh(r, bits)
		}
		if o.head == "mad" { // the third operand is as wide as the result
			r.Add(r, number(typ, width, v[2]))
		}
		switch {
		case sat:
			r = clampTo(element, r)
		case relu && r.Sign() < 0:
			r = new(big.Int)
		}
		return wrap(r, width)
	})}
	if o.head == "div" || o.head == "rem" {
		j.tune = func(rng *rand.Rand, v []uint64) {
			if v[1] == 0 { // is a mistake of the kernel: see TestMemoryMistakes
				v[1] = 1 + uint64(rng.IntN(9))
			}
		}
	}
	return j
}

// products24 judges mul24 and mad24: the lower or upper 32 of the 48 bits of a product of the lowest 24 bits.
func products24(o *opcode) judge {
	typ, part := o.last(), o.take("lo", "hi")
	return judge{want: func(v []uint64) uint64 {
		a, b := number(typ, 24, v[0]&0xffffff), number(typ, 24, v[1]&0xffffff)
		r := a.Mul(a, b)
		if part == "hi" {
			r.Rsh(r, 16)
		}
		if o.head == "mad24" {
			r.Add(r, integerOf(typ, v[2]))
		}
		return wrap(r, 32)
	}}
}

// differences judges sad: the size of a difference, and a third operand.
func differences(o *opcode) judge {
	typ := o.last()
	return judge{want: func(v []uint64) uint64 {
		r := new(big.Int).Sub(integerOf(typ, v[0]), integerOf(typ, v[1]))
		return wrap(r.Abs(r).Add(r, integerOf(typ, v[2])), simt.TypeBits(typ))
	}}
}

// dots judges dp4a, products of four bytes each, and dp2a, products of two halves with the lower or the upper two bytes.
func dots(o *opcode) judge {
	part, a, b := o.take("lo", "hi"), o.types[0], o.types[1]
	return judge{want: func(v []uint64) uint64 {
		count, bits, x, y := 4, 8, v[0], v[1]
		if o.head == "dp2a" {
			count, bits = 2, 16
		}
		if part == "hi" {
			y >>= 16
		}
		sum := new(big.Int).SetUint64(v[2])
		for range count {
			p := number(a, bits, x&(1<<bits-1))
			sum.Add(sum, p.Mul(p, number(b, 8, y&0xff)))
			x, y = x>>bits, y>>8
		}
		return wrap(sum, 32)
	}}
}
