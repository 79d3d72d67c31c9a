package dtype_test

import (
	"math"
	"math/big"
	"reflect"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
)

// format is a 16-bit format for the reference, which knows only its definition.
type format struct {
	name     string
	exp, man int
	from32   func(float32) uint16
	from64   func(float64) uint16
	to32     func(uint16) float32
	text     func(uint16) string
}

var formats = []format{
	{"float16", 5, 10, func(f float32) uint16 { return uint16(dtype.Float16FromFloat32(f)) },
		func(f float64) uint16 { return uint16(dtype.Float16FromFloat64(f)) },
		func(h uint16) float32 { return dtype.Float16(h).Float32() }, func(h uint16) string { return dtype.Float16(h).String() }},
	{"bfloat16", 8, 7, func(f float32) uint16 { return uint16(dtype.BFloat16FromFloat32(f)) },
		func(f float64) uint16 { return uint16(dtype.BFloat16FromFloat64(f)) },
		func(h uint16) float32 { return dtype.BFloat16(h).Float32() }, func(h uint16) string { return dtype.BFloat16(h).String() }},
}

// value is the meaning of the bits of a positive number; above the largest finite number it goes on as if the format
// had one exponent more.
func (f format) value(h uint16) float64 {
	e, m := int(h)>>f.man, float64(h&(1<<f.man-1))/float64(int(1)<<f.man)
	bias := 1<<(f.exp-1) - 1
	if e == 0 {
		return math.Ldexp(m, 1-bias)
	}
	return math.Ldexp(1+m, e-bias)
}

func (f format) inf() uint16 { return uint16(1<<f.exp-1) << f.man }

func TestWiden(t *testing.T) {
	for _, f := range formats {
		for i := range 1 << 16 {
			h := uint16(i)
			got, mag := float64(f.to32(h)), h&0x7fff
			want := f.value(mag)
			switch {
			case mag > f.inf():
				if got == got {
					t.Fatalf("%s %#x is %v, want NaN", f.name, h, got)
				}
				continue
			case mag == f.inf():
				want = math.Inf(1)
			}
			if h>>15 == 1 {
				want = -want
			}
			if got != want || math.Signbit(got) != (h>>15 == 1) {
				t.Fatalf("%s %#x is %v, want %v", f.name, h, got, want)
			}
			if back := f.from32(f.to32(h)); back != h {
				t.Fatalf("%s %#x comes back as %#x", f.name, h, back)
			}
		}
	}
}

// TestTies checks every midpoint of two neighbours, and the float32 and float64 numbers next to it.
func TestTies(t *testing.T) {
	for _, f := range formats {
		for h := uint16(0); h < f.inf(); h++ {
			mid := (f.value(h) + f.value(h+1)) / 2
			even := h + h&1
			m32 := float32(mid)
			for _, c := range []struct {
				what string
				got  uint16
				want uint16
			}{
				{"midpoint", f.from32(m32), even}, {"midpoint64", f.from64(mid), even},
				{"below", f.from32(math.Nextafter32(m32, 0)), h}, {"above", f.from32(math.Nextafter32(m32, float32(math.Inf(1)))), h + 1},
				{"below64", f.from64(math.Nextafter(mid, 0)), h}, {"above64", f.from64(math.Nextafter(mid, math.Inf(1))), h + 1},
				{"negative", f.from64(-math.Nextafter(mid, math.Inf(1))), 0x8000 | (h + 1)},
			} {
				if float64(m32) != mid && (c.what == "midpoint" || c.what == "below" || c.what == "above") {
					continue // not a float32
				}
				if c.got != c.want {
					t.Fatalf("%s: %s of %#x and %#x is %#x, want %#x", f.name, c.what, h, h+1, c.got, c.want)
				}
			}
		}
	}
}

func TestSpecials(t *testing.T) {
	for _, f := range formats {
		inf := f.inf()
		for _, c := range []struct {
			x    float64
			want uint16
		}{
			{0, 0}, {math.Copysign(0, -1), 0x8000}, {math.Inf(1), inf}, {math.Inf(-1), 0x8000 | inf}, {1e300, inf}, {-1e300, 0x8000 | inf},
			{5e-324, 0}, {-5e-324, 0x8000}, {math.MaxFloat32, inf}, {1, f.from32(1)},
		} {
			if got := f.from64(c.x); got != c.want {
				t.Errorf("%s: %v is %#x, want %#x", f.name, c.x, got, c.want)
			}
			if x := float32(c.x); float64(x) == c.x && f.from32(x) != c.want {
				t.Errorf("%s: float32 %v is %#x, want %#x", f.name, x, f.from32(x), c.want)
			}
		}
		for _, bits := range []uint32{0x7f800001, 0x7fc00000, 0xff800001, 0x7fffffff} {
			h := f.from32(math.Float32frombits(bits))
			if h&0x7fff <= inf || h>>15 != uint16(bits>>31) {
				t.Errorf("%s: NaN %#x is %#x", f.name, bits, h)
			}
		}
	}
}

// TestAllFloat32 compares a spread of float32 numbers with rounding by big.Float.
func TestAllFloat32(t *testing.T) {
	for _, f := range formats {
		for i := uint64(0); i < 1<<32; i += 4099 {
			x := math.Float32frombits(uint32(i))
			if x != x || math.IsInf(float64(x), 0) {
				continue
			}
			want := f.reference(float64(x))
			if got := f.from32(x); got != want {
				t.Fatalf("%s: %v (%#x) is %#x, want %#x", f.name, x, i, got, want)
			}
		}
	}
}

// reference rounds with exact arithmetic.
func (f format) reference(x float64) uint16 {
	sign := uint16(0)
	if math.Signbit(x) {
		sign = 0x8000
	}
	bias := 1<<(f.exp-1) - 1
	a := new(big.Float).SetPrec(400).SetFloat64(math.Abs(x))
	exp := max(a.MantExp(nil)-1, 1-bias)
	if x == 0 {
		return sign
	}
	scaled := new(big.Float).SetPrec(400).SetMantExp(a, f.man-exp)
	q, _ := scaled.Int64()
	rest := new(big.Float).Sub(scaled, new(big.Float).SetInt64(q))
	if c := rest.Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && q&1 == 1 {
		q++
	}
	bits := q + int64(exp+bias-1)<<f.man
	return sign | uint16(min(bits, int64(f.inf())))
}

func TestSlices(t *testing.T) {
	halves, brains := make([]dtype.Float16, 1<<16), make([]dtype.BFloat16, 1<<16)
	for i := range halves {
		halves[i], brains[i] = dtype.Float16(i), dtype.BFloat16(i)
	}
	a, b := make([]float32, 1<<16+1), make([]float32, 1<<16+1)
	a[1<<16], b[1<<16] = 7, 7
	dtype.Float16sToFloat32s(a, halves)
	dtype.BFloat16sToFloat32s(b, brains)
	back, back2 := make([]dtype.Float16, 1<<16), make([]dtype.BFloat16, 1<<16)
	dtype.Float16sFromFloat32s(back, a[:1<<16])
	dtype.BFloat16sFromFloat32s(back2, b[:1<<16])
	for i := range halves {
		if x, y := math.Float32bits(a[i]), math.Float32bits(halves[i].Float32()); x != y {
			t.Fatalf("float16 %#x: %#x, want %#x", i, x, y)
		}
		if x, y := math.Float32bits(b[i]), math.Float32bits(brains[i].Float32()); x != y {
			t.Fatalf("bfloat16 %#x: %#x, want %#x", i, x, y)
		}
		if want := dtype.Float16FromFloat32(a[i]); back[i] != want {
			t.Fatalf("float16 %#x comes back as %#x, want %#x", i, back[i], want)
		}
		if want := dtype.BFloat16FromFloat32(b[i]); back2[i] != want {
			t.Fatalf("bfloat16 %#x comes back as %#x, want %#x", i, back2[i], want)
		}
	}
	if a[1<<16] != 7 || b[1<<16] != 7 {
		t.Error("a conversion wrote past the end of its source")
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{dtype.Float16FromFloat32(0.1).String(), "0.1"}, {dtype.Float16FromFloat32(65504).String(), "6.55e+04"},
		{dtype.Float16FromFloat32(-2.5).String(), "-2.5"}, {dtype.Float16(0x7c00).String(), "+Inf"}, {dtype.Float16(0x7e00).String(), "NaN"},
		{dtype.Float16(1).String(), "6e-08"}, {dtype.BFloat16FromFloat32(3.14).String(), "3.14"}, {dtype.BFloat16(0x8000).String(), "-0"},
		{dtype.F16.String(), "float16"}, {dtype.BF16.String(), "bfloat16"}, {dtype.U8.String(), "uint8"}, {dtype.Type(99).String(), "Type(99)"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	for i := range 1 << 16 { // every text comes back
		for _, f := range formats {
			s := f.text(uint16(i))
			x, _, err := big.ParseFloat(s, 10, 60, big.ToNearestEven)
			if err != nil {
				continue // an infinity or NaN
			}
			v, _ := x.Float64()
			if got := f.from64(v); got != uint16(i) && v != 0 {
				t.Fatalf("%s %#x is written %q, which is %#x", f.name, i, s, got)
			}
		}
	}
}

func check[E dtype.Elem](t *testing.T, checked map[dtype.Type]bool, want dtype.Type, float, integer, signed bool) {
	t.Helper()
	checked[want] = true
	var e E
	ty := dtype.Of[E]()
	if ty != want || ty.Size() != int(unsafe.Sizeof(e)) || ty.IsFloat() != float || ty.IsInt() != integer || ty.IsSigned() != signed {
		t.Errorf("%T: %v, size %d, float %v, int %v, signed %v", e, ty, ty.Size(), ty.IsFloat(), ty.IsInt(), ty.IsSigned())
	}
	if back, ok := dtype.ByName(ty.String()); !ok || back != ty {
		t.Errorf("%v is not found by its name", ty)
	}
	if ty.GoType() != reflect.TypeFor[E]() {
		t.Errorf("%v is %v in Go", ty, ty.GoType())
	}
}

func TestTypes(t *testing.T) {
	checked := map[dtype.Type]bool{}
	check[bool](t, checked, dtype.Bool, false, false, false)
	check[int8](t, checked, dtype.I8, false, true, true)
	check[int16](t, checked, dtype.I16, false, true, true)
	check[int32](t, checked, dtype.I32, false, true, true)
	check[int64](t, checked, dtype.I64, false, true, true)
	check[uint8](t, checked, dtype.U8, false, true, false)
	check[uint16](t, checked, dtype.U16, false, true, false)
	check[uint32](t, checked, dtype.U32, false, true, false)
	check[uint64](t, checked, dtype.U64, false, true, false)
	check[dtype.Float16](t, checked, dtype.F16, true, false, true)
	check[dtype.BFloat16](t, checked, dtype.BF16, true, false, true)
	check[float32](t, checked, dtype.F32, true, false, true)
	check[float64](t, checked, dtype.F64, true, false, true)
	check[dtype.Float8E4M3FN](t, checked, dtype.F8E4M3FN, true, false, true)
	check[dtype.Float8E5M2](t, checked, dtype.F8E5M2, true, false, true)
	check[dtype.Float8E8M0FNU](t, checked, dtype.F8E8M0FNU, true, false, false)
	check[dtype.Float8E5M3FNU](t, checked, dtype.F8E5M3FNU, true, false, false)
	check[dtype.TensorFloat32](t, checked, dtype.TF32, true, false, true)
	for _, ty := range dtype.Types() {
		if !checked[ty] {
			t.Errorf("%v is not checked: give it a row", ty)
		}
	}
	if _, ok := dtype.ByName("float8"); ok {
		t.Error("float8 is found")
	}
}

func BenchmarkFloat16sToFloat32s(b *testing.B) {
	src, dst := make([]dtype.Float16, 4096), make([]float32, 4096)
	for i := range src {
		src[i] = dtype.Float16FromFloat32(float32(i) / 100)
	}
	b.SetBytes(4096 * 6)
	for b.Loop() {
		dtype.Float16sToFloat32s(dst, src)
	}
}

func BenchmarkFloat16sFromFloat32s(b *testing.B) {
	src, dst := make([]float32, 4096), make([]dtype.Float16, 4096)
	for i := range src {
		src[i] = float32(i) / 100
	}
	b.SetBytes(4096 * 6)
	for b.Loop() {
		dtype.Float16sFromFloat32s(dst, src)
	}
}

func BenchmarkBFloat16sFromFloat32s(b *testing.B) {
	src, dst := make([]float32, 4096), make([]dtype.BFloat16, 4096)
	for i := range src {
		src[i] = float32(i) / 100
	}
	b.SetBytes(4096 * 6)
	for b.Loop() {
		dtype.BFloat16sFromFloat32s(dst, src)
	}
}
