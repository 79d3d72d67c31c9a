package emu_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// References for comparisons: a, b, and whether they can be compared.
func TestComparisons(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	table := map[string]func(c int, ordered bool) bool{
		"eq": func(c int, o bool) bool { return o && c == 0 }, "ne": func(c int, o bool) bool { return o && c != 0 },
		"lt": func(c int, o bool) bool { return o && c < 0 }, "le": func(c int, o bool) bool { return o && c <= 0 },
		"gt": func(c int, o bool) bool { return o && c > 0 }, "ge": func(c int, o bool) bool { return o && c >= 0 },
	}
	for _, name := range []string{"eq", "ne", "lt", "le", "gt", "ge"} {
		f := table[name]
		table[name+"u"] = func(c int, o bool) bool { return !o || f(c, true) }
	}
	table["num"] = func(_ int, o bool) bool { return o }
	table["nan"] = func(_ int, o bool) bool { return !o }
	unsigned := map[string]string{"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
	for short, long := range unsigned {
		table[short] = table[long]
	}
	for _, ty := range []string{"s16", "u16", "s32", "u32", "s64", "u64", "b32", "f16", "bf16", "f32", "f64"} {
		isFloat := strings.Contains(ty, "f")
		n := width(ty)
		x, y := pairs(edges(rng, n, 24), edges(rng, n, 24))
		if isFloat {
			x, y = pairs(floats(rng, precisions[ty], 30), floats(rng, precisions[ty], 30))
		}
		for name, f := range table {
			_, isUnsigned := unsigned[name]
			if len(name) > 2 && !isFloat || isUnsigned && ty[0] != 'u' || ty[0] == 'b' && !isFloat && name != "eq" && name != "ne" {
				continue
			}
			flags := make([]uint64, len(x))
			for i := range flags {
				flags[i] = uint64(rng.IntN(2))
			}
			got := apply(t, "setp."+name+"."+ty, simt.Pred, []simt.Class{classOf[n], classOf[n]}, x, y)
			xor := apply(t, "setp."+name+".xor."+ty, simt.Pred, []simt.Class{classOf[n], classOf[n], simt.Pred}, x, y, flags)
			set := apply(t, "set."+name+".u32."+ty, simt.B32, []simt.Class{classOf[n], classOf[n]}, x, y)
			for i := range x {
				c, ordered := number(ty, n, x[i]).Cmp(number(ty, n, y[i])), true
				if isFloat {
					a, b := precisions[ty].decode(x[i]), precisions[ty].decode(y[i])
					c, ordered = big.NewFloat(0).Cmp(big.NewFloat(0)), a == a && b == b
					if a < b {
						c = -1
					} else if a > b {
						c = 1
					}
				}
				want := uint64(0)
				if f(c, ordered) {
					want = 1
				}
				if got[i] != want || xor[i] != want^flags[i] || set[i] != want*0xffffffff {
					t.Fatalf("%s.%s(%#x, %#x) = %d, xor %d, set %#x; want %d", name, ty, x[i], y[i], got[i], xor[i], set[i], want)
				}
			}
		}
	}
}

func TestSelect(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	x, y := pairs(edges(rng, 64, 20), edges(rng, 64, 20))
	p := make([]uint64, len(x))
	for i := range p {
		p[i] = uint64(rng.IntN(2))
	}
	got := apply(t, "selp.b64", simt.B64, []simt.Class{simt.B64, simt.B64, simt.Pred}, x, y, p)
	for i := range x {
		if want := []uint64{y[i], x[i]}[p[i]]; got[i] != want {
			t.Fatalf("selp = %#x, want %#x", got[i], want)
		}
	}
}

func TestPairs(t *testing.T) { // comparisons of both halves
	x, y := []uint64{0x3c004000, 0x7e003c00, 0x80003c00}, []uint64{0x3c003c00, 0x3c004000, 0x00003c00}
	b := kernel(1, 3)
	for i := range x {
		u, v := b.Value(simt.B32, "mov.b32", simt.I(int64(x[i]))), b.Value(simt.B32, "mov.b32", simt.I(int64(y[i])))
		p, q := simt.R(b.NewReg(simt.Pred)), simt.R(b.NewReg(simt.Pred))
		b.Emit("setp.gt.f16x2", []simt.Operand{p, q}, u, v)
		set := b.Value(simt.B32, "set.leu.f16x2.f16x2", u, v)
		b.Emit("st.global.b32", nil, simt.At(param(b, 0), int64(4*i)), flagOf(b, p))
		b.Emit("st.global.b32", nil, simt.At(param(b, 1), int64(4*i)), flagOf(b, q))
		b.Emit("st.global.b32", nil, simt.At(param(b, 2), int64(4*i)), set)
	}
	low, high, set := make([]byte, 12), make([]byte, 12), make([]byte, 12)
	must(t, launch(b, emu.Launch{}, low, high, set))
	for i, want := range [][3]uint32{{1, 0, 0x3c000000}, {0, 0, 0x3c003c00}, {0, 0, 0x3c003c00}} {
		if word(low, i) != want[0] || word(high, i) != want[1] || word(set, i) != want[2] {
			t.Errorf("%#x and %#x: %d, %d, %#x", x[i], y[i], word(low, i), word(high, i), word(set, i))
		}
	}
	b = kernel(32, 1) // a comparison and its opposite
	i := tid(b)
	p, q := simt.R(b.NewReg(simt.Pred)), simt.R(b.NewReg(simt.Pred))
	b.Emit("setp.lt.s32", []simt.Operand{p, q}, i, simt.I(10))
	both := b.Value(simt.B32, "mad.lo.u32", flagOf(b, q), simt.I(2), flagOf(b, p))
	b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), i, 4), 0), both)
	out := make([]byte, 128)
	must(t, launch(b, emu.Launch{}, out))
	if word(out, 9) != 1 || word(out, 10) != 2 {
		t.Errorf("%d %d", word(out, 9), word(out, 10))
	}
	same(t, "set.lt.f32.s32", 32, 32, func(v []uint64) uint64 {
		if int32(v[0]) < int32(v[1]) {
			return uint64(math.Float32bits(1))
		}
		return 0
	}, []uint64{1, 0xffffffff, 7}, []uint64{2, 0, 7})
	kinds := []uint64{0, 1, 0x3f800000, 0x7f800000, 0x7fc00000, 0x80000001}
	for op, want := range map[string]uint64{
		"finite": 0b100111, "infinite": 0b001000, "number": 0b101111, "notanumber": 0b010000, "normal": 0b000101, "subnormal": 0b100010,
	} {
		for i, got := range apply(t, "testp."+op+".f32", simt.Pred, []simt.Class{simt.B32}, kinds) {
			if got != want>>i&1 {
				t.Errorf("testp.%s(%#x) = %d", op, kinds[i], got)
			}
		}
	}
}
