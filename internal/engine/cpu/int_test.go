package cpu_test

import (
	"bytes"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

var intElems = []tileir.Elem{tileir.I1, tileir.I8, tileir.I16, tileir.I32, tileir.I64}

// encodeInts stores the low bits of numbers.
func encodeInts(e tileir.Elem, v []int64) []byte {
	var out []byte
	for _, x := range v {
		if e == tileir.I1 {
			out = append(out, byte(x&1))
			continue
		}
		for i := range e.Bytes() {
			out = append(out, byte(x>>(8*i)))
		}
	}
	return out
}

// decodeInts reads numbers as signed or unsigned.
func decodeInts(e tileir.Elem, b []byte, signed bool) []*big.Int {
	var out []*big.Int
	for i := 0; i < len(b); i += e.Bytes() {
		v := new(big.Int)
		for k := range e.Bytes() {
			v.Or(v, new(big.Int).Lsh(big.NewInt(int64(b[i+k])), uint(8*k)))
		}
		if signed && v.Bit(e.Bits()-1) == 1 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(e.Bits())))
		}
		out = append(out, v)
	}
	return out
}

// wrap takes a number modulo the width.
func wrap(e tileir.Elem, v *big.Int) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(e.Bits()))
	return new(big.Int).Mod(v, m)
}

// intPairs gives pairs of operands: for i8 all of them, else the special ones and random ones.
func intPairs(e tileir.Elem) (a, b []int64) {
	switch e {
	case tileir.I1:
		return []int64{0, 0, 1, 1}, []int64{0, 1, 0, 1}
	case tileir.I8:
		for i := range 1 << 16 {
			a, b = append(a, int64(int8(i))), append(b, int64(int8(i>>8)))
		}
		return a, b
	}
	least := int64(-1) << (e.Bits() - 1)
	s := []int64{0, 1, 2, 3, 7, -1, -2, -7, least, least + 1, -least - 1, -least - 2, int64(e.Bits()), int64(e.Bits()) - 1, 255, 1 << 15}
	for _, x := range s {
		for _, y := range s {
			a, b = append(a, x), append(b, y)
		}
	}
	for i := range a { // as the width holds them
		a[i], b[i] = a[i]<<(64-e.Bits())>>(64-e.Bits()), b[i]<<(64-e.Bits())>>(64-e.Bits())
	}
	rng := generator(uint64(e))
	for len(a) < 2048 {
		a, b = append(a, int64(rng())>>(64-e.Bits())), append(b, int64(rng())>>(64-e.Bits())>>(rng()%uint64(e.Bits())))
	}
	return a, b
}

// intOps are the references on exact integers; operands are read as signed when the operation is.
var intOps = []struct {
	op     string
	args   int
	signed []bool // the signedness attribute's values to try; nil where there is none
	f      func(e tileir.Elem, a, b *big.Int) *big.Int
}{
	{"addi", 2, nil, func(_ tileir.Elem, a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }},
	{"subi", 2, nil, func(_ tileir.Elem, a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }},
	{"muli", 2, nil, func(_ tileir.Elem, a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }},
	{"andi", 2, nil, func(_ tileir.Elem, a, b *big.Int) *big.Int { return new(big.Int).And(a, b) }},
	{"ori", 2, nil, func(_ tileir.Elem, a, b *big.Int) *big.Int { return new(big.Int).Or(a, b) }},
	{"xori", 2, nil, func(_ tileir.Elem, a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) }},
	{"negi", 1, nil, func(_ tileir.Elem, a, _ *big.Int) *big.Int { return new(big.Int).Neg(a) }},
	{"absi", 1, []bool{true}, func(_ tileir.Elem, a, _ *big.Int) *big.Int { return new(big.Int).Abs(a) }},
	{"mulhii", 2, []bool{false}, func(e tileir.Elem, a, b *big.Int) *big.Int {
		return new(big.Int).Rsh(new(big.Int).Mul(a, b), uint(e.Bits()))
	}},
	{"shli", 2, []bool{false}, func(e tileir.Elem, a, b *big.Int) *big.Int {
		if b.Cmp(big.NewInt(int64(e.Bits()))) >= 0 {
			return new(big.Int)
		}
		return new(big.Int).Lsh(a, uint(b.Int64()))
	}},
	{"shri", 2, []bool{true, false}, func(e tileir.Elem, a, b *big.Int) *big.Int {
		n := wrap(e, b) // the amount is unsigned
		if n.Cmp(big.NewInt(int64(e.Bits()))) >= 0 {
			n = big.NewInt(int64(e.Bits()))
		}
		return new(big.Int).Rsh(a, uint(n.Int64()))
	}},
	{"maxi", 2, []bool{true, false}, func(_ tileir.Elem, a, b *big.Int) *big.Int {
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	}},
	{"mini", 2, []bool{true, false}, func(_ tileir.Elem, a, b *big.Int) *big.Int {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	}},
}

func TestIntegers(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, o := range intOps {
		signs := o.signed
		if signs == nil {
			signs = []bool{false}
		}
		for _, signed := range signs {
			for _, e := range intElems {
				t.Run(fmt.Sprintf("%s/%s/signed=%v", o.op, e, signed), func(t *testing.T) {
					a, b := intPairs(e)
					in := []input{{e, encodeInts(e, a)}, {e, encodeInts(e, b)}}[:o.args]
					got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
						as := attrs{}
						if tileir.Lookup(o.op).AttrIndex("signedness") >= 0 {
							as["signedness"] = sign(signed)
						}
						return k.one(o.op, args, as, args[0].Type)
					})
					if err != nil {
						t.Fatal(err)
					}
					x, y := decodeInts(e, encodeInts(e, a), signed), decodeInts(e, encodeInts(e, b), signed)
					for i, g := range decodeInts(e, got, false) {
						if want := wrap(e, o.f(e, x[i], y[i])); g.Cmp(want) != 0 {
							t.Fatalf("%s(%v, %v) is %v, want %v", o.op, x[i], y[i], g, want)
						}
					}
				})
			}
		}
	}
}

func sign(signed bool) tileir.Int {
	if signed {
		return tileir.Signed
	}
	return tileir.Unsigned
}

func TestDivision(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, c := range []struct {
		op     string
		signed bool
		round  tileir.Int
	}{
		{"divi", true, tileir.RoundingZero}, {"divi", true, tileir.RoundingNegativeInf}, {"divi", true, tileir.RoundingPositiveInf},
		{"divi", false, tileir.RoundingZero}, {"divi", false, tileir.RoundingPositiveInf}, {"remi", true, 0}, {"remi", false, 0},
	} {
		for _, e := range intElems[1:] {
			a, b := intPairs(e)
			least := int64(-1) << (e.Bits() - 1)
			for i := range b {
				if b[i] == 0 || c.op == "divi" && c.signed && a[i] == least && b[i] == -1 {
					b[i] = 3
				}
			}
			as := attrs{"signedness": sign(c.signed)}
			if c.op == "divi" {
				as["rounding"] = c.round
			}
			got, err := runTiles(t, d, []input{{e, encodeInts(e, a)}, {e, encodeInts(e, b)}}, func(k *kernel, args vals) *tileir.Value {
				return k.one(c.op, args, as, args[0].Type)
			})
			if err != nil {
				t.Fatal(err)
			}
			x, y := decodeInts(e, encodeInts(e, a), c.signed), decodeInts(e, encodeInts(e, b), c.signed)
			for i, g := range decodeInts(e, got, c.signed) {
				q, r := new(big.Int).QuoRem(x[i], y[i], new(big.Int))
				want := q
				switch opposite := r.Sign() != 0 && (r.Sign() < 0) != (y[i].Sign() < 0); {
				case c.op == "remi":
					want = r
				case c.round == tileir.RoundingNegativeInf && opposite:
					want = q.Sub(q, big.NewInt(1))
				case c.round == tileir.RoundingPositiveInf && r.Sign() != 0 && !opposite:
					want = q.Add(q, big.NewInt(1))
				}
				if g.Cmp(want) != 0 {
					t.Fatalf("%s %v %d of %s (%v, %v) is %v, want %v", c.op, c.signed, c.round, e, x[i], y[i], g, want)
				}
			}
		}
	}
}

// TestDivisionFaults divides single integers by zero, which ends a Go program too.
func TestDivisionFaults(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, op := range []string{"divi", "remi"} {
		k := newKernel(t)
		zero := k.i32(0)
		k.one(op, vals{k.i32(5), zero}, attrs{"signedness": tileir.Signed}, zero.Type)
		k.ret()
		err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1})
		if err == nil || !strings.Contains(err.Error(), "division by zero") || !strings.Contains(err.Error(), "k.go:") {
			t.Errorf("%s: %v, want division by zero", op, err)
		}
	}
}

// TestTileDivision gives what elements of a tile become where Go would panic, and where it wraps.
func TestTileDivision(t *testing.T) {
	d := newDevice(t, cpu.Options{CheckAssumes: true})
	for _, c := range []struct {
		op   string
		want []int64
	}{
		{"divi", []int64{0, 0, -1 << 31, -3}}, {"remi", []int64{5, -7, 0, -1}},
	} {
		got, err := runTiles(t, d, []input{
			{tileir.I32, encodeInts(tileir.I32, []int64{5, -7, -1 << 31, -7})}, {tileir.I32, encodeInts(tileir.I32, []int64{0, 0, -1, 2})},
		}, func(k *kernel, args vals) *tileir.Value {
			return k.one(c.op, args, attrs{"signedness": tileir.Signed}, args[0].Type)
		})
		if want := encodeInts(tileir.I32, c.want); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: % x, %v, want % x", c.op, got, err, want)
		}
	}
}

func TestCompareIntegers(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	holds := []func(c int) bool{
		func(c int) bool { return c == 0 }, func(c int) bool { return c != 0 }, func(c int) bool { return c < 0 },
		func(c int) bool { return c <= 0 }, func(c int) bool { return c > 0 }, func(c int) bool { return c >= 0 },
	}
	for _, e := range intElems {
		a, b := intPairs(e)
		for p, hold := range holds {
			for _, signed := range []bool{true, false} {
				got, err := runTiles(t, d, []input{{e, encodeInts(e, a)}, {e, encodeInts(e, b)}}, func(k *kernel, args vals) *tileir.Value {
					return k.one("cmpi", args, attrs{"comparison_predicate": tileir.Int(p), "signedness": sign(signed)}, tileir.Tile(tileir.I1, len(a)))
				})
				if err != nil {
					t.Fatal(err)
				}
				x, y := decodeInts(e, encodeInts(e, a), signed), decodeInts(e, encodeInts(e, b), signed)
				for i, g := range got {
					if (g == 1) != hold(x[i].Cmp(y[i])) || g > 1 {
						t.Fatalf("cmpi %d %s signed=%v (%v, %v) is %d", p, e, signed, x[i], y[i], g)
					}
				}
			}
		}
	}
}

func TestWidenNarrowIntegers(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for i, small := range intElems {
		for _, big := range intElems[i+1:] {
			a, _ := intPairs(small)
			for _, signed := range []bool{true, false} {
				got, err := runTiles(t, d, []input{{small, encodeInts(small, a)}}, func(k *kernel, args vals) *tileir.Value {
					return k.one("exti", args, attrs{"signedness": sign(signed)}, tileir.Tile(big, len(a)))
				})
				if err != nil {
					t.Fatal(err)
				}
				want := decodeInts(small, encodeInts(small, a), signed)
				for i, g := range decodeInts(big, got, signed) {
					if g.Cmp(want[i]) != 0 {
						t.Fatalf("exti %s to %s signed=%v of %v is %v", small, big, signed, want[i], g)
					}
				}
			}
			b, _ := intPairs(big)
			got, err := runTiles(t, d, []input{{big, encodeInts(big, b)}}, func(k *kernel, args vals) *tileir.Value {
				return k.one("trunci", args, nil, tileir.Tile(small, len(b)))
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range decodeInts(small, got, false) {
				if want := wrap(small, decodeInts(big, encodeInts(big, b[i:i+1]), false)[0]); g.Cmp(want) != 0 {
					t.Fatalf("trunci %s to %s of %d is %v, want %v", big, small, b[i], g, want)
				}
			}
		}
	}
}
