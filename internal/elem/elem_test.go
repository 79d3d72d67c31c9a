package elem

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// TestTable holds that no two rows share a name that must tell them apart, and that widths agree.
func TestTable(t *testing.T) {
	seen := map[[2]string]bool{}
	for _, r := range Table[1:] {
		for column, name := range map[string]string{"Name": r.Name, "Go": r.Go, "Cute": r.Cute, "PTX": r.PTX} {
			if name != "" && seen[[2]string{column, name}] {
				t.Errorf("%s %s stands twice", column, name)
			}
			seen[[2]string{column, name}] = true
		}
		if r.Name == "" || r.Go == "" || r.IR == "" || r.Bits < 1 || r.Bits > 8*r.Size || (r.Kind == Float) != (r.Format != nil) {
			t.Errorf("%+v", r)
		}
		if f := r.Format; f != nil {
			width := f.Exp + f.Man
			if !f.Unsigned {
				width++
			}
			if width != r.Bits || r.Bits > 8 && width+f.Pad != 8*r.Size {
				t.Errorf("%s: a code of %d bits and %d below", r.Name, width, f.Pad)
			}
		}
	}
	if r := ByIR("i8"); r == nil || r.Name != "int8" || ByIR("i9") != nil || ByPTX("e4m3").Name != "float8_e4m3fn" || ByPTX("") != nil {
		t.Error("a row is not found by its name")
	}
}

// value is the meaning of a magnitude's code by the definition of the format; above the largest it goes on.
func value(f *Format, code uint64) float64 {
	e, m := int(code>>f.Man), float64(code&(1<<f.Man-1))
	bias := 1<<(f.Exp-1) - 1
	if e == 0 && f.Man > 0 {
		return math.Ldexp(m, 1-bias-f.Man)
	}
	return math.Ldexp(m+math.Ldexp(1, f.Man), e-bias-f.Man)
}

// narrow are the formats whose codes can all be tried.
func narrow() map[string]*Format {
	all := map[string]*Format{}
	for _, r := range Table {
		if r.Format != nil && r.Bits < 32 {
			all[r.Name] = r.Format
		}
	}
	return all
}

func TestDecode(t *testing.T) {
	for name, f := range narrow() {
		for code := range uint64(1) << (f.Exp + f.Man) {
			want := value(f, code)
			switch top := code>>f.Man == 1<<f.Exp-1; {
			case f.Inf && top && code&(1<<f.Man-1) == 0:
				want = math.Inf(1)
			case f.Inf && top, f.NaN && code == 1<<(f.Exp+f.Man)-1:
				want = math.NaN()
			}
			if got := f.Decode(code); got != want && (got == got || want == want) {
				t.Fatalf("%s %#x is %v, want %v", name, code, got, want)
			}
			if got := f.Decode(code | f.Sign()); f.Sign() != 0 && want == want && (got != -want || !math.Signbit(got)) {
				t.Fatalf("%s %#x is %v, want %v", name, code|f.Sign(), got, -want)
			}
		}
	}
	for _, bits := range []uint64{0, 1, 1 << 52, 0x7fefffffffffffff, 1 << 63} {
		if got := ByIR("f64").Format.Decode(bits); math.Float64bits(got) != bits {
			t.Errorf("f64 %#x is %v", bits, got)
		}
		x := math.Float32frombits(uint32(bits >> 32))
		if got := ByIR("f32").Format.Decode(bits >> 32); got != float64(x) && x == x {
			t.Errorf("f32 %#x is %v, want %v", bits>>32, got, x)
		}
	}
}

// want rounds a magnitude by looking for its neighbours among all numbers of the format.
func want(f *Format, x float64, mode Rounding, negative bool) uint64 {
	n := int(f.Largest()) + 2 // with the first that is too large
	at := sort.Search(n, func(i int) bool { return value(f, uint64(i)) > x })
	if at == 0 || at == n {
		return uint64(min(at, n-1))
	}
	low := uint64(at - 1)
	below, above := x-value(f, low), value(f, low+1)-x
	up := false
	switch {
	case below == 0:
	case mode == Nearest:
		up = below > above || below == above && (low&1 == 1 || f.Man == 0)
	case mode == Away:
		up = below >= above
	case mode != Zero:
		up = (mode == Down) == negative
	}
	if up {
		low++
	}
	return low
}

// TestRound holds every direction against a search: for numbers of the format, halves between them, and random ones.
func TestRound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, f := range narrow() {
		step := max(1, f.Largest()/3000)
		for code := uint64(0); code <= f.Largest(); code += step {
			mid := (value(f, code) + value(f, code+1)) / 2
			for _, x := range []float64{value(f, code), mid, math.Nextafter(mid, 0), math.Nextafter(mid, math.Inf(1)),
				value(f, code) * (1 + r.Float64()), math.Ldexp(r.Float64(), -r.IntN(1100))} {
				for mode := Nearest; mode <= Away; mode++ {
					for _, negative := range []bool{false, true} {
						f.checkRound(t, name, x, mode, negative)
					}
				}
			}
		}
	}
}

func (f *Format) checkRound(t *testing.T, name string, x float64, mode Rounding, negative bool) {
	t.Helper()
	w, sign := want(f, x, mode, negative && !f.Unsigned), uint64(0)
	if negative {
		x, sign = -x, f.Sign()
	}
	got, fits := f.Round(x, mode)
	if got != sign|min(w, f.Largest()) || fits != (w <= f.Largest()) {
		t.Fatalf("%s: %v in direction %d is %#x (%t), want %#x", name, x, mode, got, fits, sign|w)
	}
}

// TestOverflow holds what too large numbers, infinities and NaN become.
func TestOverflow(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		ir       string
		x        float64
		mode     Rounding
		saturate bool
		want     uint64
	}{
		{"f16", 65520, Nearest, false, 0x7c00}, {"f16", -65520, Nearest, false, 0xfc00}, {"f16", 1e9, Zero, false, 0x7bff},
		{"f16", 1e9, Up, false, 0x7c00}, {"f16", -1e9, Up, false, 0xfbff}, {"f16", 1e9, Down, false, 0x7bff}, {"f16", -1e9, Down, false, 0xfc00},
		{"f16", inf, Zero, false, 0x7c00}, {"f16", inf, Nearest, true, 0x7bff}, {"f16", math.NaN(), Nearest, false, 0x7fff},
		{"f8E5M2", inf, Nearest, true, 0x7b}, {"f8E5M2", -1e9, Nearest, false, 0xfc}, {"f8E5M2", math.NaN(), Nearest, true, 0x7f},
		{"f8E4M3FN", 465, Nearest, false, 0x7f}, {"f8E4M3FN", 464, Nearest, false, 0x7e}, {"f8E4M3FN", -465, Nearest, true, 0xfe},
		{"f8E8M0FNU", -inf, Nearest, false, 0xff}, {"f8E8M0FNU", 0, Up, false, 0}, {"f4E2M1FN", inf, Nearest, false, 7}, {"f4E2M1FN", -9, Up, false, 15},
		{"tf32", 1e39, Nearest, false, 0x3fc00}, {"f32", 1e39, Nearest, false, 0x7f800000}, {"f64", -inf, Nearest, false, 0xfff0000000000000},
	} {
		if got := ByIR(c.ir).Format.Encode(c.x, c.mode, c.saturate); got != c.want {
			t.Errorf("%s: %v in direction %d is %#x, want %#x", c.ir, c.x, c.mode, got, c.want)
		}
	}
	f := ByIR("f32").Format
	for i := uint64(0); i < 1<<31; i += 40009 { // as the processor rounds
		x := math.Float64frombits(i<<32 | i*2654435761&(1<<32-1))
		if got, want := f.Encode(x, Nearest, false), math.Float32bits(float32(x)); got != uint64(want) && x == x {
			t.Fatalf("f32: %v is %#x, want %#x", x, got, want)
		}
	}
}
