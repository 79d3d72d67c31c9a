package emu_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

var classOf = map[int]simt.Class{8: simt.B16, 16: simt.B16, 32: simt.B32, 64: simt.B64}

// edges are numbers of n bits: the ends of all ranges, and others.
func edges(rng *rand.Rand, n, count int) []uint64 {
	mask := ^uint64(0) >> (64 - n)
	all := []uint64{0, 1, 2, 3, 7, 31, 32, 63, mask, mask - 1, mask >> 1, mask>>1 + 1, mask>>1 + 2, 1 << (n / 2), 0x5555555555555555 & mask}
	for len(all) < count {
		all = append(all, rng.Uint64()&mask>>rng.IntN(n))
	}
	return all
}

// pairs gives all pairs of some numbers, as two lists.
func pairs(a, b []uint64) (x, y []uint64) {
	for _, p := range a {
		for _, q := range b {
			x, y = append(x, p), append(y, q)
		}
	}
	return x, y
}

// number reads bits as an integer of a type such as "s32".
func number(t string, bits int, x uint64) *big.Int {
	v := new(big.Int).SetUint64(x)
	if t[0] == 's' && x>>(bits-1)&1 == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
	}
	return v
}

// wrap gives the lowest bits of an integer.
func wrap(v *big.Int, bits int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return new(big.Int).Mod(v, m).Uint64()
}

func TestIntegers(t *testing.T) {
	type op struct {
		name string
		wide int // the width of the result, in widths of the operands
		f    func(x, y *big.Int, bits int) *big.Int
	}
	quo := func(f func(z, x, y *big.Int) *big.Int) func(x, y *big.Int, bits int) *big.Int {
		return func(x, y *big.Int, _ int) *big.Int {
			return f(new(big.Int), x, y)
		}
	}
	mul := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	ops := []op{
		{"add", 1, func(x, y *big.Int, _ int) *big.Int { return new(big.Int).Add(x, y) }},
		{"sub", 1, func(x, y *big.Int, _ int) *big.Int { return new(big.Int).Sub(x, y) }},
		{"mul.lo", 1, func(x, y *big.Int, _ int) *big.Int { return mul(x, y) }},
		{"mul.hi", 1, func(x, y *big.Int, n int) *big.Int { return new(big.Int).Rsh(mul(x, y), uint(n)) }},
		{"mul.wide", 2, func(x, y *big.Int, _ int) *big.Int { return mul(x, y) }},
		{"div", 1, quo((*big.Int).Quo)},
		{"rem", 1, quo((*big.Int).Rem)},
		{"min", 1, func(x, y *big.Int, _ int) *big.Int {
			if x.Cmp(y) < 0 {
				return x
			}
			return y
		}},
		{"max", 1, func(x, y *big.Int, _ int) *big.Int {
			if x.Cmp(y) > 0 {
				return x
			}
			return y
		}},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{16, 32, 64} {
		x, y := pairs(edges(rng, n, 30), edges(rng, n, 30))
		for _, o := range ops {
			if o.wide*n > 64 {
				continue
			}
			y := y
			if o.name == "div" || o.name == "rem" {
				y = slices.Clone(y)
				for i := range y {
					y[i] = max(y[i], 1) // by zero is a mistake: see TestMemoryMistakes
				}
			}
			for _, sign := range []string{"u", "s"} {
				ty := fmt.Sprintf("%s%d", sign, n)
				got := apply(t, o.name+"."+ty, classOf[o.wide*n], []simt.Class{classOf[n], classOf[n]}, x, y)
				for i := range x {
					want := wrap(o.f(number(ty, n, x[i]), number(ty, n, y[i]), n), o.wide*n)
					if got[i] != want {
						t.Fatalf("%s.%s(%#x, %#x) = %#x, want %#x", o.name, ty, x[i], y[i], got[i], want)
					}
				}
			}
		}
	}
}

func TestMad(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		op     string
		bits   int
		result int
		ty     string
		shift  uint
	}{
		{"mad.lo.s32", 32, 32, "s32", 0}, {"mad.lo.u64", 64, 64, "u64", 0}, {"mad.hi.s32", 32, 32, "s32", 32}, {"mad.hi.u64", 64, 64, "u64", 64},
		{"mad.hi.s64", 64, 64, "s64", 64}, {"mad.wide.s32", 32, 64, "s32", 0}, {"mad.wide.u32", 32, 64, "u32", 0}, {"mad.wide.s16", 16, 32, "s16", 0},
		{"mad.lo.u16", 16, 16, "u16", 0},
	} {
		x, y := pairs(edges(rng, c.bits, 24), edges(rng, c.bits, 24))
		z := edges(rng, c.result, len(x))
		got := apply(t, c.op, classOf[c.result], []simt.Class{classOf[c.bits], classOf[c.bits], classOf[c.result]}, x, y, z)
		for i := range x {
			p := new(big.Int).Mul(number(c.ty, c.bits, x[i]), number(c.ty, c.bits, y[i]))
			want := wrap(p.Rsh(p, c.shift).Add(p, new(big.Int).SetUint64(z[i])), c.result)
			if got[i] != want {
				t.Fatalf("%s(%#x, %#x, %#x) = %#x, want %#x", c.op, x[i], y[i], z[i], got[i], want)
			}
		}
	}
}

func TestSmallIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	x, y := pairs(edges(rng, 32, 40), edges(rng, 32, 20))
	clamp := func(v int64) uint64 { return uint64(uint32(min(max(v, -1<<31), 1<<31-1))) }
	same(t, "add.sat.s32", 32, 32, func(v []uint64) uint64 { return clamp(int64(int32(v[0])) + int64(int32(v[1]))) }, x, y)
	same(t, "sub.sat.s32", 32, 32, func(v []uint64) uint64 { return clamp(int64(int32(v[0])) - int64(int32(v[1]))) }, x, y)
	same(t, "max.relu.s32", 32, 32, func(v []uint64) uint64 { return uint64(max(0, int32(v[0]), int32(v[1]))) }, x, y)
	same(t, "add.u16x2", 32, 32, func(v []uint64) uint64 {
		return uint64(uint16(v[0]+v[1])) | uint64(uint16(v[0]>>16+v[1]>>16))<<16
	}, x, y)
	same(t, "min.s16x2", 32, 32, func(v []uint64) uint64 {
		return uint64(uint16(min(int16(v[0]), int16(v[1])))) | uint64(uint16(min(int16(v[0]>>16), int16(v[1]>>16))))<<16
	}, x, y)
	same(t, "abs.s32", 32, 32, func(v []uint64) uint64 {
		if int32(v[0]) < 0 {
			return uint64(uint32(-int32(v[0])))
		}
		return v[0]
	}, x)
	same(t, "neg.s16", 16, 16, func(v []uint64) uint64 { return uint64(uint16(-int16(v[0]))) }, edges(rng, 16, 60))
	z := edges(rng, 32, len(x))
	same(t, "dp4a.s32.u32", 32, 32, func(v []uint64) uint64 {
		sum := int32(v[2])
		for i := range 4 {
			sum += int32(int8(v[0]>>(8*i))) * int32(uint8(v[1]>>(8*i)))
		}
		return uint64(uint32(sum))
	}, x, y, z)
	same(t, "sad.s32", 32, 32, func(v []uint64) uint64 {
		d := int64(int32(v[0])) - int64(int32(v[1]))
		return uint64(uint32(max(d, -d)) + uint32(v[2]))
	}, x, y, z)
}
