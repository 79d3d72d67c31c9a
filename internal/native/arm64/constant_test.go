package arm64

import (
	"flag"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// decodeBitmask gives the constant of the fields N, immr and imms, as the manual's pseudocode DecodeBitMasks does.
func decodeBitmask(field uint32) (uint64, bool) {
	n, immr, imms := field>>12, int(field>>6&63), field&63
	length := bits.Len32(n<<6|^imms&63) - 1
	if length < 1 {
		return 0, false
	}
	levels := uint32(1)<<length - 1
	s, r, size := imms&levels, immr&int(levels), 1<<length
	if s == levels {
		return 0, false
	}
	v := uint64(0)
	for i := range 64 {
		if uint32((i+r)%size) <= s {
			v |= 1 << i
		}
	}
	return v, true
}

// everyBitmask gives all constants that fields can say.
func everyBitmask() map[uint64]bool {
	all := map[uint64]bool{}
	for field := range uint32(1 << 13) {
		if v, ok := decodeBitmask(field); ok {
			all[v] = true
		}
	}
	return all
}

func TestBitmask(t *testing.T) {
	all := everyBitmask()
	if len(all) != 5334 {
		t.Fatalf("there are %d constants, and the manual says 5334", len(all))
	}
	check := func(v uint64) {
		t.Helper()
		field, ok := bitmask(v)
		if ok != all[v] {
			t.Fatalf("%#x: accepted %t, and the plain search says %t", v, ok, all[v])
		}
		if !ok {
			return
		}
		if got, valid := decodeBitmask(field); !valid || got != v {
			t.Fatalf("%#x: the fields %#x mean %#x (%t)", v, field, got, valid)
		}
	}
	for v := range all {
		check(v)
		for i := range 64 { // most neighbours of these constants are none
			check(v ^ 1<<i)
		}
	}
	for v := range uint64(1 << 16) {
		check(v)
		check(v<<48 | v<<32 | v<<16 | v)
		check(v<<32 | v)
		check(v << 24)
	}
	random := rand.New(rand.NewPCG(3, 3))
	for range 100000 {
		check(random.Uint64())
	}
}

var every = flag.Bool("every", false, "ask about every 32-bit constant, which takes a minute")

// TestBitmask32 asks about every 32-bit constant, as the step neon of scripts/sweep.sh does.
func TestBitmask32(t *testing.T) {
	if !*every {
		t.Skip("takes a minute: -every asks for it")
	}
	count := 0
	for v := range uint64(1 << 32) {
		if _, ok := bitmask(v<<32 | v); ok {
			count++
		}
	}
	if count != 1302 {
		t.Errorf("%d constants are accepted, and there are 1302", count)
	}
}

// TestBitmaskWidth checks what a 32-bit instruction takes: constants with sign or without, and none of more bits.
func TestBitmaskWidth(t *testing.T) {
	for _, c := range []struct {
		reg Operand
		v   int64
		ok  bool
	}{
		{W(0), -2, true}, {W(0), 0xfffffffe, true}, {X(0), -2, true}, {X(0), 0xfffffffe, true},
		{W(0), 0x1fffffffe, false}, {W(0), 0xffffffff, false}, {W(0), -1, false}, {X(0), 0xffffffff, true}, {X(0), -1, false},
		{W(0), 0, false}, {X(0), 0, false}, {W(0), 5, false}, {W(0), 1, true},
	} {
		f, _ := choose(AND, []Operand{c.reg, c.reg, Imm(c.v)})
		if (f != nil) != c.ok {
			t.Errorf("and %s, #%#x: accepted %t", c.reg, c.v, f != nil)
		}
	}
}

// TestFloat8 compares the 8 bits of FMOV with the manual's VFPExpandImm.
func TestFloat8(t *testing.T) {
	all := map[float64]uint32{}
	for b := range uint32(256) {
		exp := int(b>>4&7^4) - 3
		v := math.Ldexp(float64(16+b&15), exp-4)
		if b>>7 != 0 {
			v = -v
		}
		all[v] = b
	}
	if len(all) != 256 {
		t.Fatalf("%d floats", len(all))
	}
	for v, want := range all {
		if got, ok := float8(math.Float64bits(v)); !ok || got != want {
			t.Errorf("%g: %#x (%t) instead of %#x", v, got, ok, want)
		}
		for _, near := range []float64{math.Nextafter(v, 100), v * 256, v / 256, v + 1./1024} {
			_, valid := all[near]
			if _, ok := float8(math.Float64bits(near)); ok != valid {
				t.Errorf("%g: accepted %t", near, ok)
			}
		}
	}
	for _, v := range []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN()} {
		if _, ok := float8(math.Float64bits(v)); ok {
			t.Errorf("%g is accepted", v)
		}
	}
}
