package dtype_test

import (
	_ "embed"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
)

// smallFloats holds what ml_dtypes makes of float32 numbers; smallfloats.py beside it writes it.
//
//go:embed testdata/smallfloats.txt
var smallFloats string

// small is a format of at most eight bits, in the order of the columns of the file.
type small struct {
	name             string
	from32           func(float32) uint8
	from64           func(float64) uint8
	to32             func(uint8) float32
	text             func(uint8) string
	largest, nan     uint8
	bits             int
	signed, hasNaN   bool
	exp, man, bias   int
	inf              uint8
	noZero, noColumn bool
}

var smalls = []small{
	{name: "float8_e4m3fn", largest: 0x7e, nan: 0x7f, bits: 8, signed: true, hasNaN: true, exp: 4, man: 3, bias: 7,
		from32: func(f float32) uint8 { return uint8(dtype.Float8E4M3FNFromFloat32(f)) },
		from64: func(f float64) uint8 { return uint8(dtype.Float8E4M3FNFromFloat64(f)) },
		to32:   func(b uint8) float32 { return dtype.Float8E4M3FN(b).Float32() },
		text:   func(b uint8) string { return dtype.Float8E4M3FN(b).String() }},
	{name: "float8_e5m2", largest: 0x7b, nan: 0x7f, inf: 0x7c, bits: 8, signed: true, hasNaN: true, exp: 5, man: 2, bias: 15,
		from32: func(f float32) uint8 { return uint8(dtype.Float8E5M2FromFloat32(f)) },
		from64: func(f float64) uint8 { return uint8(dtype.Float8E5M2FromFloat64(f)) },
		to32:   func(b uint8) float32 { return dtype.Float8E5M2(b).Float32() },
		text:   func(b uint8) string { return dtype.Float8E5M2(b).String() }},
	{name: "float8_e8m0fnu", largest: 0xfe, nan: 0xff, bits: 8, hasNaN: true, exp: 8, bias: 127, noZero: true,
		from32: func(f float32) uint8 { return uint8(dtype.Float8E8M0FNUFromFloat32(f)) },
		from64: func(f float64) uint8 { return uint8(dtype.Float8E8M0FNUFromFloat64(f)) },
		to32:   func(b uint8) float32 { return dtype.Float8E8M0FNU(b).Float32() },
		text:   func(b uint8) string { return dtype.Float8E8M0FNU(b).String() }},
	{name: "float4_e2m1fn", largest: 0x7, nan: 0x7, bits: 4, signed: true, exp: 2, man: 1, bias: 1,
		from32: func(f float32) uint8 { return uint8(dtype.Float4E2M1FNFromFloat32(f)) },
		from64: func(f float64) uint8 { return uint8(dtype.Float4E2M1FNFromFloat64(f)) },
		to32:   func(b uint8) float32 { return dtype.Float4E2M1FN(b).Float32() },
		text:   func(b uint8) string { return dtype.Float4E2M1FN(b).String() }},
	{name: "float8_e5m3fnu", largest: 0xfe, nan: 0xff, bits: 8, hasNaN: true, exp: 5, man: 3, bias: 15, noColumn: true,
		from32: func(f float32) uint8 { return uint8(dtype.Float8E5M3FNUFromFloat32(f)) },
		from64: func(f float64) uint8 { return uint8(dtype.Float8E5M3FNUFromFloat64(f)) },
		to32:   func(b uint8) float32 { return dtype.Float8E5M3FNU(b).Float32() },
		text:   func(b uint8) string { return dtype.Float8E5M3FNU(b).String() }},
}

// value is the meaning of a magnitude's bits, by the definition of the format.
func (s small) value(b uint8) float64 {
	e, m := int(b)>>s.man, float64(int(b)&(1<<s.man-1))
	if e == 0 && s.man > 0 {
		return math.Ldexp(m, 1-s.bias-s.man)
	}
	return math.Ldexp(m+float64(int(1)<<s.man), e-s.bias-s.man)
}

// TestSmallValues compares every pattern of bits with the definition, and with what it is written as.
func TestSmallValues(t *testing.T) {
	for _, s := range smalls {
		mask := uint8(1<<(s.exp+s.man) - 1)
		for i := range 1 << s.bits {
			b := uint8(i)
			got, mag := float64(s.to32(b)), b&mask
			want := s.value(mag)
			switch {
			case s.inf != 0 && mag == s.inf:
				want = math.Inf(1)
			case mag > s.largest:
				if got == got {
					t.Errorf("%s %#x is %v, want NaN", s.name, b, got)
				}
				continue
			}
			if b > mask {
				want = -want
			}
			if got != want || math.Signbit(got) != (b > mask) {
				t.Errorf("%s %#x is %v, want %v", s.name, b, got, want)
			}
			if back := s.from32(float32(got)); back != b && !math.IsInf(got, 0) {
				t.Errorf("%s %#x comes back as %#x", s.name, b, back)
			}
			if f, err := strconv.ParseFloat(s.text(b), 64); err == nil && !math.IsInf(got, 0) && s.from64(f) != b {
				t.Errorf("%s %#x is written %q", s.name, b, s.text(b))
			}
		}
	}
}

// TestSmallOracle compares conversions with those of ml_dtypes, but for what becomes an infinity or NaN there and the
// greatest number here.
func TestSmallOracle(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(smallFloats), "\n") {
		words := strings.Fields(line)
		bits, err := strconv.ParseUint(words[0], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		x := math.Float32frombits(uint32(bits))
		for i, word := range words[1:] {
			s := smalls[i]
			if s.noZero && x > 0 && x < 0x1p-126 {
				continue // there it rounds up what is nearer to the number below
			}
			n, err := strconv.ParseUint(word, 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			want := uint8(n)
			sign := want &^ (1<<(s.exp+s.man) - 1)
			switch {
			case x != x:
				want = s.nan
			case x < 0 && !s.signed: // NaN there
				want = s.from32(-x)
			case s.noZero && x == 0:
				want = 0
			case math.IsNaN(float64(s.to32(want))) || math.IsInf(float64(s.to32(want)), 0):
				if math.Signbit(float64(x)) {
					sign = 0x80
				}
				want = sign&0x80 | s.largest
				if !s.signed {
					want = s.largest
				}
			}
			if got := s.from32(x); got != want {
				t.Errorf("%s of %v (%s) is %#x, want %#x", s.name, x, words[0], got, want)
			}
			if got := s.from64(float64(x)); got != want {
				t.Errorf("%s of float64 %v is %#x, want %#x", s.name, x, got, want)
			}
		}
	}
}

// TestSmallNearest holds that no other number of a format is nearer, for float64 numbers that no float32 holds.
func TestSmallNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range smalls {
		for range 2000 {
			x := math.Ldexp(1+r.Float64(), r.IntN(2*s.bias+4)-s.bias-2)
			got := s.value(s.from64(x))
			for b := range int(s.largest) + 1 {
				if other := s.value(uint8(b)); math.Abs(other-x) < math.Abs(got-x) {
					t.Fatalf("%s of %v is %v, but %v is nearer", s.name, x, got, other)
				}
			}
		}
		if !s.signed { // the magnitude counts
			for _, x := range []float64{-1, -3.25, math.Inf(-1)} {
				if a, b := s.from64(x), s.from64(-x); a != b {
					t.Errorf("%s of %v is %#x, of %v %#x", s.name, x, a, -x, b)
				}
			}
			if s.from64(math.Inf(1)) != s.largest || s.from64(math.NaN()) != s.nan {
				t.Errorf("%s of infinity is %#x, of NaN %#x", s.name, s.from64(math.Inf(1)), s.from64(math.NaN()))
			}
		}
	}
}

// TestTF32 rounds to 10 bits of fraction with the arithmetic of whole numbers.
func TestTF32(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		bits := r.Uint32()
		x := math.Float32frombits(bits)
		got := dtype.TensorFloat32FromFloat32(x)
		if x != x {
			if got.Float32() == got.Float32() {
				t.Fatalf("NaN %#x is %v", bits, got)
			}
			continue
		}
		mag, sign := bits&(1<<31-1), bits&(1<<31)
		want := mag >> 13
		if rest := mag & (1<<13 - 1); rest > 1<<12 || rest == 1<<12 && want&1 == 1 {
			want++
		}
		if mag == 0x7f800000 {
			want = mag >> 13
		}
		if uint32(got) != sign|want<<13 {
			t.Fatalf("%v (%#x) is %#x, want %#x", x, bits, uint32(got), sign|want<<13)
		}
		if back, err := strconv.ParseFloat(got.String(), 64); err == nil && dtype.TensorFloat32FromFloat64(back) != got && !math.IsInf(back, 0) {
			t.Fatalf("%#x is written %s", uint32(got), got)
		}
	}
	if got := dtype.TensorFloat32FromFloat64(1 + 0x1p-11 + 0x1p-40).Float64(); got != 1+0x1p-10 {
		t.Errorf("rounded twice: %v", got)
	}
}
