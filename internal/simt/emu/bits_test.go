package emu_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

// same compares results with a reference of one to three operands.
func same(t *testing.T, op string, result, bits int, f func(v []uint64) uint64, values ...[]uint64) {
	t.Helper()
	var classes []simt.Class
	for range values {
		classes = append(classes, classOf[bits])
	}
	got := apply(t, op, classOf[result], classes, values...)
	for i := range got {
		var v []uint64
		for _, list := range values {
			v = append(v, list[i])
		}
		if want := f(v); got[i] != want {
			t.Fatalf("%s(%#x) = %#x, want %#x", op, v, got[i], want)
		}
	}
}

func TestBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{16, 32, 64} {
		x, y := pairs(edges(rng, n, 40), edges(rng, n, 20))
		same(t, fmt.Sprintf("and.b%d", n), n, n, func(v []uint64) uint64 { return v[0] & v[1] }, x, y)
		same(t, fmt.Sprintf("or.b%d", n), n, n, func(v []uint64) uint64 { return v[0] | v[1] }, x, y)
		same(t, fmt.Sprintf("xor.b%d", n), n, n, func(v []uint64) uint64 { return v[0] ^ v[1] }, x, y)
		same(t, fmt.Sprintf("not.b%d", n), n, n, func(v []uint64) uint64 { return ^v[0] << (64 - n) >> (64 - n) }, x)
		same(t, fmt.Sprintf("cnot.b%d", n), n, n, func(v []uint64) uint64 {
			if v[0] == 0 {
				return 1
			}
			return 0
		}, x)
	}
	w := edges(rng, 32, 200)
	same(t, "popc.b32", 32, 32, func(v []uint64) uint64 { return uint64(bits.OnesCount32(uint32(v[0]))) }, w)
	same(t, "clz.b32", 32, 32, func(v []uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(v[0]))) }, w)
	same(t, "brev.b32", 32, 32, func(v []uint64) uint64 { return uint64(bits.Reverse32(uint32(v[0]))) }, w)
	l := edges(rng, 64, 200)
	got := apply(t, "clz.b64", simt.B32, []simt.Class{simt.B64}, l)
	for i := range l {
		if want := uint64(bits.LeadingZeros64(l[i])); got[i] != want {
			t.Fatalf("clz.b64(%#x) = %d, want %d", l[i], got[i], want)
		}
	}
	same(t, "brev.b64", 64, 64, func(v []uint64) uint64 { return bits.Reverse64(v[0]) }, l)
	same(t, "bfind.u32", 32, 32, func(v []uint64) uint64 { return uint64(uint32(bits.Len32(uint32(v[0])) - 1)) }, w)
	same(t, "bfind.s32", 32, 32, func(v []uint64) uint64 {
		x := int32(v[0])
		if x < 0 {
			x = ^x
		}
		return uint64(uint32(bits.Len32(uint32(x)) - 1))
	}, w)
	same(t, "bfind.shiftamt.u32", 32, 32, func(v []uint64) uint64 {
		if v[0] == 0 {
			return 0xffffffff
		}
		return uint64(bits.LeadingZeros32(uint32(v[0])))
	}, w)
}

func TestShifts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	distances := []uint64{0, 1, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 1 << 20, 0xffffffff}
	for _, n := range []int{16, 32, 64} {
		x, y := pairs(edges(rng, n, 40), distances)
		classes := []simt.Class{classOf[n], simt.B32}
		for _, op := range []string{"shl.b", "shr.u", "shr.s", "shr.b"} {
			got := apply(t, fmt.Sprintf("%s%d", op, n), classOf[n], classes, x, y)
			for i := range x {
				v, d := number(op[4:], n, x[i]), uint(min(y[i], uint64(n)))
				if op == "shl.b" {
					v.Lsh(v, d)
				} else {
					v.Rsh(v, d)
				}
				if want := wrap(v, n); got[i] != want {
					t.Fatalf("%s%d(%#x, %d) = %#x, want %#x", op, n, x[i], y[i], got[i], want)
				}
			}
		}
	}
	x := edges(rng, 32, 600)
	y := edges(rng, 32, 600)
	rng.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
	z := make([]uint64, 600)
	for i := range z {
		z[i] = uint64(rng.IntN(70))
	}
	funnel := func(left, clamp bool) func(v []uint64) uint64 {
		return func(v []uint64) uint64 {
			n := int(v[2]) % 32
			if clamp {
				n = min(int(v[2]), 32)
			}
			out := uint64(0)
			for i := range 32 { // bit by bit, of y above x
				from := i + n
				if left {
					from = i + 32 - n
				}
				both := []uint64{v[0], v[1]}
				if from < 64 {
					out |= both[from/32] >> (from % 32) & 1 << i
				}
			}
			return out
		}
	}
	same(t, "shf.l.clamp.b32", 32, 32, funnel(true, true), x, y, z)
	same(t, "shf.l.wrap.b32", 32, 32, funnel(true, false), x, y, z)
	same(t, "shf.r.clamp.b32", 32, 32, funnel(false, true), x, y, z)
	same(t, "shf.r.wrap.b32", 32, 32, funnel(false, false), x, y, z)
}

func TestFields(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{32, 64} {
		x := edges(rng, n, 800)
		y := edges(rng, n, 800)
		var pos, length []uint64
		for range x {
			pos, length = append(pos, uint64(rng.IntN(70))), append(length, uint64(rng.IntN(70)))
		}
		bit := func(v uint64, i int) uint64 { return v >> i & 1 }
		for _, sign := range []string{"u", "s"} {
			got := apply(t, fmt.Sprintf("bfe.%s%d", sign, n), classOf[n], []simt.Class{classOf[n], simt.B32, simt.B32}, x, pos, length)
			for i := range x {
				var want, fill uint64
				p, l := int(pos[i]), int(length[i])
				if sign == "s" && l > 0 {
					fill = bit(x[i], min(p+l-1, n-1))
				}
				for k := range n {
					b := fill
					if k < l && p+k < n {
						b = bit(x[i], p+k)
					}
					want |= b << k
				}
				if got[i] != want {
					t.Fatalf("bfe.%s%d(%#x, %d, %d) = %#x, want %#x", sign, n, x[i], p, l, got[i], want)
				}
			}
		}
		got := apply(t, fmt.Sprintf("bfi.b%d", n), classOf[n], []simt.Class{classOf[n], classOf[n], simt.B32, simt.B32}, x, y, pos, length)
		for i := range x {
			want := y[i]
			for k := 0; k < int(length[i]) && k+int(pos[i]) < n; k++ {
				at := k + int(pos[i])
				want = want&^(1<<at) | bit(x[i], k)<<at
			}
			if got[i] != want {
				t.Fatalf("bfi.b%d(%#x, %#x, %d, %d) = %#x, want %#x", n, x[i], y[i], pos[i], length[i], got[i], want)
			}
		}
	}
}

func TestPermute(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	x, y, z := edges(rng, 32, 400), edges(rng, 32, 400), edges(rng, 32, 400)
	rng.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
	byteOf := func(v []uint64, i uint64) uint64 { return (v[1]<<32 | v[0]) >> (8 * i) & 0xff }
	same(t, "prmt.b32", 32, 32, func(v []uint64) (r uint64) {
		for i := range 4 {
			sel := v[2] >> (4 * i) & 15
			b := byteOf(v, sel&7)
			if sel >= 8 {
				b = map[uint64]uint64{0: 0, 1: 0xff}[b>>7]
			}
			r |= b << (8 * i)
		}
		return r
	}, x, y, z)
	for mode, table := range map[string][4][4]uint64{ // by the two bits, the byte of the result, lowest first
		"f4e":  {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
		"b4e":  {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
		"rc8":  {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
		"ecl":  {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
		"ecr":  {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
		"rc16": {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}},
	} {
		same(t, "prmt.b32."+mode, 32, 32, func(v []uint64) (r uint64) {
			for i, b := range table[v[2]&3] {
				r |= byteOf(v, b) << (8 * i)
			}
			return r
		}, x, y, z)
	}
	for _, table := range []int64{0, 0xff, 0x80, 0xfe, 0x96, 0xca, 0xe8, 0x1b} {
		got := applyWith(t, "lop3.b32", simt.B32, []simt.Class{simt.B32, simt.B32, simt.B32}, []simt.Operand{simt.I(table)}, x, y, z)
		for i := range x {
			var want uint64
			for k := range 32 {
				index := x[i]>>k&1<<2 | y[i]>>k&1<<1 | z[i]>>k&1
				want |= uint64(table) >> index & 1 << k
			}
			if got[i] != want {
				t.Fatalf("lop3 %#x (%#x, %#x, %#x) = %#x, want %#x", table, x[i], y[i], z[i], got[i], want)
			}
		}
	}
}
